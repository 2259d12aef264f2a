/** Report of one tick of the chain, for frames, transitions and display. */
import type { Decider } from '../rows/index.ts';

/**
 * Stages of the chain, in order, except that new ones are appended, as their positions are on the wire: `toolSpeed`
 * runs between `barrier` and `tank`. The arbiter comes before them, the driver's encoder check after them.
 */
export const STAGES = [
  'sanitize',
  'actionMap',
  'startGuard',
  'limiter',
  'brakeBound',
  'barrier',
  'tank',
  'shield',
  'toolSpeed',
] as const;
export type StageName = (typeof STAGES)[number];

/** Index of each stage in `STAGES`. */
export const STAGE: Readonly<Record<StageName, number>> = {
  sanitize: 0,
  actionMap: 1,
  startGuard: 2,
  limiter: 3,
  brakeBound: 4,
  barrier: 5,
  tank: 6,
  shield: 7,
  toolSpeed: 8,
};

/** Report of one stage for one tick. Reused. */
export interface StageReport {
  /** True if the stage changed the command; equivalent to bits ≠ 0. */
  changed: boolean;
  /** The stage's reasons, as in `SAFETY_BITS`. */
  bits: number;
  /** Remaining margin as a share: 1 is far away, 0 at the limit; 1 where the stage guards no quantity. */
  margin: number;
}

/** Report of one tick. Reused: copy to keep. */
export interface ChainReport {
  /** True if any stage changed the command; equivalent to bits ≠ 0. */
  changed: boolean;
  /** Reasons of all stages, as in `SAFETY_BITS`. */
  bits: number;
  /** One entry per stage, in the order of `STAGES`. */
  readonly stages: readonly StageReport[];
  /** True if a command was followed; false: braking or holding. */
  isFollowing: boolean;
  /** Decider being followed; `hold` for none. */
  decider: Decider;
  /** `seq` of the command that was followed, −1 for none. */
  commandSeq: number;
  /** True after three non-finite commands within a second; cleared by the next seed. */
  isStopLatched: boolean;
  /** Distance of the reference's tool point to the nearest wall of the workspace, m; negative outside. */
  wallMarginM: number;
  /** Smallest distance of a reference joint to its limit less the margin, rad; negative outside. */
  jointMarginRad: number;
  /** Smallest of all monitored distances of the reference (points to walls, capsules to boxes and to each other), m. */
  clearanceM: number;
  /** Smallest of all margins as a share: 1 in the middle, 0 at a limit. */
  marginMin: number;
  /** Content of the energy tank after this tick, J; 0 without a tank. */
  tankEnergyJ: number;
  /** Share of the wanted motion that the tank paid for: 1 where it did not act. */
  tankScale: number;
  /** Energy that this tick's change of the set-point put into the robot's springs, J; negative where it released some. */
  tankInjectedJ: number;
  /** Energy provably dissipated by the dampers since the last tick and credited, plus energy topped up, J. */
  tankCreditedJ: number;
  /** Energy topped up, J: credited without having been dissipated. */
  tankToppedUpJ: number;
}

export function createChainReport(): ChainReport {
  return {
    changed: false,
    bits: 0,
    stages: STAGES.map(() => ({ changed: false, bits: 0, margin: 1 })),
    isFollowing: false,
    decider: 'hold',
    commandSeq: -1,
    isStopLatched: false,
    wallMarginM: 0,
    jointMarginRad: 0,
    clearanceM: 0,
    marginMin: 0,
    tankEnergyJ: 0,
    tankScale: 1,
    tankInjectedJ: 0,
    tankCreditedJ: 0,
    tankToppedUpJ: 0,
  };
}
