/** Driver contract, and drivers that need no simulator. */
export { bound } from './bound-driver.ts';
export {
  createDriverReport,
  type Driver,
  type DriverBus,
  type DriverFacts,
  type DriverReport,
  type DriverService,
  type DriverStatus,
  type Scene,
  type ServiceAnswer,
} from './driver.ts';
export { DRIVER_OPEN_LIMIT_MS, type DriverConfig, type DriverSpec } from './driver-kind.ts';
export { MockDriver } from './mock/mock-driver.ts';
export { isMujoco } from './mujoco/options.ts';
export type { DriverPlugin, DriverPluginContext } from './plugin.ts';
export {
  createDriver,
  driverKind,
  driverSchema,
  driverSpecSchema,
  modelOf,
  signalsOf,
  simulatedDriver,
  worldOf,
} from './registry.ts';
export { type CommandLaw, createCommandLaw, createStopLaw, type StopLaw } from './ros/command-law.ts';
export {
  COMMAND_INTERFACES,
  type CommandInterface,
  commandSize,
  DISTANCE_SIGNAL,
  holdsPosition,
  isRos,
  type RosDriverOptions,
  rosOptions,
} from './ros/options.ts';
export {
  COMMAND,
  COMMAND_KIND,
  commandNumbers,
  PULSE,
  PULSE_KIND,
  ROS_CONDITION,
  ROS_FOLDER_PREFIX,
  ROS_MESSAGE,
  type RosAnswer,
  type RosLink,
  type RosProcessConfig,
  type RosRequest,
  STATE,
  stateLayout,
  stateNumbers,
  TO_GUARD_FD,
} from './ros/protocol.ts';
