/** What the commands do, as a parameter: tests see what the command line was understood as, without doing it. */
import type {
  EvaluationOptions,
  ExportPolicyOptions,
  LearnOptions,
  PluginsOptions,
  PretrainOptions,
  RecoverOptions,
  ReportOptions,
  RunRobotOptions,
  SimOptions,
  SweepCommandOptions,
  TrainOptions,
} from './commands.ts';
import type { DoctorOptions } from './doctor/run-doctor.ts';
import type { SafetyCheckOptions, SafetyIdentifyOptions } from './safety-options.ts';

/** One function a command; each resolves to the exit code. */
export interface CommandBodies {
  sim(options: SimOptions): Promise<number>;
  run(options: RunRobotOptions): Promise<number>;
  learn(options: LearnOptions): Promise<number>;
  train(options: TrainOptions): Promise<number>;
  sweep(options: SweepCommandOptions): Promise<number>;
  pretrain(options: PretrainOptions): Promise<number>;
  exportPolicy(options: ExportPolicyOptions): Promise<number>;
  exportEncoder(options: ExportPolicyOptions): Promise<number>;
  report(options: ReportOptions): Promise<number>;
  evaluate(options: EvaluationOptions): Promise<number>;
  recover(options: RecoverOptions): Promise<number>;
  plugins(options: PluginsOptions): Promise<number>;
  doctor(options: DoctorOptions): Promise<number>;
  safetyCheck(options: SafetyCheckOptions): Promise<number>;
  safetyIdentify(options: SafetyIdentifyOptions): Promise<number>;
}

/** The real ones. The runtime is loaded when a command runs, so that `--help` is quick and loads nothing native. */
export const commandBodies: CommandBodies = {
  sim: async (options) => (await import('./bodies/sim.ts')).simBody(options),
  run: async (options) => (await import('./bodies/run.ts')).runBody(options),
  learn: async (options) => (await import('./bodies/learn.ts')).learnBody(options),
  train: async (options) => (await import('./bodies/train.ts')).trainBody(options),
  sweep: async (options) => (await import('./bodies/sweep.ts')).sweepBody(options),
  pretrain: async (options) => (await import('./bodies/pretrain.ts')).pretrainBody(options),
  exportEncoder: async (options) => (await import('./bodies/export-policy.ts')).exportEncoderBody(options),
  exportPolicy: async (options) => (await import('./bodies/export-policy.ts')).exportPolicyBody(options),
  report: async (options) => (await import('./bodies/report.ts')).reportBody(options),
  evaluate: async (options) => (await import('./bodies/evaluate.ts')).evaluateBody(options),
  safetyCheck: async (options) => (await import('./bodies/safety.ts')).safetyCheckBody(options),
  recover: async (options) => (await import('./bodies/recover.ts')).recoverBody(options),
  safetyIdentify: async (options) => (await import('./bodies/identify.ts')).safetyIdentifyBody(options),
  plugins: async (options) => (await import('./bodies/plugins.ts')).pluginsBody(options),
  doctor: async (options) => (await import('./doctor/run-doctor.ts')).runDoctor(options),
};
