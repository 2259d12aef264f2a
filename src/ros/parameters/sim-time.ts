/** The parameter that every node has. */
import { ReinError } from '../../core/index.ts';
import type { ParameterDeclaration } from '../port/ros-port.ts';
import type { GivenValue } from './scalars.ts';

/** Fixed at the start: to follow another clock later, the binding would have to subscribe while it spins. */
export const USE_SIM_TIME: ParameterDeclaration = {
  name: 'use_sim_time',
  type: 'bool',
  default: false,
  description: 'Take ROS time from /clock instead of this computer.',
  isReadOnly: true,
};

/** Whether it was given as true. Throws `ReinError('config', …)` for anything but true and false. */
export function usesSimTime(given: ReadonlyMap<string, GivenValue>): boolean {
  const value = given.get(USE_SIM_TIME.name);
  if (value === undefined) return false;
  if (typeof value.value !== 'boolean')
    throw new ReinError(
      'config',
      `${value.from}use_sim_time is ${JSON.stringify(value.value)}, it must be true or false`,
    );
  return value.value;
}
