export { allowedText, type JsonSchema, jsonSchemaOf, rangeText } from './allowed.ts';
export { BASE_NEEDS, type BaseConfig, baseFileOf } from './base.ts';
export { type Checked, check, guessThenAll, oneAPlace } from './check.ts';
export type { DriverConfig, RosDriverConfig } from './driver.ts';
export type { JudgedTaskConfig } from './judged-task.ts';
export { type LearnerSettings, learnerSchema } from './learner.ts';
export { type JointLimits, type LimitsConfig, limitsSchema } from './limits.ts';
export type { ResolvedConfig, RunOptions } from './resolved.ts';
export { armSchema, type RobotConfig } from './robot.ts';
export {
  type EnvironmentStudy,
  environmentStudySchema,
  type OrderCheck,
  type ReachesCheck,
  type RobotStudy,
  robotStudySchema,
  type StudyCheck,
  type StudyConfig,
  type StudyMeasure,
  type StudyPart,
} from './study.ts';
export {
  type EstimateConfig,
  type HoleConfig,
  type OperatorConfig,
  type PegConfig,
  type PegTaskConfig,
  pegTaskSchema,
  type StartConfig,
  type TaskConfig,
} from './task.ts';
export { checkResolvedTree, checkRobotTree, checkTaskTree, editorSchemaOf, FILE_SCHEMAS } from './variants.ts';
