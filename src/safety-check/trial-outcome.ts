/** What one trial saw, as plain data: it crosses threads. */
import { STAGES } from '../safety/index.ts';
import { ARM_KINDS, type Trace, type TrialName } from './result.ts';
import type { ArmCounts } from './witness/arm-witness.ts';
import type { StopSample } from './witness/stop-watch.ts';
import { addCount, type Distances, type Witness } from './witness/witness.ts';

/** Energy that an integration of the motion may seem to make, J, and as a share of what moves. */
const ENERGY_ROUNDING_J = 2e-3;
const ENERGY_ROUNDING_SHARE = 2e-3;

export interface TrialOutcome {
  readonly name: TrialName;
  ticks: number;
  changedTicks: number;
  violatedTicks: number;
  /** Ticks without a valid command, and first commands that were too far. */
  idleTicks: number;
  farStarts: number;
  counts: Witness['counts'];
  readonly arm: ArmCounts;
  /** Ticks in which each stage changed what was asked, in the order of `STAGES`. */
  readonly stageTicks: number[];
  least: Distances;
  marginMin: number;
  surplusMaxJ: number;
  tankMinJ: number;
  injectedJ: number;
  creditedJ: number;
  peakKineticJ: number;
  peakForceN: number;
  plantFailures: number;
  simulatedS: number;
  readonly stops: StopSample[];
  readonly trace: Trace;
}

/** Energy that nobody paid for may reach this before it is a violation, J. */
export function energyToleranceJ(peakKineticJ: number): number {
  return ENERGY_ROUNDING_J + ENERGY_ROUNDING_SHARE * peakKineticJ;
}

export function createOutcome(
  name: TrialName,
  witness: Witness,
  arm: ArmCounts,
  stops: StopSample[],
  trace: Trace,
): TrialOutcome {
  const stageTicks = STAGES.map(() => 0);
  const { counts, least } = witness;
  const none = { ticks: 0, changedTicks: 0, violatedTicks: 0, idleTicks: 0, farStarts: 0, plantFailures: 0 };
  const energy = { surplusMaxJ: Number.NEGATIVE_INFINITY, tankMinJ: Number.POSITIVE_INFINITY };
  const sums = { injectedJ: 0, creditedJ: 0, peakKineticJ: 0, peakForceN: 0, simulatedS: 0 };
  return {
    name,
    ...none,
    ...energy,
    ...sums,
    counts,
    arm,
    stageTicks,
    least,
    marginMin: Number.POSITIVE_INFINITY,
    stops,
    trace,
  };
}

/** Two attempts as one trial, with the trace of the one that came nearer to harm. */
export function merged(a: TrialOutcome, b: TrialOutcome): TrialOutcome {
  for (const kind of Object.keys(a.counts) as (keyof Witness['counts'])[]) addCount(a.counts[kind], b.counts[kind]);
  for (const kind of ARM_KINDS) addCount(a.arm[kind], b.arm[kind]);
  for (const [i, ticks] of b.stageTicks.entries()) a.stageTicks[i]! += ticks;
  for (const key of Object.keys(a.least) as (keyof Distances)[]) a.least[key] = Math.min(a.least[key], b.least[key]);
  return {
    ...a,
    ticks: a.ticks + b.ticks,
    changedTicks: a.changedTicks + b.changedTicks,
    violatedTicks: a.violatedTicks + b.violatedTicks,
    idleTicks: a.idleTicks + b.idleTicks,
    farStarts: a.farStarts + b.farStarts,
    marginMin: Math.min(a.marginMin, b.marginMin),
    surplusMaxJ: Math.max(a.surplusMaxJ, b.surplusMaxJ),
    tankMinJ: Math.min(a.tankMinJ, b.tankMinJ),
    injectedJ: a.injectedJ + b.injectedJ,
    creditedJ: a.creditedJ + b.creditedJ,
    peakKineticJ: Math.max(a.peakKineticJ, b.peakKineticJ),
    peakForceN: Math.max(a.peakForceN, b.peakForceN),
    plantFailures: a.plantFailures + b.plantFailures,
    simulatedS: a.simulatedS + b.simulatedS,
    trace: b.marginMin < a.marginMin ? b.trace : a.trace,
  };
}
