/** Emulated devices on emulated lines: bytes, time, faults and bodies as real ones have, without hardware. */
export { BodyClock, type EmulatedBody } from './bodies/body.ts';
export { HeldBody, type PlaceableBody } from './bodies/held-body.ts';
export { Motor, type MotorSpec } from './bodies/motor.ts';
export { type EmulatedScene, MujocoBody, type MujocoBodyOptions } from './bodies/mujoco-body.ts';
export { SimpleBody, type SimpleJoint } from './bodies/simple-body.ts';
export type { BusCounts, DeviceState, EmulatedBus, EmulatedDevice, PacketShape, Transmit } from './device.ts';
export { type MountedServo, mountedServos } from './emulated-arm.ts';
export { Emulator, type EmulatorOptions } from './emulator.ts';
export {
  applyFault,
  FAULT_COMMANDS,
  type FaultTarget,
  LINE_FAULTS,
  type LineFault,
  noServoFaults,
  type PacketFault,
  type ServoFaults,
} from './faults.ts';
export { FaultyDevice } from './faulty-device.ts';
export { FeetechBus } from './feetech/feetech-bus.ts';
export { FeetechServo, type FeetechServoSpec } from './feetech/feetech-servo.ts';
export { type BusRequest, EMULATOR_KINDS, type EmulatorKind } from './kinds.ts';
export { MemoryLine, type MemoryLineOptions, misheard, WaitedClock } from './memory-line.ts';
export { RegisterFile, type RegisterFileOptions } from './registers.ts';
export { PortLink, PseudoTerminal } from './terminal/pseudo-terminal.ts';
export { TerminalServer, type TerminalServerOptions } from './terminal/terminal-server.ts';
export { Wire, type WireOptions } from './wire.ts';
