export { allowedText, type JsonSchema, jsonSchemaOf, rangeText } from './allowed.ts';
export { check, oneAPlace } from './check.ts';
export { type LearnerSettings, learnerSchema } from './learner.ts';
export { type ResolvedConfig, type RunOptions, resolvedSchema } from './resolved.ts';
export { type DriverConfig, type RobotConfig, robotSchema } from './robot.ts';
export {
  type EstimateConfig,
  type HoleConfig,
  type OperatorConfig,
  type PegConfig,
  type StartConfig,
  type TaskConfig,
  taskSchema,
} from './task.ts';
