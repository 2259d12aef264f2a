/** Measures servos, encoders and links of an arm for its torque observer. */
export { type Identification, identifyArm } from './identify-arm.ts';
export { identifyRobot } from './identify-robot.ts';
export { observerYaml } from './observer-yaml.ts';
export { openSimulatedArm } from './open-arm.ts';
export type { Sensitivity } from './sensitivity.ts';
export { judge, type VerdictRow } from './verdict.ts';
