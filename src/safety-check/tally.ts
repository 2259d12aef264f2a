/** Counters of trials, as plain data that crosses threads: of one trial, and summed over any number. */
import { STAGES } from '../safety/chain-report.ts';
import { ARM_KINDS, type ArmKind, VIOLATION_KINDS, type ViolationKind } from './result.ts';

/** Ticks and worst amounts of one kind. */
export interface KindCount {
  count: number;
  worst: number;
}

export type Counts<K extends string> = Readonly<Record<K, KindCount>>;

/** The same for the simulated arm, with the worst moment. */
export interface ArmCount extends KindCount {
  /** Tick of the trial, from 1; 0 where it never was. */
  worstTick: number;
  /** Index of the joint that was worst; −1 where the arm as a whole was. */
  worstJoint: number;
}

/** Returns zero counts for all `kinds`. */
export function createCounts<K extends string>(kinds: readonly K[]): Counts<K> {
  return Object.fromEntries(kinds.map((kind) => [kind, { count: 0, worst: 0 }])) as Record<K, KindCount>;
}

export function createArmCounts(): Readonly<Record<ArmKind, ArmCount>> {
  const none = (): ArmCount => ({ count: 0, worst: 0, worstTick: 0, worstJoint: -1 });
  return Object.fromEntries(ARM_KINDS.map((kind) => [kind, none()])) as Record<ArmKind, ArmCount>;
}

/** Counts one more tick, with the given amount. Tick-safe. */
export function countOne(kind: KindCount, amount: number): void {
  kind.count++;
  if (amount > kind.worst) kind.worst = amount;
}

/** Smallest distances so far; Infinity where the robot has no such limit. */
export interface Distances {
  jointRad: number;
  workspaceM: number;
  fenceM: number;
  selfM: number;
  keepOutM: number;
  /** MuJoCo's own shapes at the reference's pose, and of the simulated robot. */
  shapesM: number;
  plantM: number;
}

export function createDistances(): Distances {
  const far = Number.POSITIVE_INFINITY;
  return { jointRad: far, workspaceM: far, fenceM: far, selfM: far, keepOutM: far, shapesM: far, plantM: far };
}

const SUMS = {
  ticks: 0,
  changedTicks: 0,
  violatedTicks: 0,
  plantFailures: 0,
  simulatedS: 0,
  /** Ticks without a valid command, and first commands that were too far. */
  idleTicks: 0,
  farStarts: 0,
  injectedJ: 0,
  creditedJ: 0,
};
const LEAST = { marginMin: Number.POSITIVE_INFINITY, tankMinJ: Number.POSITIVE_INFINITY };
const MOST = { surplusMaxJ: Number.NEGATIVE_INFINITY, peakKineticJ: 0, peakForceN: 0 };

export type Tally = typeof SUMS &
  typeof LEAST &
  typeof MOST & {
    readonly counts: Counts<ViolationKind>;
    readonly arm: Readonly<Record<ArmKind, ArmCount>>;
    /** Ticks in which each stage changed a request, in the order of `STAGES`. */
    readonly stageTicks: number[];
    readonly least: Distances;
  };

export function createTally(): Tally {
  return {
    ...SUMS,
    ...LEAST,
    ...MOST,
    counts: createCounts(VIOLATION_KINDS),
    arm: createArmCounts(),
    stageTicks: STAGES.map(() => 0),
    least: createDistances(),
  };
}

/** Sums `tallies`, in order. */
export function sumOf(tallies: readonly Tally[]): Tally {
  const sum = createTally();
  for (const each of tallies) addTally(sum, each);
  return sum;
}

/** Adds `more` to `sum`. */
export function addTally(sum: Tally, more: Tally): void {
  // Before the ticks: those of `more` come after the ones of `sum`.
  for (const kind of ARM_KINDS) addArmCount(sum.arm[kind], more.arm[kind], sum.ticks);
  for (const key of keysOf(SUMS)) sum[key] += more[key];
  for (const key of keysOf(LEAST)) sum[key] = Math.min(sum[key], more[key]);
  for (const key of keysOf(MOST)) sum[key] = Math.max(sum[key], more[key]);
  for (const key of keysOf(sum.least)) sum.least[key] = Math.min(sum.least[key], more.least[key]);
  for (const [i, ticks] of more.stageTicks.entries()) sum.stageTicks[i]! += ticks;
  for (const kind of VIOLATION_KINDS) addCount(sum.counts[kind], more.counts[kind]);
}

function addCount(sum: KindCount, more: KindCount): void {
  sum.count += more.count;
  sum.worst = Math.max(sum.worst, more.worst);
}

function addArmCount(sum: ArmCount, more: ArmCount, ticksBefore: number): void {
  if (more.worst > sum.worst) {
    sum.worstTick = ticksBefore + more.worstTick;
    sum.worstJoint = more.worstJoint;
  }
  addCount(sum, more);
}

function keysOf<T extends object>(of: T): (keyof T)[] {
  return Object.keys(of) as (keyof T)[];
}
