/** Whether an exported policy does on the robot's runtime what the learner's networks do. */
import { type Environment, halfRangeOf, ReinError, Rng } from '../../../core/index.ts';
import { Bindings, Session } from '../../../learner/engine/index.ts';
import { OnnxPolicy, type PolicyHead } from '../../../policy/index.ts';
import type { Actor } from '../trial/index.ts';
import type { ActionMeaning } from './action-meaning.ts';

/** Largest difference of an action, which lies in [−1, 1], and of a command as a share of half its range. */
const TOLERANCE = 1e-4;

/** What a policy was tried on. */
export interface GoldenCheck {
  readonly observations: number;
  /** Of an action from the learner's. */
  readonly maxDifference: number;
  /** Of a number of `command` from what the learner's action is carried out as, as a share of half its range. */
  readonly maxCommandDifference: number;
}

interface Sizes {
  readonly observationSize: number;
  readonly actionSize: number;
}

/**
 * Runs `model` as a robot would, by itself as others would, and the learner's own networks, on `observations`, once exploring
 * and once not, with equal random numbers. Throws `ReinError('policy')` where the runtime refuses the model, an action differs
 * by more than 1e-4, or a command by more than 1e-4 of half its range from what `meaning` makes of the learner's action.
 */
export async function checkGoldenBatch(
  model: Uint8Array,
  learner: Actor,
  observations: readonly Float32Array[],
  sizes: Sizes,
  meaning: ActionMeaning,
): Promise<GoldenCheck> {
  const policy = new OnnxPolicy({ ...sizes, schemaHash: '', canaryObservations: observations });
  let file: FileAlone | undefined;
  try {
    const adopted = await policy.adopt(model, 1);
    if (!adopted.ok) throw adopted.error;
    file = await FileAlone.open(model, sizes, adopted.value.head);
    const halfRanges = meaning.ranges.map(halfRangeOf);
    let [maxDifference, maxCommandDifference] = [0, 0];
    const [onRobot, own] = [new Float32Array(sizes.actionSize), new Float32Array(sizes.actionSize)];
    for (const [i, observation] of observations.entries()) {
      for (const purpose of ['evaluate', 'explore'] as const) {
        await policy.decide(observation, { rng: new Rng(i), purpose }, onRobot);
        await learner.act(observation, own, new Rng(i), purpose === 'explore');
        maxDifference = Math.max(maxDifference, largestDifference(own, onRobot));
        // Whose spread is drawn outside gives the best command only.
        if (purpose === 'explore' && file.head.kind === 'gaussian') continue;
        await file.run(observation, new Rng(i), purpose);
        maxDifference = Math.max(maxDifference, largestDifference(own, file.action));
        const wanted = meaning.carryOut(own);
        maxCommandDifference = Math.max(maxCommandDifference, largestDifference(wanted, file.command, halfRanges));
      }
    }
    refuseAbove(maxDifference, "The exported policy differs from the learner's by", observations);
    const commanded =
      "The exported policy's command differs from what the learner's action is carried out as by, of half its range,";
    refuseAbove(maxCommandDifference, commanded, observations);
    return { observations: observations.length, maxDifference, maxCommandDifference };
  } finally {
    await file?.close();
    await policy.close();
  }
}

/** Anything but a small number is refused, NaN as well. */
function refuseAbove(difference: number, what: string, observations: readonly Float32Array[]): void {
  if (difference <= TOLERANCE) return;
  const message = `${what} ${difference.toExponential(1)} on ${observations.length} observations, at most ${TOLERANCE} is allowed.`;
  throw new ReinError('policy', message, { remedy: 'Nothing was written. Report it with the folder of the run.' });
}

/** Largest |a − b|, each as a share of its unit where there are some; NaN where one is. */
function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>, units?: readonly number[]): number {
  let most = 0;
  for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k]! - b[k]!) / (units?.[k] ?? 1));
  return most;
}

/** The model as others have it: nothing but the file, its inputs and its outputs. */
class FileAlone {
  /** [A] what the last run gave. */
  readonly action: Float32Array;
  readonly command: Float32Array;
  readonly head: PolicyHead;
  readonly #session: Session;
  readonly #observation: Float32Array;
  readonly #noise: Float32Array;
  readonly #inputs: Bindings = new Bindings();
  readonly #outputs: Bindings = new Bindings();

  static async open(model: Uint8Array, sizes: Sizes, head: PolicyHead): Promise<FileAlone> {
    return new FileAlone(await Session.create(model), sizes, head);
  }

  private constructor(session: Session, { observationSize, actionSize }: Sizes, head: PolicyHead) {
    this.#session = session;
    this.head = head;
    this.action = new Float32Array(actionSize);
    this.command = new Float32Array(actionSize);
    this.#observation = new Float32Array(observationSize);
    this.#noise = new Float32Array(head.noiseSize);
    this.#inputs.set('observation', this.#observation, [1, observationSize]);
    if (head.kind === 'action' && head.noiseSize > 0) this.#inputs.set('noise', this.#noise, [1, head.noiseSize]);
    this.#outputs.set('action', this.action, [1, actionSize]);
    this.#outputs.set('command', this.command, [1, actionSize]);
  }

  /** Rejects with `ReinError('policy')` where it cannot be run so. */
  async run(observation: Float32Array, rng: Rng, purpose: 'evaluate' | 'explore'): Promise<void> {
    this.#observation.set(observation);
    if (purpose === 'explore' || this.head.noise === 'always') rng.fillNormal(this.#noise);
    else this.#noise.fill(0);
    try {
      await this.#session.run([this.#inputs], [this.#outputs]);
    } catch (cause) {
      throw new ReinError('policy', "The exported policy gives no 'action' and 'command' by itself.", {
        remedy: 'Nothing was written. Report it with the folder of the run.',
        cause,
      });
    }
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** `count` observations that occur in `environment` under random actions; always the same. */
export function goldenObservations(environment: Environment, count: number): Float32Array[] {
  const rng = new Rng(1);
  const action = new Float32Array(environment.actionSize);
  const observations: Float32Array[] = [];
  let step = environment.maxSteps;
  while (observations.length < count) {
    if (step >= environment.maxSteps || environment.isTerminated) {
      environment.reset(rng.fork(`episode ${observations.length}`));
      step = 0;
    }
    observations.push(environment.observation.slice());
    for (let i = 0; i < action.length; i++) action[i] = rng.uniformIn(-1, 1);
    environment.step(action);
    step++;
  }
  return observations;
}
