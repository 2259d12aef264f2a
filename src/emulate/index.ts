/** Emulated devices on emulated lines: bytes, time, faults and bodies as real ones have, without hardware. */
export type { EmulatedBody } from './bodies/body.ts';
export { HeldBody } from './bodies/held-body.ts';
export { type EmulatedScene, MujocoBody } from './bodies/mujoco-body.ts';
export { SimpleBody } from './bodies/simple-body.ts';
export type { EmulatedBus } from './device.ts';
export { Emulator } from './emulator.ts';
export { applyFault, FAULT_COMMANDS } from './faults.ts';
export { FaultyDevice } from './faulty-device.ts';
export { FeetechBus } from './feetech/feetech-bus.ts';
export { FeetechServo } from './feetech/feetech-servo.ts';
export { EMULATOR_KINDS, type EmulatorKind } from './kinds.ts';
export { MemoryLine } from './memory-line.ts';
export { carBody } from './vesc/car.ts';
export { VescBus, type VescBusOptions } from './vesc/vesc-bus.ts';
