export { importRobot } from './import-robot.ts';
export type { FilePlace, ImportedJoint, ImportedRobot, NamedFrame } from './imported-robot.ts';
export { fixJoints } from './refusals.ts';
