export { ArmSimulator } from './arm-simulator.ts';
export { SimulatedArm } from './simulated-arm.ts';
