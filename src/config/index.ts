/** From YAML to one resolved configuration, checked once; the objects it describes are built by `setup.ts`, a separate entry point. */
export { loadLearnerFile } from './learner-file.ts';
export {
  type Fact,
  farthest,
  isOwnLimits,
  type JointFacts,
  LIMIT_KEYS,
  noLimits,
  type OwnLimits,
  readOwnLimits,
} from './limits/own-limits.ts';
export { type RosLimits, readRosLimits } from './limits/ros-limits.ts';
export { configNames, shownPath } from './names.ts';
export { orderProblem } from './order-checks.ts';
export { modulesOf } from './paths.ts';
export { editorSchemas } from './reference.ts';
export { type Override, resolveConfig } from './resolve.ts';
export { loadResolvedConfig, resolvedConfigText } from './resolved-file.ts';
export { checkRobot } from './robot-checks.ts';
export { loadRobotFile, type RobotFile } from './robot-file.ts';
export type { JointLimits, LimitsConfig } from './schema/limits.ts';
export type { ResolvedConfig } from './schema/resolved.ts';
export type { RobotConfig } from './schema/robot.ts';
export type {
  EnvironmentStudy,
  OrderCheck,
  ReachesCheck,
  RobotStudy,
  StudyCheck,
  StudyConfig,
  StudyMeasure,
  StudyPart,
} from './schema/study.ts';
export { neededSpeed } from './task-checks.ts';
export { type Place, type Problem, problemsError } from './text/place.ts';
export { parseRawYaml, type RawYaml, readRawYaml } from './text/raw-yaml.ts';
export { packageVersions } from './versions.ts';
