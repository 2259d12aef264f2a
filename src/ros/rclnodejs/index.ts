export {
  type EnvironmentCheck,
  NEEDED_INTERFACES,
  type RosEnvironment,
  remedyFor,
  rosEnvironment,
} from './environment.ts';
export { generatedPackages, interfacePackages, STAMP_FILE, stampText, unseenPackages } from './installation.ts';
export { type EnvironmentProbe, findPackage, machineProbe } from './probe.ts';
export { openRosPort } from './rclnodejs-port.ts';
