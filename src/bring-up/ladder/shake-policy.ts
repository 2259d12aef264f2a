/**
 * Policy plugin that drives an arm on its first rungs: one joint after the other, a little each way, or all of them to random positions
 * in a small box about their initial ones.
 */
import { markPlugin } from '../../host/index.ts';
import { clamp, type ObservationSpec, observationSize, Rng } from '../../model/index.ts';

/**
 * Pattern and size of the motion. `eachJoint`: repeated; `once`: then it stands. `spanUnits`: half the box, in units of the observation,
 * which are half turns for a joint that turns.
 */
export interface ShakeOptions {
  readonly pattern: 'eachJoint' | 'once' | 'random';
  readonly spanUnits: number;
  /** [n] Motion of a full action in one step, in units of the observation. */
  readonly unitsPerStep: readonly number[];
  /** [n] Wheels, whose position is not observed: their commanded position is used. */
  readonly isRolling: readonly boolean[];
  /** Shares of a full action, each for `stepsOfShare` steps, the last one for all further steps. */
  readonly shares: readonly number[];
  readonly stepsOfShare: number;
  readonly seed: number;
}

/** A position counts as reached within this share of the box, and is given up after so many steps. */
const REACHED_SHARE = 0.2;
const GIVE_UP_STEPS = 60;

/** Decides from the joints' positions, which come first in its observation. */
export class ShakePolicy {
  readonly observationSize: number;
  readonly actionSize: number;
  readonly version = 1;
  readonly #options: ShakeOptions;
  readonly #rng: Rng;
  #start: Float64Array | undefined;
  #target: Float64Array;
  /** [n] Position of each joint. */
  readonly #at: Float64Array;
  #places = 0;
  /** Steps on the way to the present target, and in total. */
  #steps = 0;
  #decisions = 0;

  constructor(options: ShakeOptions, observationSize: number) {
    this.#options = options;
    this.observationSize = observationSize;
    this.actionSize = options.unitsPerStep.length;
    this.#rng = new Rng(options.seed).fork('shake');
    this.#target = new Float64Array(this.actionSize);
    this.#at = new Float64Array(this.actionSize);
  }

  async decide(observation: Float32Array, _noise: unknown, out: Float32Array): Promise<void> {
    const { unitsPerStep, spanUnits, isRolling, shares, stepsOfShare } = this.#options;
    const share = shares[Math.min(Math.floor(this.#decisions++ / stepsOfShare), shares.length - 1)]!;
    const at = this.#at;
    let seen = 0;
    for (const [i, rolls] of isRolling.entries()) if (!rolls) at[i] = observation[seen++]!;
    if (this.#start === undefined) {
      this.#start = Float64Array.from(at);
      this.#choose();
    }
    const isThere = unitsPerStep.every((_, i) => Math.abs(this.#target[i]! - at[i]!) <= REACHED_SHARE * spanUnits);
    if (isThere || ++this.#steps > GIVE_UP_STEPS) this.#choose();
    for (const [i, perStep] of unitsPerStep.entries()) {
      out[i] = clamp((this.#target[i]! - at[i]!) / perStep, -share, share);
      if (isRolling[i]) at[i] = at[i]! + out[i]! * perStep;
    }
  }

  async close(): Promise<void> {}

  #choose(): void {
    const { pattern, spanUnits } = this.#options;
    const start = this.#start!;
    this.#steps = 0;
    const place = this.#places++;
    if (pattern === 'random') {
      this.#target = start.map((value) => value + spanUnits * (2 * this.#rng.uniform() - 1));
      return;
    }
    // Joint after joint: up, down, back to its initial position.
    if (pattern === 'once' && place >= 3 * this.actionSize) {
      this.#target = start;
      return;
    }
    const joint = Math.floor(place / 3) % this.actionSize;
    const offset = [spanUnits, -spanUnits, 0][place % 3]!;
    this.#target = start.map((value, i) => (i === joint ? value + offset : value));
  }
}

interface ShakeContext {
  readonly options: ShakeOptions;
  readonly observation: ObservationSpec;
}

// biome-ignore lint/style/noDefaultExport: what a task's file names as policyPlugin gives its plugin so.
export default markPlugin('policy', {
  name: 'shake',
  open: ({ options, observation }: ShakeContext): ShakePolicy => new ShakePolicy(options, observationSize(observation)),
});
