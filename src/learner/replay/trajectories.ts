/** Which row continues which, and what each returned: found as transitions come, robot by robot. */
import type { Transition } from '../../core/index.ts';
import { NO_ROW, type TransitionRing } from './ring.ts';

/** What a row returned to the end of its episode, for algorithms that hold values against it (Cal-QL). */
export interface ReturnRule {
  /** γ per step, (0, 1]. */
  readonly discount: number;
  /** What is learned from as the reward of a step: scaled and shifted, costs deducted. */
  readonly reward: (transition: Transition) => number;
}

/** Where a step was put. */
export interface Placed {
  /** Its rows in R and D, `NO_ROW` where it is in none. */
  readonly online: number;
  readonly demonstration: number;
  /** Online transitions from which on it is visible. */
  readonly visibleFrom: number;
}

interface OpenStep extends Placed {
  readonly reward: number;
}

/** A trajectory that may go on. */
interface Thread {
  epoch: number;
  seq: number;
  episode: number;
  step: number;
  segment: number;
  readonly nextObservation: Float32Array;
  placed: Placed;
  /** Steps of the episode so far, oldest first; none where returns are not asked for. */
  open: OpenStep[];
}

const NOWHERE: Placed = { online: NO_ROW, demonstration: NO_ROW, visibleFrom: 0 };
/** Trajectories of one robot that are followed at once; of more, the one that was heard of longest ago is let go. */
const MOST_THREADS = 8;

/**
 * Follows the trajectories of several robots whose transitions come in any mixture. A step continues one before it where
 * epoch, episode, `seq` and `step` go on without a gap and its observation is the other's next one, bit for bit: a dropped or
 * lost record breaks the chain, and robots need no names to be distinguished.
 */
export class Trajectories {
  /** By robot, as many robots as there are; the one heard of last is the last. */
  readonly #threads = new Map<string, Thread[]>();
  readonly #online: TransitionRing;
  readonly #demonstrations: TransitionRing;
  readonly #rule: ReturnRule | undefined;

  /** Throws `RangeError` where `rule` gives no finite return. */
  constructor(online: TransitionRing, demonstrations: TransitionRing, rule: ReturnRule | undefined) {
    if (rule !== undefined) checkRule(rule);
    this.#online = online;
    this.#demonstrations = demonstrations;
    this.#rule = rule;
  }

  /**
   * Puts `transition` of `robot` where `put` does, which is given the rows that it continues within its segment. At the end of
   * an episode, gives the rings what its rows returned; of one that was cut, what they would have returned at least.
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
    // An episode without end holds no more than what can still be said.
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
 * The least that an episode would still have brought had it not been cut, if no step brings less than the worst of `steps` did:
 * min(0, rₘᵢₙ) / (1 − γ), as the task may also end at once. For a task of −1 a step it is what Cal-QL's authors take for an
 * episode that fails to its end, r / (1 − γ) (their `replay_buffer.py`). Without a bound for γ = 1 and steps that cost.
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
