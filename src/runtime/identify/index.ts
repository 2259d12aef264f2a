/** Identification of an arm: its servos, its encoders, its links, and the limits of its torque observer. */
export { type Identification, identifyArm } from './identify-arm.ts';
export { type IdentifyRobotRequest, identifyRobot } from './identify-robot.ts';
export { observerYaml } from './observer-yaml.ts';
export { openArm, openSimulatedArm } from './open-arm.ts';
export { identifyAction } from './path-follower.ts';
export { type LinkSensitivity, type Sensitivity, sensitivityOf } from './sensitivity.ts';
export { judge, shown, type VerdictRow } from './verdict.ts';
