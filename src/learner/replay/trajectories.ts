/** Which row continues which, and what each returned: found as transitions come, robot by robot. */
import type { Transition } from '../../core/index.ts';
import { NO_ROW, type TransitionRing } from './ring.ts';

/** What a row returned to the end of its episode, for algorithms that hold values against it (Cal-QL). */
export interface ReturnRule {
  /** γ per step, (0, 1]. */
  readonly discount: number;
  /** What is learned from as the reward of a step: scaled and shifted, costs deducted. */
  readonly reward: (transition: Transition) => number;
  /**
   * What every step would have brought that an episode did not get to because it was cut: the least reward of the task, so that
   * the return stays a lower bound. Absent: 0. With γ = 1 there is no other.
   */
  readonly rewardAfterCut?: number;
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

/** What was last heard of one robot. */
interface Thread {
  epoch: number;
  seq: number;
  episode: number;
  step: number;
  segment: number;
  isOver: boolean;
  readonly nextObservation: Float32Array;
  placed: Placed;
  /** Steps of the episode so far, oldest first; none where returns are not asked for. */
  open: OpenStep[];
}

const NOWHERE: Placed = { online: NO_ROW, demonstration: NO_ROW, visibleFrom: 0 };

/**
 * Follows the trajectories of several robots whose transitions come in any mixture. A step continues the one before where
 * epoch, episode, `seq` and `step` go on without a gap and its observation is the other's next one, bit for bit: a dropped or
 * lost record breaks the chain.
 */
export class Trajectories {
  readonly #threads: Map<string, Thread> = new Map();
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

  /** The rows that `transition` of `robot` continues within its segment: windows of several steps go on from those. */
  before(robot: string, transition: Transition): Placed {
    const thread = this.#threads.get(robot);
    if (thread === undefined || !continues(thread, transition) || thread.segment !== transition.segment) return NOWHERE;
    return thread.placed;
  }

  /** Takes note of where `transition` was put; at the end of an episode, tells the rings what its rows returned. */
  add(robot: string, transition: Transition, placed: Placed): void {
    const { epoch, seq, episode, step, segment, terminated, truncated } = transition;
    const known = this.#threads.get(robot);
    const open = known !== undefined && continues(known, transition) ? known.open : [];
    if (this.#rule !== undefined) this.#note(open, transition, placed, this.#rule);
    const nextObservation = known?.nextObservation ?? new Float32Array(transition.nextObservation.length);
    nextObservation.set(transition.nextObservation);
    const isOver = terminated || truncated;
    this.#threads.set(robot, { epoch, seq, episode, step, segment, isOver, nextObservation, placed, open });
  }

  #note(open: OpenStep[], transition: Transition, placed: Placed, rule: ReturnRule): void {
    open.push({ ...placed, reward: rule.reward(transition) });
    // An episode without end holds no more than what can still be told.
    if (open.length >= 2 * this.#online.capacity) open.splice(0, this.#online.capacity);
    if (!transition.terminated && !transition.truncated) return;
    let value = transition.terminated ? 0 : (rule.rewardAfterCut ?? 0) / (1 - Math.min(rule.discount, LAST_DISCOUNT));
    for (const { online, demonstration, reward } of open.toReversed()) {
      value = reward + rule.discount * value;
      if (online !== NO_ROW) this.#online.setReturn(online, value, placed.visibleFrom);
      if (demonstration !== NO_ROW) this.#demonstrations.setReturn(demonstration, value, placed.visibleFrom);
    }
  }
}

/** γ = 1 adds up to nothing finite: there the reward after a cut is 0, and what it is divided by no matter. */
const LAST_DISCOUNT = 1 - 2 ** -30;

function checkRule({ discount, rewardAfterCut = 0 }: ReturnRule): void {
  if (!(discount > 0 && discount <= 1)) throw new RangeError(`returns need a discount in (0, 1], got ${discount}`);
  if (!Number.isFinite(rewardAfterCut)) throw new RangeError(`rewardAfterCut must be finite, got ${rewardAfterCut}`);
  if (discount === 1 && rewardAfterCut !== 0) {
    throw new RangeError(`with a discount of 1 a reward of ${rewardAfterCut} after a cut would add up without end`);
  }
}

function continues(thread: Thread, t: Transition): boolean {
  if (thread.isOver || t.epoch !== thread.epoch || t.episode !== thread.episode) return false;
  if (t.seq !== thread.seq + 1 || t.step !== thread.step + 1) return false;
  return t.observation.every((value, i) => value === thread.nextObservation[i]);
}
