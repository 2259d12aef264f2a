/** Measures servos, encoders and links of an arm for its torque observer. */
export type { Identification } from './evaluate.ts';
export { identifyArm } from './identify-arm.ts';
export { identifyRobot } from './identify-robot.ts';
export { openSimulatedArm } from './open-arm.ts';
export type { Sensitivity } from './sensitivity.ts';
export { judge, observerYaml, type VerdictRow } from './verdict.ts';
