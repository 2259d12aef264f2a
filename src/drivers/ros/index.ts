export { type CommandLaw, createCommandLaw, createStopLaw, type LawInput, type StopLaw } from './command-law.ts';
export {
  COMMAND_INTERFACES,
  type CommandInterface,
  commandSize,
  type RosCommandOptions,
  type RosDriverOptions,
  type RosSignalOptions,
} from './options.ts';
export { ROS_FOLDER_PREFIX, ROS_MESSAGE, type RosProcessConfig, TO_GUARD_FD } from './protocol.ts';
export { RosDriver } from './ros-driver.ts';
export type { RosAnswer, RosLink, RosRequest } from './ros-link.ts';
export {
  COMMAND,
  COMMAND_KIND,
  commandNumbers,
  PULSE,
  PULSE_KIND,
  STATE,
  type StateLayout,
  stateLayout,
  stateNumbers,
} from './rows.ts';
