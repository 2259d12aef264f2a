/** Energy costs of a robot's commands: the springs between its set-points and its body. */
import type { RobotModel, TankModel } from '../../model/index.ts';

/** Indices into `JointPort.costJ`. The port passes numbers to the tank in an array: see `TickTimes`. */
export const INJECTED = 0;
export const BOOKED = 1;
export const WITH_BRAKE = 2;
export const BOOKED_WITH_BRAKE = 3;
export const DISSIPATED = 4;
export const RELEASED = 5;
export const COSTS = 6;

/** Returns the tank of `model`. Throws `RangeError` if it has none. */
export function tankOf({ name, tank }: RobotModel): TankModel {
  if (tank === undefined) throw new RangeError(`${name} has no energy tank`);
  return tank;
}
