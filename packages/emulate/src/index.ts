/** Emulated devices on emulated lines: bytes, timing, faults and bodies as in real ones, without hardware. */
export type { EmulatedBody } from './bodies/body.ts';
export { HeldBody } from './bodies/held-body.ts';
export { type EmulatedScene, MujocoBody } from './bodies/mujoco-body.ts';
export { SimpleBody } from './bodies/simple-body.ts';
export { Emulator } from './emulator.ts';
export { applyFault, FAULT_COMMANDS } from './faults.ts';
export { FeetechBus } from './feetech/feetech-bus.ts';
export { type EmulatorKind, emulatorKind } from './kinds.ts';
export { CarBody } from './vesc/car.ts';
