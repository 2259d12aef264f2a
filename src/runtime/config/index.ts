export { counted, unitOf } from './finding.ts';
export { type LearnerKeys, loadLearnerFile } from './learner-file.ts';
export {
  type Fact,
  isOwnLimits,
  type JointFacts,
  LIMIT_KEYS,
  type NamedFacts,
  noLimits,
  type OwnLimits,
  type RosLimits,
  readOwnLimits,
  readRosLimits,
} from './limits/index.ts';
export { type ConfigKind, configNames, shownPath } from './names.ts';
export { configReference, type EditorSchema, editorSchemas } from './reference.ts';
export { type ConfigRequest, type Override, resolveConfig } from './resolve.ts';
export { loadResolvedConfig, resolvedConfigText } from './resolved-file.ts';
export { checkRobot } from './robot-checks.ts';
export { loadRobotFile, type RobotFile } from './robot-file.ts';
export type {
  DriverConfig,
  EnvironmentStudy,
  EstimateConfig,
  HoleConfig,
  JointLimits,
  JudgedTaskConfig,
  LearnerSettings,
  LimitsConfig,
  OperatorConfig,
  OrderCheck,
  PegConfig,
  PegTaskConfig,
  ReachesCheck,
  ResolvedConfig,
  RobotConfig,
  RobotStudy,
  RosDriverConfig,
  RunOptions,
  StartConfig,
  StudyCheck,
  StudyConfig,
  StudyMeasure,
  StudyPart,
  TaskConfig,
} from './schema/index.ts';
export { loadStudyFile, type StudyFile } from './study-file.ts';
export {
  type Place,
  type Problem,
  parseRawYaml,
  problemsError,
  type RawYaml,
  readRawYaml,
  type Scalar,
} from './text/index.ts';
export { installedVersion, packageVersions } from './versions.ts';
