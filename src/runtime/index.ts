export {
  type CommonOptions,
  type EvaluationOptions,
  type LearnOptions,
  type OperatorKind,
  type RunRobotOptions,
  runEvaluation,
  runLearner,
  runRobot,
  runSim,
  type SimOptions,
} from './commands.ts';
export * from './config/index.ts';
