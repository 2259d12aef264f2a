/**
 * What the command line asks the runtime to do: one function and one set of options a command. Each resolves to the
 * process's exit code (0 done, 1 done but the target was missed), and throws `ReinError` where it cannot be done.
 */

import type { OperatorKind } from '../session/index.ts';

/** Options that all commands share. `undefined` is "not given". */
export interface CommonOptions {
  /** Seed of every random number; a whole number ≥ 0. */
  readonly seed: number;
  /** YAML file that overrides keys of task, robot and learner. */
  readonly config: string | undefined;
  /** `quiet`: print nothing but errors and the last summary. */
  readonly output: 'live' | 'quiet';
}

/** `rein sim`: training and evaluation in simulation, learner and robot started together. */
export interface SimOptions extends CommonOptions {
  /** Name in `config/tasks/` or path of a task's file. */
  readonly task: string;
  /** Who gives the demonstrations that the learner begins with. */
  readonly demonstrations: 'scripted' | 'keyboard';
  /** Environment steps after the demonstrations; `undefined`: the task's. */
  readonly steps: number | undefined;
  /** Evaluation episodes; `undefined`: the task's. */
  readonly evalEpisodes: number | undefined;
  /** No training episode begins after so many seconds; `undefined`: the task's, mostly none. */
  readonly timeLimitS: number | undefined;
  /** Where to write the summary as JSON. */
  readonly json: string | undefined;
  /** Run folder; `undefined`: a new one below `runs/`. */
  readonly out: string | undefined;
}

/** `rein run`: guard and node of one robot in real time. */
export interface RunRobotOptions extends CommonOptions {
  readonly task: string;
  /** Names the robot to the learner; unique among the robots of a run. */
  readonly robotId: string;
  /** Address of the learner, `tcp://host:port`; `undefined`: act, but send nothing. */
  readonly learner: string | undefined;
  /** Policy to start with, an ONNX file with its manifest beside it. */
  readonly policy: string | undefined;
  readonly operator: OperatorKind;
  /** Stop after this time; `undefined`: until Ctrl+C. */
  readonly durationS: number | undefined;
  /** Run folder for journal and metrics; `undefined`: a new one below `runs/`. */
  readonly out: string | undefined;
}

/** `rein learn`: the learner alone. */
export interface LearnOptions extends CommonOptions {
  /** `undefined` with `resume`: the task of that run. */
  readonly task: string | undefined;
  /** Address to listen at, `tcp://host:port`. */
  readonly bind: string;
  /** Run folder to continue from its last checkpoint. */
  readonly resume: string | undefined;
  /** Folder of a pre-training whose networks a new run begins with. */
  readonly from: string | undefined;
  /** Run folder; `undefined`: the resumed one, or a new one below `runs/`. */
  readonly out: string | undefined;
}

/** `rein eval`: success rate of one policy, in simulation. */
export interface EvaluationOptions extends CommonOptions {
  /** `undefined`: the task in `config.yaml` beside the policy. */
  readonly task: string | undefined;
  /** An ONNX file with its manifest beside it. */
  readonly policy: string;
  /** `undefined`: the task's. */
  readonly episodes: number | undefined;
  readonly json: string | undefined;
}

/** `rein train`: one learner in one simulated environment. */
export interface TrainOptions {
  /** Folder of a trial to continue; then everything else comes from there. */
  readonly resume: string | undefined;
  readonly environment: string;
  /** What the environment is told, and keys of the learner that override its file's. */
  readonly environmentOptions: Readonly<Record<string, number | boolean>>;
  readonly learner: string;
  readonly learnerKeys: Readonly<Record<string, SetValue | readonly SetValue[]>>;
  readonly seed: number;
  /** Environment steps. */
  readonly steps: number;
  /** Steps with uniform actions at the start; `undefined`: the learner's `warmupSteps`, or none where it begins with `from` or demonstrations. */
  readonly randomSteps: number | undefined;
  readonly evaluateEvery: number;
  readonly evaluationEpisodes: number;
  /** Episodes of the environment's expert to learn from. */
  readonly demonstrations: number;
  /** Folder of a finished trial or pre-training to begin with. */
  readonly from: string | undefined;
  /** Least wall time between two checkpoints, s; they are taken between episodes. */
  readonly checkpointEveryS: number;
  /** Folder of the trial; `undefined`: a new one below `runs/`. */
  readonly out: string | undefined;
  readonly output: 'live' | 'quiet';
}

/** A value that is set on the command line. */
export type SetValue = string | number | boolean;

/** `rein sweep`: all runs of a study. */
export interface SweepCommandOptions {
  /** Name in `config/studies/`, or path of a study's file. */
  readonly study: string;
  readonly jobs: number;
  readonly only: readonly string[] | undefined;
  /** Folder of the runs; `undefined`: `runs/studies/NAME`. */
  readonly out: string | undefined;
  /** `page`: make table and page of what is there, and train nothing. */
  readonly mode: 'run' | 'page';
}

/** `rein pretrain`: networks from what is stored, for a training to begin with. */
export interface PretrainOptions {
  /** Run folder whose transitions are learned from; `undefined`: the environment's expert shows some. */
  readonly run: string | undefined;
  readonly environment: string;
  readonly environmentOptions: Readonly<Record<string, number | boolean>>;
  readonly demonstrations: number;
  readonly skill: Readonly<Record<string, number | boolean>>;
  readonly learner: string;
  readonly learnerKeys: Readonly<Record<string, SetValue | readonly SetValue[]>>;
  readonly seed: number;
  readonly out: string;
}

/** `rein report`: the page of a run, from its files. */
export interface ReportOptions {
  /** Folder of a rein sim, run or learn. */
  readonly run: string;
}

/** `rein export policy`: one file with everything that a policy needs. */
export interface ExportPolicyOptions {
  /** Folder of a rein train, sim or learn. */
  readonly run: string;
  readonly out: string;
}

/** `rein recover`. */
export interface RecoverOptions {
  /** Folder of a run, or of a journal. */
  readonly path: string;
  readonly mend: boolean;
  readonly json: boolean;
}

/** `rein plugins`: what of others could be named here. */
export interface PluginsOptions {
  /** Load each module and check what it exports. */
  readonly check: boolean;
  readonly json: boolean;
}
