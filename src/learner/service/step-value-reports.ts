/** Critic values of the steps that robots have just executed, for robots that ask for help based on them. */

import { MAX_VALUED_STEPS, type StepValues } from '../../link/index.ts';
import { quantile } from '../../model/index.ts';
import type { Transition } from '../../rows/index.ts';
import type { Agent } from '../agent/agent.ts';

/** Minimum time between two evaluations, ms. */
const LOOK_MS = 250;
/** Same, as a multiple of the duration of an evaluation: at most one four-hundredth of the learner's time is spent on them. */
const LOOK_COSTS = 400;
/** Number of evaluations whose median is their duration: one that was delayed by a busy machine delays no robot. */
const COSTS = 3;

export interface StepValueReportsOptions {
  /** Sends the values to the robot `robotId`. */
  readonly send: (robotId: string, values: StepValues) => void;
  /** Monotonic clock. */
  readonly nowMs?: () => number;
}

/** Steps of one episode of a robot that have not been evaluated, in order. */
type News = Pick<Transition, 'epoch' | 'episode' | 'step' | 'observation' | 'executed'>[];

export class StepValueReports {
  readonly #send: StepValueReportsOptions['send'];
  readonly #nowMs: () => number;
  readonly #news = new Map<string, News>();
  /** Durations of the last evaluations, ms. */
  #costsMs: number[] = [];
  #hasLooked = false;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor({ send, nowMs = () => performance.now() }: StepValueReportsOptions) {
    this.#send = send;
    this.#nowMs = nowMs;
  }

  /** Takes a step executed by a robot, by reference: it must not change. If steps outpace evaluations, only the newest are kept. */
  take(transition: Transition, robotId: string): void {
    const { source, epoch, episode } = transition;
    if (source === 'demo') return;
    const last = this.#news.get(robotId);
    const isSame = last?.[0]?.epoch === epoch && last[0].episode === episode;
    const news = isSame ? last : [];
    news.push(transition);
    if (news.length > MAX_VALUED_STEPS) news.shift();
    this.#news.set(robotId, news);
  }

  /** Evaluates the steps since the last time, if due and the critics have been updated. Must not overlap with an update. */
  async look(agent: Pick<Agent, 'updates' | 'criticValues'>): Promise<void> {
    const startMs = this.#nowMs();
    if (startMs < this.#nextMs || this.#news.size === 0 || agent.updates === 0) return;
    const all = [...this.#news];
    this.#news.clear();
    const steps = all.flatMap(([, news]) => news);
    const observations = rows(steps.map(({ observation }) => observation));
    const values = await agent.criticValues(observations, rows(steps.map(({ executed }) => executed)));
    let from = 0;
    for (const [robotId, news] of all) {
      this.#report(robotId, news, values.subarray(from, from + news.length));
      from += news.length;
    }
    this.#plan(startMs);
  }

  #report(robotId: string, news: News, values: Float32Array): void {
    const { epoch, episode } = news[0]!;
    const found = news.flatMap(({ step }, i) => (Number.isFinite(values[i]) ? [{ step, value: values[i]! }] : []));
    if (found.length === 0) return;
    const [steps, valuesFound] = [found.map(({ step }) => step), found.map(({ value }) => value)];
    this.#send(robotId, { epoch, episode, steps, values: valuesFound });
  }

  /** Schedules the next evaluation. The duration of the first is ignored, as it loads a graph. */
  #plan(startMs: number): void {
    const endMs = this.#nowMs();
    if (this.#hasLooked) this.#costsMs = [...this.#costsMs, endMs - startMs].slice(-COSTS);
    this.#hasLooked = true;
    const costMs = this.#costsMs.length === 0 ? 0 : quantile(this.#costsMs, 0.5);
    this.#nextMs = endMs + Math.max(LOOK_MS, LOOK_COSTS * costMs);
  }
}

function rows(all: readonly Float32Array[]): Float32Array {
  const width = all[0]?.length ?? 0;
  const out = new Float32Array(all.length * width);
  for (const [i, row] of all.entries()) out.set(row, i * width);
  return out;
}
