/** How long a robot may go on after something went wrong, and how far: what tests hold every robot to. */
import type { RobotModel } from '../../src/model/index.ts';
import { brakeS as longestBrakeS } from '../../src/safety-check/witness/stop-watch.ts';

/** What a reference takes at most to the servos and a measurement from them, s. */
const BUS_S = 0.005;

/** The worst case from the cause to standstill. */
export interface ReactionBound {
  /** Until it is seen: what is believed until then, a command's lease, s. */
  readonly detectionS: number;
  /** One control period until the tick that acts, and one in which it began to brake, s. */
  readonly tickS: number;
  readonly busS: number;
  /** From the highest speed to rest at the acceleration limits: max_i v_i/A_i, s. */
  readonly brakeS: number;
  /** All of them, s. */
  readonly totalS: number;
  /** [n] how far each joint's reference goes until then, rad or m: (v_i · (total − brake) + v_i · brake/2). */
  readonly distance: readonly number[];
}

/**
 * The bound for `model` where a fault is seen `leaseS` ≥ 0 after its cause at the latest. All joints brake by one common factor,
 * so each goes on for as long as the slowest: half of v_i · brake. Throws `RangeError` for a lease that is negative or no number.
 */
export function reactionBound(model: RobotModel, leaseS: number): ReactionBound {
  if (!(leaseS >= 0)) throw new RangeError(`leaseS must be ≥ 0, got ${leaseS}`);
  const tickS = 2 / model.controlHz;
  const brakeS = longestBrakeS(model);
  const totalS = leaseS + tickS + BUS_S + brakeS;
  const distance = model.joints.map(({ velocityMaxRadPerS }) => velocityMaxRadPerS * (totalS - brakeS / 2));
  return { detectionS: leaseS, tickS, busS: BUS_S, brakeS, totalS, distance };
}
