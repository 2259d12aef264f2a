/** Point on a line that has to reach a target: learned in seconds, to try out a machine and for tests. Not a benchmark. */
import {
  type ActionRange,
  clamp,
  type Environment,
  type ImageShape,
  type ObservationParts,
  type Rng,
  symmetricRange,
  totalObservationSize,
} from '../../../../src/model/index.ts';
import type { Demonstrator, Overseer } from './demonstrator.ts';

/** Half of the line, which goes from −1 to 1, m. */
const REACH_M = 1;
/** Distance moved by an action of 1, m. */
const STEP_M = 0.2;
/** Distance below which the target is reached, m. */
const NEAR_M = 0.1;

/** Image that may show the target instead: a bright column. */
const PICTURE: ImageShape = { channels: 1, height: 3, width: 16 };

/** Observation: positions of the point and of the target, m. Reward: minus the distance, m. Terminates at the target. */
export class PointEnvironment implements Environment {
  readonly name = 'point';
  readonly parts: ObservationParts;
  readonly actionSize = 1;
  readonly actionRanges: readonly ActionRange[] = [symmetricRange('step', 'm', STEP_M)];
  readonly maxSteps = 20;
  readonly periodS = 0.1;
  readonly observation: Float32Array;
  readonly executedAction: Float32Array = new Float32Array(1);
  placeM = 0;
  targetM = 0;
  reward = 0;
  cost = 0;
  isTerminated = false;
  isSuccess: boolean | undefined = false;

  /** `isSeen`: the target is given as an image instead of a number. */
  constructor(isSeen = false) {
    this.parts = isSeen ? { stateSize: 1, image: PICTURE } : { stateSize: 2 };
    this.observation = new Float32Array(totalObservationSize(this.parts));
  }

  reset(rng: Rng): void {
    this.placeM = rng.uniformIn(-REACH_M, REACH_M);
    this.targetM = rng.uniformIn(-REACH_M, REACH_M);
    this.#judge();
    this.isTerminated = false;
    this.isSuccess = false;
    this.cost = 0;
  }

  step(action: Float32Array): void {
    const move = clamp(action[0]!, -1, 1);
    this.executedAction[0] = move;
    this.placeM = clamp(this.placeM + STEP_M * move, -REACH_M, REACH_M);
    this.cost = move * move;
    this.#judge();
  }

  close(): void {}

  #judge(): void {
    this.observation[0] = this.placeM;
    if (this.parts.image === undefined) this.observation[1] = this.targetM;
    else drawColumn(this.observation, 1, this.targetM);
    const distanceM = Math.abs(this.placeM - this.targetM);
    this.reward = -distanceM;
    this.isTerminated = distanceM < NEAR_M;
    this.isSuccess = this.isTerminated;
  }
}

/** Draws a column at `placeM` with soft edges, brightness in [0, 1], into `picture` at `offset`. */
function drawColumn(picture: Float32Array, offset: number, placeM: number): void {
  const { height, width } = PICTURE;
  const centre = ((placeM + REACH_M) / (2 * REACH_M)) * (width - 1);
  for (let i = 0; i < height * width; i++) picture[offset + i] = Math.max(0, 1 - Math.abs((i % width) - centre) / 2);
}

/** Moves straight to the target, with noise of `actionNoise`. */
export class PointExpert implements Demonstrator {
  readonly #environment: PointEnvironment;
  readonly #noise: number;
  #rng: Rng | undefined;

  constructor(environment: PointEnvironment, actionNoise: number) {
    this.#environment = environment;
    this.#noise = actionNoise;
  }

  begin(rng: Rng): void {
    this.#rng = rng;
  }

  act(action: Float32Array): void {
    const { placeM, targetM } = this.#environment;
    action[0] = clamp((targetM - placeM) / STEP_M + this.#noise * (this.#rng?.normal() ?? 0), -1, 1);
  }
}

/** Takes over once the point has stood still for two steps. */
export class PointOverseer implements Overseer {
  readonly #environment: PointEnvironment;
  readonly #hand: PointExpert;
  #lastM = Number.NaN;
  #idleSteps = 0;

  constructor(environment: PointEnvironment) {
    this.#environment = environment;
    this.#hand = new PointExpert(environment, 0);
  }

  begin(): void {
    this.#lastM = Number.NaN;
    this.#idleSteps = 0;
  }

  oversee(action: Float32Array): boolean {
    const { placeM } = this.#environment;
    this.#idleSteps = Math.abs(placeM - this.#lastM) < STEP_M / 10 ? this.#idleSteps + 1 : 0;
    this.#lastM = placeM;
    if (this.#idleSteps < 2) return false;
    this.#hand.act(action);
    return true;
  }
}
