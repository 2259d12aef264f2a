/** What commands and monitors use of the runtime. */
export { checkBase } from './base-policy.ts';
export type {
  CommonOptions,
  EvaluationOptions,
  ExportPolicyOptions,
  LearnOptions,
  OperatorKind,
  PretrainOptions,
  RecoverOptions,
  ReportOptions,
  RunRobotOptions,
  SetValue,
  SimOptions,
  SweepCommandOptions,
  TrainOptions,
} from './commands.ts';
export * from './config/index.ts';
export { createSetup, pegTaskOf, type RunSetup, simulatedArm } from './setup.ts';
export { busStopped, guardStopMs, Supervisor, type SupervisorEvent } from './supervisor.ts';
