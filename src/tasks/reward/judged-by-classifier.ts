/**
 * Success by a learned classifier: a key available to tasks of any kind, and the wrapped task. The classifier judges states as
 * the policy observes them, so it works on a robot as it did on its labels. The verdict of the task's own rules stays available
 * for comparison; nothing is learned from it.
 */
import { z } from 'zod';
import { observationSize, schemaHash } from '../../model/index.ts';
import type { GuardFrame } from '../../rows/index.ts';
import { type Configured, mayDiffer, num, whole } from '../../schema/index.ts';
import type { Outcome, Task, Verdict } from '../task.ts';
import { loadRewardClassifier, type RewardClassifier } from './classifier-file.ts';

export const rewardClassifierSchema = z
  .strictObject({
    file: mayDiffer(
      z.string().min(1).max(4096).meta({
        description:
          '`reward.onnx` of `rein reward train`, relative to the file that names it, with its manifest `reward.json` beside it.',
      }),
    ),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({ description: 'SHA-256 of the file; another one is refused. Default: that of the file as it is now.' })
      .optional(),
    threshold: num(
      '1',
      { above: 0, max: 1 },
      'Least probability at which a state counts. Default: that of the manifest.',
    ).optional(),
    forSteps: whole(
      'steps',
      { min: 1, max: 100 },
      'Consecutive steps that have to count before it is a success: single false positives pay nothing.',
    ).default(1),
  })
  .meta({
    description:
      "Classifier that decides success in place of the task's own rules; people's marks still decide. Default: none.",
  });

export type RewardClassifierConfig = Configured<typeof rewardClassifierSchema>;

/** Returns `task` with success decided by the classifier of `config`. Its failures stay failures. Loads nothing before `open`. */
export function judgedByClassifier(task: Task, config: RewardClassifierConfig): Task {
  const judge = new Judge(task, config);
  // Tasks are classes with private members: each method is called on the task itself.
  return {
    name: task.name,
    observation: task.observation,
    action: task.action,
    signalNames: task.signalNames,
    maxSteps: task.maxSteps,
    goal: `${task.goal}; success is decided by the classifier ${config.file}`,
    // Without rules there is nothing to compare with.
    ...(hasRules(task) ? { ownVerdict: judge.own } : {}),
    hasRules: false,
    ...(task.observationDelaySteps === undefined ? {} : { observationDelaySteps: task.observationDelaySteps }),
    ...(task.takesMarks === undefined ? {} : { takesMarks: task.takesMarks }),
    ...(task.isArrangedByPeople === undefined ? {} : { isArrangedByPeople: task.isArrangedByPeople }),
    ...(task.topics === undefined ? {} : { topics: task.topics }),
    ...(task.attach === undefined ? {} : { attach: (sources) => task.attach?.(sources) }),
    ...(task.offset === undefined ? {} : { offset: (frame, out) => task.offset?.(frame, out) }),
    drawLayout: (rng) => task.drawLayout(rng),
    observe: (out, offset, frame, executed) => task.observe(out, offset, frame, executed),
    open: () => judge.open(),
    begin: (frame) => judge.begin(frame),
    startsAs: (frame, observation) => judge.startsAs(frame, observation),
    judge: (frame, out, observation) => judge.judge(frame, out, observation),
  };
}

/** True if the task can detect success by itself. */
export function hasRules(task: Task): boolean {
  return task.hasRules ?? task.takesMarks !== true;
}

class Judge {
  readonly own: Verdict = { reward: 0, terminated: false, success: false };
  readonly #task: Task;
  readonly #config: RewardClassifierConfig;
  #classifier: RewardClassifier | undefined;
  #threshold = 1;
  /** Consecutive steps that counted as a success. */
  #steps = 0;

  constructor(task: Task, config: RewardClassifierConfig) {
    this.#task = task;
    this.#config = config;
  }

  open(): void {
    const { observation, action } = this.#task;
    const { file, sha256, threshold } = this.#config;
    this.#task.open?.();
    const expected = {
      schemaHash: schemaHash(observation, action),
      observationSize: observationSize(observation),
      sha256,
    };
    this.#classifier = loadRewardClassifier(file, expected);
    this.#threshold = threshold ?? this.#classifier.manifest.threshold;
  }

  begin(frame: GuardFrame): void {
    this.#task.begin?.(frame);
    this.#steps = 0;
  }

  startsAs(frame: GuardFrame, observation: Float32Array): Outcome | undefined {
    const own = this.#task.startsAs?.(frame, observation);
    if (own === 'failure') return own;
    // A single success may be a false positive, unless the task's own rules agree.
    const isEnough = this.#config.forSteps === 1 || own === 'success';
    return isEnough && this.#counts(observation) ? 'success' : undefined;
  }

  judge(frame: GuardFrame, out: Verdict, observation: Float32Array): void {
    const { own } = this;
    this.#task.judge(frame, own, observation);
    this.#steps = this.#counts(observation) ? this.#steps + 1 : 0;
    out.success = this.#steps >= this.#config.forSteps;
    out.terminated = out.success || (own.terminated && !own.success);
    out.reward = out.success ? 1 : 0;
  }

  #counts(observation: Float32Array): boolean {
    if (this.#classifier === undefined) throw new TypeError('a task is opened before it judges');
    // Written so that NaN, from an observation that is not finite, does not count.
    return this.#classifier.probability(observation) >= this.#threshold;
  }
}
