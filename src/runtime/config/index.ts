export { type ConfigKind, configNames } from './names.ts';
export { configReference, type EditorSchema, editorSchemas } from './reference.ts';
export { type ConfigRequest, type Override, resolveConfig } from './resolve.ts';
export { loadResolvedConfig, resolvedConfigText } from './resolved-file.ts';
export { loadRobotFile, type RobotFile } from './robot-file.ts';
export type {
  DriverConfig,
  EstimateConfig,
  HoleConfig,
  JudgedTaskConfig,
  LearnerSettings,
  OperatorConfig,
  PegConfig,
  PegTaskConfig,
  ResolvedConfig,
  RobotConfig,
  RosDriverConfig,
  RunOptions,
  StartConfig,
  TaskConfig,
} from './schema/index.ts';
export { type Place, type Problem, parseRawYaml, problemsError, type RawYaml, readRawYaml } from './text/index.ts';
export { installedVersion, packageVersions } from './versions.ts';
