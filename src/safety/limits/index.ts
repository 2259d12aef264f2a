export { brakeStep, writeBrakePath, writeBrakeRate } from './brake.ts';
export { BrakeBound, JointBrakeBound } from './brake-bound.ts';
export { Limiter } from './limiter.ts';
export { slowDown } from './slow-down.ts';
export { type BoxFit, fitIntoBox } from './velocity-box.ts';
