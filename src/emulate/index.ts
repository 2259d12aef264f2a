/** Emulated devices on emulated lines: bytes, time, faults and bodies as real ones have, without hardware. */
export { BodyClock, type EmulatedBody } from './bodies/body.ts';
export { Motor, type MotorSpec } from './bodies/motor.ts';
export { SimpleBody, type SimpleJoint } from './bodies/simple-body.ts';
export type { EmulatedDevice, Transmit } from './device.ts';
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
export { FaultyDevice, type PacketShape } from './faulty-device.ts';
export { MemoryLine, type MemoryLineOptions, misheard, WaitedClock } from './memory-line.ts';
export { RegisterFile, type RegisterFileOptions } from './registers.ts';
export { PortLink, PseudoTerminal } from './terminal/pseudo-terminal.ts';
export { TerminalServer, type TerminalServerOptions } from './terminal/terminal-server.ts';
export { Wire, type WireOptions } from './wire.ts';
