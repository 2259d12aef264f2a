export { type EnvironmentCheck, NEEDED_INTERFACES, type RosEnvironment, rosEnvironment } from './environment.ts';
export { STAMP_FILE, stampText } from './installation.ts';
export { findPackage, machineProbe } from './probe.ts';
export { openRosPort } from './rclnodejs-port.ts';
