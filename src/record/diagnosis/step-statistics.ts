/** Accumulates the steps of a run into statistics of blocks. */
import { clamp } from '../../model/index.ts';
import { isIntervention, type Transition } from '../../rows/index.ts';
import { FEW_REWARDS, type RewardCount, type StepFigures } from './step-figures.ts';

/** State elements that are examined; larger states are examined in part. */
const MOST_NUMBERS = 128;
/** Magnitude from which a requested action element counts as saturated. */
const AT_END = 0.9;
/** Motion was requested if an action element was at least this large; the robot moved if it executed at least this share. */
const ASKED = 0.1;
const MOVED_SHARE = 0.05;
/** Episodes decided within this number of steps ended before anything was done. */
const AT_ONCE_STEPS = 2;
/** Steps after which an element's range is known well enough to tell jumps from moves, both as shares of it. */
const RANGE_STEPS = 100;
const JUMP_SHARE = 0.5;
const SMOOTH_SHARE = 0.1;

export interface StepStatisticsOptions {
  /** Number of state elements, which come first in the observation. */
  readonly stateSize: number;
  readonly actionSize: number;
  /** Time limit of an episode, steps. */
  readonly maxSteps: number;
}

/** Memory is fixed by the sizes; `add` allocates only for a new reward value. */
export class StepStatistics {
  readonly #options: StepStatisticsOptions;
  readonly #size: number;
  readonly #least: Float64Array;
  readonly #most: Float64Array;
  /** State of the previous step of the same episode. */
  readonly #before: Float64Array;
  #seen = 0;
  /** Reward values of the run, counted while few; the least; whether any was above zero; and whether the present episode has paid. */
  readonly #rewards: Map<number, number> = new Map();
  #leastReward = Number.POSITIVE_INFINITY;
  #isAnyAboveZero = false;
  #isPaid = false;
  #isHelped = false;
  #dryEpisodes = 0;
  #drySteps = 0;
  #version: number | undefined;
  #stepsOfVersion = 0;
  #block: Block;

  constructor(options: StepStatisticsOptions) {
    this.#options = options;
    this.#size = Math.min(options.stateSize, MOST_NUMBERS);
    this.#least = new Float64Array(this.#size).fill(Number.POSITIVE_INFINITY);
    this.#most = new Float64Array(this.#size).fill(Number.NEGATIVE_INFINITY);
    this.#before = new Float64Array(this.#size);
    this.#block = new Block(this.#size, options.actionSize);
  }

  /** Number of steps in the present block. */
  get steps(): number {
    return this.#block.steps;
  }

  /** Adds the next step; what is kept of it is copied. */
  add(t: Transition): void {
    const block = this.#block;
    block.steps++;
    this.#reward(t);
    this.#action(t);
    this.#observe(t);
    if (t.terminated || t.truncated) this.#end(t);
  }

  /** Statistics of the present block so far. The caller owns the result. */
  figures(): StepFigures {
    const block = this.#block;
    return {
      steps: block.steps,
      policySteps: block.policySteps,
      ends: { ...block.ends },
      reward: {
        sum: block.rewardSum,
        least: block.leastReward,
        most: block.mostReward,
        values: countsOf(block.rewards),
        firstValues: countsOf(block.firstRewards),
      },
      dryEpisodes: this.#dryEpisodes,
      drySteps: this.#drySteps,
      atLow: Array.from(block.atLow),
      atHigh: Array.from(block.atHigh),
      changed: rounded(block.changed),
      standing: block.standing,
      askedSquares: rounded(block.askedSquares),
      askedExecuted: rounded(block.askedExecuted),
      policyVersion: this.#version ?? 0,
      versionChanges: block.versionChanges,
      stepsOfVersion: this.#stepsOfVersion,
      untrainedSteps: block.untrainedSteps,
      frozen: block.frozen,
      observation: {
        sum: Array.from(block.sum, rounded),
        squares: Array.from(block.squares, rounded),
        same: Array.from(block.same),
        smooth: Array.from(block.smooth),
        glitches: Array.from(block.glitches),
      },
    };
  }

  /** Returns the present block and begins the next. */
  take(): StepFigures {
    const figures = this.figures();
    this.#block = new Block(this.#size, this.#options.actionSize);
    return figures;
  }

  #reward({ reward, step }: Transition): void {
    const block = this.#block;
    block.rewardSum += reward;
    block.leastReward = Math.min(block.leastReward, reward);
    block.mostReward = Math.max(block.mostReward, reward);
    count(block.rewards, reward);
    if (step === 0) {
      count(block.firstRewards, reward);
      this.#isPaid = false;
      this.#isHelped = false;
    }
    this.#leastReward = Math.min(this.#leastReward, reward);
    this.#isAnyAboveZero ||= reward > 0;
    count(this.#rewards, reward);
    // With few values, some of them positive, a reward of 0 beside a penalty does not pay.
    const isSparse = this.#isAnyAboveZero && this.#rewards.size <= FEW_REWARDS;
    const pays = reward > 0 || (reward > this.#leastReward && !isSparse);
    this.#drySteps = pays ? 0 : this.#drySteps + 1;
    this.#isPaid ||= pays;
  }

  #action(t: Transition): void {
    const block = this.#block;
    block.changed += t.cost;
    const isHuman = isIntervention(t.source) || t.source === 'demo';
    const asked = isHuman && t.source !== 'demo' ? t.humanAction : t.policyAction;
    let [wanted, done] = [0, 0];
    for (let i = 0; i < t.executed.length; i++) {
      const [ask, executed] = [clamp(asked[i]!, -1, 1), t.executed[i]!];
      wanted = Math.max(wanted, Math.abs(ask));
      done = Math.max(done, Math.abs(executed));
      block.askedSquares += ask * ask;
      block.askedExecuted += ask * executed;
    }
    if (wanted > ASKED && done < MOVED_SHARE * wanted) block.standing++;
    if (isHuman) {
      this.#isHelped ||= t.source !== 'demo';
      return;
    }
    // A fixed base policy's steps say nothing about the learned one.
    if (t.isBasePhase) return;
    block.policySteps++;
    if (t.policyVersion === 0) block.untrainedSteps++;
    for (let i = 0; i < block.atLow.length; i++) {
      if (t.policyAction[i]! <= -AT_END) block.atLow[i]!++;
      else if (t.policyAction[i]! >= AT_END) block.atHigh[i]!++;
    }
    if (t.policyVersion !== this.#version) {
      if (this.#version !== undefined) block.versionChanges++;
      this.#version = t.policyVersion;
      this.#stepsOfVersion = 0;
    }
    this.#stepsOfVersion++;
  }

  #observe({ observation, nextObservation, step }: Transition): void {
    const block = this.#block;
    const knowsRange = this.#seen++ >= RANGE_STEPS;
    let isFrozen = this.#size > 0;
    for (let i = 0; i < this.#size; i++) {
      const value = observation[i]!;
      const next = nextObservation[i]!;
      const change = Math.abs(next - value);
      const before = step === 0 ? value : this.#before[i]!;
      const range = this.#most[i]! - this.#least[i]!;
      block.sum[i]! += value;
      block.squares[i]! += value * value;
      if (change === 0) block.same[i]!++;
      else isFrozen = false;
      if (change <= SMOOTH_SHARE * range) block.smooth[i]!++;
      const isAway = change > JUMP_SHARE * range && Math.abs(value - before) > JUMP_SHARE * range;
      if (knowsRange && isAway && Math.abs(next - before) <= SMOOTH_SHARE * range) block.glitches[i]!++;
      if (value < this.#least[i]!) this.#least[i] = value;
      if (value > this.#most[i]!) this.#most[i] = value;
      this.#before[i] = value;
    }
    if (isFrozen) block.frozen++;
  }

  #end(t: Transition): void {
    const { ends } = this.#block;
    const steps = t.step + 1;
    ends.ended++;
    if (this.#isHelped) ends.helped++;
    if (this.#isPaid) ends.paid++;
    this.#dryEpisodes = this.#isPaid ? 0 : this.#dryEpisodes + 1;
    if (t.terminated) {
      ends.decided++;
      if (steps <= AT_ONCE_STEPS) ends.atOnce++;
      ends.decidedSteps += steps;
      ends.longestDecided = Math.max(ends.longestDecided, steps);
    } else if (steps >= this.#options.maxSteps) ends.timeLimit++;
    else ends.cut++;
  }
}

/** Sums that `StepStatistics` adds to. */
class Block {
  steps = 0;
  policySteps = 0;
  readonly ends = {
    ended: 0,
    decided: 0,
    timeLimit: 0,
    cut: 0,
    helped: 0,
    paid: 0,
    atOnce: 0,
    decidedSteps: 0,
    longestDecided: 0,
  };
  rewardSum = 0;
  leastReward: number = Number.POSITIVE_INFINITY;
  mostReward: number = Number.NEGATIVE_INFINITY;
  readonly rewards: Map<number, number> = new Map();
  readonly firstRewards: Map<number, number> = new Map();
  readonly atLow: Float64Array;
  readonly atHigh: Float64Array;
  changed = 0;
  standing = 0;
  askedSquares = 0;
  askedExecuted = 0;
  versionChanges = 0;
  untrainedSteps = 0;
  frozen = 0;
  readonly sum: Float64Array;
  readonly squares: Float64Array;
  readonly same: Float64Array;
  readonly smooth: Float64Array;
  readonly glitches: Float64Array;

  constructor(stateSize: number, actionSize: number) {
    this.atLow = new Float64Array(actionSize);
    this.atHigh = new Float64Array(actionSize);
    this.sum = new Float64Array(stateSize);
    this.squares = new Float64Array(stateSize);
    this.same = new Float64Array(stateSize);
    this.smooth = new Float64Array(stateSize);
    this.glitches = new Float64Array(stateSize);
  }
}

/** Counts `reward`, unless there are already too many values. */
function count(counts: Map<number, number>, reward: number): void {
  const steps = counts.get(reward);
  if (steps !== undefined) counts.set(reward, steps + 1);
  else if (counts.size <= FEW_REWARDS) counts.set(reward, 1);
}

function countsOf(counts: ReadonlyMap<number, number>): readonly RewardCount[] | null {
  return counts.size > FEW_REWARDS ? null : [...counts];
}

/** Rounds to the precision of a line of metrics. */
export function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
