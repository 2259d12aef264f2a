/** Links each row to the one that continues it, and computes returns, as transitions arrive, per robot. */
import type { Transition } from '../../rows/index.ts';
import { NO_ROW, type TransitionRing } from './ring.ts';

/** Definition of the return to the end of the episode, for algorithms that compare values with it (Cal-QL). */
export interface ReturnRule {
  /** γ per step, (0, 1]. */
  readonly discount: number;
  /** Learned reward of a step: scaled and shifted, costs deducted. */
  readonly reward: (transition: Transition) => number;
}

/** Rows of a stored step. */
export interface Placed {
  /** Rows in R and D; `NO_ROW` if not stored there. */
  readonly online: number;
  readonly demonstration: number;
  /** Number of online transitions from which it is visible. */
  readonly visibleFrom: number;
}

interface OpenStep extends Placed {
  readonly reward: number;
}

/** A trajectory that may continue. */
interface Thread {
  epoch: number;
  seq: number;
  episode: number;
  step: number;
  segment: number;
  readonly nextObservation: Float32Array;
  placed: Placed;
  /** Steps of the episode so far, oldest first; empty if returns are not requested. */
  open: OpenStep[];
}

const NOWHERE: Placed = { online: NO_ROW, demonstration: NO_ROW, visibleFrom: 0 };
/** Maximum number of open trajectories per robot; the one inactive longest is dropped first. */
const MOST_THREADS = 8;

/**
 * Follows the trajectories of several robots whose transitions may be interleaved. A step continues an earlier one if
 * epoch, episode, `seq` and `step` are consecutive and its observation equals the other's next one, bit for bit: a dropped or
 * lost record breaks the chain, and robots can be distinguished without names.
 */
export class Trajectories {
  /** By robot, without limit; within a robot, the most recent trajectory is last. */
  readonly #threads = new Map<string, Thread[]>();
  readonly #online: TransitionRing;
  readonly #demonstrations: TransitionRing;
  readonly #rule: ReturnRule | undefined;

  /** Throws `RangeError` if `rule` gives no finite return. */
  constructor(online: TransitionRing, demonstrations: TransitionRing, rule: ReturnRule | undefined) {
    if (rule !== undefined) checkRule(rule);
    this.#online = online;
    this.#demonstrations = demonstrations;
    this.#rule = rule;
  }

  /**
   * Stores `transition` of `robot` by `put`, which receives the rows that it continues within its segment. At the end of an
   * episode, sets the returns of its rows in the rings; for a truncated one, a lower bound of them.
   */
  add(robot: string, transition: Transition, put: (before: Placed) => Placed): void {
    let threads = this.#threads.get(robot);
    if (threads === undefined) {
      threads = [];
      this.#threads.set(robot, threads);
    }
    const at = threads.findLastIndex((thread) => continues(thread, transition));
    const known = at < 0 ? undefined : threads.splice(at, 1)[0]!;
    const placed = put(known?.segment === transition.segment ? known.placed : NOWHERE);
    const open = known?.open ?? [];
    if (this.#rule !== undefined) this.#note(open, transition, placed, this.#rule);
    if (transition.terminated || transition.truncated) return;
    const { epoch, seq, episode, step, segment } = transition;
    const nextObservation = known?.nextObservation ?? new Float32Array(transition.nextObservation.length);
    nextObservation.set(transition.nextObservation);
    threads.push({ epoch, seq, episode, step, segment, nextObservation, placed, open });
    if (threads.length > MOST_THREADS) threads.shift();
  }

  #note(open: OpenStep[], transition: Transition, placed: Placed, rule: ReturnRule): void {
    open.push({ ...placed, reward: rule.reward(transition) });
    // An endless episode keeps only the steps whose returns can still be set.
    if (open.length >= 2 * this.#online.capacity) open.splice(0, this.#online.capacity);
    if (!transition.terminated && !transition.truncated) return;
    const { discount } = rule;
    let value = transition.terminated ? 0 : leastAfterCut(open, discount);
    if (value === Number.NEGATIVE_INFINITY) return;
    for (const { online, demonstration, reward } of open.toReversed()) {
      value = reward + discount * value;
      if (online !== NO_ROW) this.#online.setReturn(online, value, placed.visibleFrom);
      if (demonstration !== NO_ROW) this.#demonstrations.setReturn(demonstration, value, placed.visibleFrom);
    }
  }
}

/**
 * Lower bound of the return after a truncation, if no step brings less than the worst of `steps` did: min(0, rₘᵢₙ) / (1 − γ), as
 * the task may also end at once. For a task of −1 a step it equals the value that Cal-QL's authors assume for an episode that
 * fails to its end, r / (1 − γ) (their `replay_buffer.py`). Unbounded for γ = 1 and steps with negative reward.
 */
function leastAfterCut(steps: readonly OpenStep[], discount: number): number {
  const least = steps.reduce((worst, { reward }) => Math.min(worst, reward), 0);
  return least === 0 ? 0 : least / (1 - discount);
}

function checkRule({ discount }: ReturnRule): void {
  if (!(discount > 0 && discount <= 1)) throw new RangeError(`returns need a discount in (0, 1], got ${discount}`);
}

function continues(thread: Thread, t: Transition): boolean {
  if (t.epoch !== thread.epoch || t.episode !== thread.episode) return false;
  if (t.seq !== thread.seq + 1 || t.step !== thread.step + 1) return false;
  return t.observation.every((value, i) => value === thread.nextObservation[i]);
}
