/** Serial buses: exports for commissioning robots, and for emulators. */
export { dynamixelFamily } from './dynamixel/dynamixel-family.ts';
export {
  DYNAMIXEL_BAUDS,
  DYNAMIXEL_MODELS,
  DYNAMIXEL_NEWEST_FIRMWARE,
  type DynamixelModel,
  dynamixelWithFirmware,
  HARDWARE_ERROR,
  hardwareErrorNames,
} from './dynamixel/models.ts';
export * as dynamixel from './dynamixel/packet.ts';
export { DynamixelReader } from './dynamixel/reader.ts';
export { feetechFamily } from './feetech/feetech-family.ts';
export { FEETECH_BAUDS, FEETECH_MODELS } from './feetech/models.ts';
export * as feetech from './feetech/protocol.ts';
export { adapterOf, adapterText, isSocket, serialNumberOf, socketLinkOf } from './serial/adapter.ts';
export {
  DescriptorLine,
  type LineSettings,
  type LineStatus,
  type LineWarning,
  type SerialLine,
} from './serial/line.ts';
export {
  listSerialPorts,
  type PortRights,
  type PortUser,
  permissionRemedy,
  RULES_FILE,
  rightsOf,
  type SerialPortInfo,
  usersOf,
} from './serial/list-ports.ts';
export { type HeldPort, holdPort, latencyTimerMs } from './serial/port.ts';
export { WRITE_STATES, type WriteRule, type WriteState } from './serial/write-rule.ts';
export {
  type Calibration,
  calibrationPath,
  calibrationText,
  checkAdapter,
  type JointCalibration,
  loadCalibration,
  readCalibration,
} from './servo/calibration.ts';
export { errorCure, type SupplyRead, supplyCure } from './servo/error-cures.ts';
export {
  countsPerUnit,
  type Motor,
  mendingCommand,
  type ServoFamily,
  type ServoIdentity,
  type SetupProblem,
  shadowsOf,
  storedDirectionOf,
  turnsProblem,
  unknownTable,
} from './servo/family.ts';
export { isEncoder, type ServoDriverOptions } from './servo/options.ts';
export {
  type Register,
  rangeOf,
  readRegister,
  type ServoModel,
  type ServoProtocol,
  writeRegister,
} from './servo/protocol.ts';
export { countsProblem } from './servo/readable.ts';
export { ServoBus } from './servo/servo-bus.ts';
export type { ServoConfig } from './servo/servo-kind.ts';
export { ServoRegisters } from './servo/servo-registers.ts';
export { TORQUE_LEFT_REMEDY } from './servo/servo-setup.ts';
export { type BrokenRule, brokenRules } from './servo/stored-rules.ts';
export { faultCure } from './vesc/fault-cures.ts';
export { countsPerM, erpmPerMPerS, type VescConfig } from './vesc/options.ts';
export * as vesc from './vesc/protocol.ts';
export { VescReader } from './vesc/reader.ts';
export * as vescValues from './vesc/values.ts';
export { VescLink } from './vesc/vesc-link.ts';
export { VESC_WRITES } from './vesc/writes.ts';
