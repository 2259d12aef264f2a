/** Checks that an exported policy gives the same outputs on the robot's runtime as the learner's networks. */

import { Bindings, Session } from '../../learner/index.ts';
import { type Environment, halfRangeOf, ReinError, Rng } from '../../model/index.ts';
import { OnnxPolicy, type Policy, type PolicyHead } from '../../policy/index.ts';
import type { ActionMeaning } from './action-meaning.ts';

/** Largest difference of an action, which lies in [−1, 1], or of a command as a fraction of half its range. */
const TOLERANCE = 1e-4;

/** Result of the golden-batch check. */
export interface GoldenCheck {
  readonly observations: number;
  /** Largest difference of an action from the learner's. */
  readonly maxDifference: number;
  /** Largest difference of `command` from the executed learner's action, as a fraction of half its range. */
  readonly maxCommandDifference: number;
}

/**
 * Runs `model` as on a robot, standalone as a third party would, and the learner's own networks on `observations`, once
 * exploring and once not, with equal random numbers. Throws `ReinError('policy')` if the runtime refuses the model, if an
 * action differs by more than 1e-4, or if a command or an end of a range differs by more than 1e-4 of half its range from
 * the execution of the learner's action.
 */
export async function checkGoldenBatch(
  model: Uint8Array,
  learner: Policy,
  observations: readonly Float32Array[],
  meaning: ActionMeaning,
): Promise<GoldenCheck> {
  const { observationSize, actionSize } = learner;
  const policy = new OnnxPolicy({ observationSize, actionSize, schemaHash: '', canaryObservations: observations });
  let file: PolicyAlone | undefined;
  try {
    const adopted = await policy.adopt(model, 1);
    if (!adopted.ok) throw adopted.error;
    file = await PolicyAlone.open(model, adopted.value.head);
    const check = await compare({ policy, file, learner, meaning }, observations);
    const { maxDifference, maxCommandDifference } = check;
    refuseAbove(maxDifference, observations, (by) => `The exported policy differs from the learner's by ${by}`);
    refuseAbove(maxCommandDifference, observations, (by) => {
      return `The exported policy's command differs by ${by} of half its range from how the learner's action is carried out`;
    });
    return check;
  } finally {
    await file?.close();
    await policy.close();
  }
}

interface Compared {
  readonly policy: OnnxPolicy;
  readonly file: PolicyAlone;
  readonly learner: Policy;
  readonly meaning: ActionMeaning;
}

async function compare(
  { policy, file, learner, meaning }: Compared,
  observations: readonly Float32Array[],
): Promise<GoldenCheck> {
  const { actionSize } = learner;
  const halfRanges = meaning.ranges.map(halfRangeOf);
  const [onRobot, own] = [new Float32Array(actionSize), new Float32Array(actionSize)];
  let [maxDifference, maxCommandDifference] = [0, differenceAtEnds(meaning, halfRanges)];
  for (const [i, observation] of observations.entries()) {
    for (const purpose of ['evaluate', 'explore'] as const) {
      await policy.decide(observation, { rng: new Rng(i), purpose }, onRobot);
      await learner.decide(observation, { rng: new Rng(i), purpose }, own);
      maxDifference = Math.max(maxDifference, largestDifference(own, onRobot));
      // A Gaussian head is sampled outside the graph: the file alone gives only the noise-free command.
      if (purpose === 'explore' && file.head.kind === 'gaussian') continue;
      const { action, command } = await file.run(observation, new Rng(i), purpose);
      maxDifference = Math.max(maxDifference, largestDifference(own, action));
      const difference = largestDifference(meaning.carryOut(own), command, halfRanges);
      maxCommandDifference = Math.max(maxCommandDifference, difference);
    }
  }
  return { observations: observations.length, maxDifference, maxCommandDifference };
}

/** Difference at the ends of the ranges: a policy whose actions are all small reveals little about their width. */
function differenceAtEnds({ ranges, carryOut }: ActionMeaning, halfRanges: readonly number[]): number {
  const end = (action: number, wanted: readonly number[]): number =>
    largestDifference(carryOut(new Float32Array(ranges.length).fill(action)), wanted, halfRanges);
  return Math.max(
    end(
      -1,
      ranges.map(({ low }) => low),
    ),
    end(
      1,
      ranges.map(({ high }) => high),
    ),
  );
}

/** Throws unless `difference` is within the tolerance; NaN throws too. */
function refuseAbove(difference: number, { length }: readonly Float32Array[], finding: (by: string) => string): void {
  if (difference <= TOLERANCE) return;
  const message = `${finding(difference.toExponential(1))} on ${length} observations, at most ${TOLERANCE} is allowed.`;
  throw new ReinError('policy', message, { remedy: 'Nothing was written. Report it with the folder of the run.' });
}

/** Largest |a − b|, each divided by its unit, if given; NaN if any is. */
function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>, units?: readonly number[]): number {
  let most = 0;
  for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k]! - b[k]!) / (units?.[k] ?? 1));
  return most;
}

/** Returns `count` observations of `environment` under random actions; always the same. */
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

class PolicyAlone {
  readonly head: PolicyHead;
  readonly #session: Session;

  static async open(model: Uint8Array, head: PolicyHead): Promise<PolicyAlone> {
    return new PolicyAlone(await Session.create(model), head);
  }

  private constructor(session: Session, head: PolicyHead) {
    this.#session = session;
    this.head = head;
  }

  /**
   * Returns `action` and `command` [A] at `observation` [O], new arrays; noise is drawn from `rng` as on a robot. Rejects with
   * `ReinError('policy')` if the model lacks either output.
   */
  async run(
    observation: Float32Array,
    rng: Rng,
    purpose: 'evaluate' | 'explore',
  ): Promise<{ readonly action: Float32Array; readonly command: Float32Array }> {
    const inputs = new Bindings();
    inputs.set('observation', observation, [1, observation.length]);
    const { kind, noise, noiseSize } = this.head;
    if (kind === 'action' && noiseSize > 0) {
      const drawn = new Float32Array(noiseSize);
      if (purpose === 'explore' || noise === 'always') rng.fillNormal(drawn);
      inputs.set('noise', drawn, [1, noiseSize]);
    }
    const { action, command } = await this.#session.evaluate(inputs);
    if (action?.data instanceof Float32Array && command?.data instanceof Float32Array) {
      return { action: action.data, command: command.data };
    }
    throw new ReinError('policy', "The exported policy gives no 'action' and 'command' by itself.", {
      remedy: 'Nothing was written. Report it with the folder of the run.',
    });
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
