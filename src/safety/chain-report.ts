/** What one tick of the chain did, for the frame, the transition and people. */
import type { Decider } from '../core/index.ts';

/**
 * The stages inside the chain, in order; a later one stands at the end, as their places are on the wire: `toolSpeed` comes between
 * `barrier` and `tank`. The arbiter comes before them, the driver's encoder check after them.
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

/** The place of each stage in `STAGES`. */
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

/** What one stage did in one tick. Reused. */
export interface StageReport {
  /** It changed the command; the same as bits ≠ 0. */
  changed: boolean;
  /** Its reasons, as in `SAFETY_BITS`. */
  bits: number;
  /** Room left to what it guards, as a share: 1 is far away, 0 at the limit; 1 where it guards no quantity. */
  margin: number;
}

/** What one tick did. Reused: copy what you keep. */
export interface ChainReport {
  /** A stage changed the command; the same as bits ≠ 0. */
  changed: boolean;
  /** Reasons of all stages, as in `SAFETY_BITS`. */
  bits: number;
  /** One for each of `STAGES`, in their order. */
  readonly stages: readonly StageReport[];
  /** A command was followed; false: braking or holding. */
  isFollowing: boolean;
  /** Who is followed; `hold` for nobody. */
  decider: Decider;
  /** `seq` of the command that was followed, −1 for none. */
  commandSeq: number;
  /** Three non-finite commands came within a second; stays until the next seed. */
  isStopLatched: boolean;
  /** Distance of the reference's tool point to the nearest wall of the workspace, m; negative outside. */
  wallMarginM: number;
  /** Smallest distance of a reference joint to its limit less the margin, rad; negative outside. */
  jointMarginRad: number;
  /** Smallest of all monitored distances of the reference (points to walls, capsules to boxes and to each other), m. */
  clearanceM: number;
  /** The smallest of all margins as a share: 1 in the middle, 0 at a limit. */
  marginMin: number;
  /** Content of the energy tank after this tick, J; 0 without a tank. */
  tankEnergyJ: number;
  /** Share of the wanted motion that the tank paid for: 1 where it did not act. */
  tankScale: number;
  /** Energy that this tick's change of the set-point put into the robot's springs, J; negative where it took some out. */
  tankInjectedJ: number;
  /** Energy that the dampers provably took out since the last tick and that was credited, and what was topped up, J. */
  tankCreditedJ: number;
  /** Energy that was topped up, J: what nobody took out of the robot. */
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
