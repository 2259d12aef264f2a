/** Identification of an arm: its servos, its encoders, its links, and the limits of its torque observer. */
export { type Identification, identifyArm, STANDING_S } from './identify-arm.ts';
export { observerYaml } from './observer-yaml.ts';
export { type OpenArm, openSimulatedArm } from './open-arm.ts';
export { judge, shown, type VerdictRow } from './verdict.ts';
