/** Where a robot's commands put energy into it: the springs between its set-points and its body. */
import type { RobotModel, TankModel } from '../../core/index.ts';

/** Places in `JointPort.costJ`. Numbers go from the port to the tank in an array: `TickTimes` says why. */
export const INJECTED = 0;
export const BOOKED = 1;
export const WITH_BRAKE = 2;
export const BOOKED_WITH_BRAKE = 3;
export const DISSIPATED = 4;
export const RELEASED = 5;
export const COSTS = 6;

/** The tank of `model`. Throws `RangeError` where it has none. */
export function tankOf({ name, tank }: RobotModel): TankModel {
  if (tank === undefined) throw new RangeError(`${name} has no energy tank`);
  return tank;
}
