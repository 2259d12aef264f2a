/**
 * Response of the state to actions: if it differs between demonstrations and training, one of them has actions of
 * another sign or order.
 */
import type { Transition } from '../../rows/index.ts';
import { rounded } from './step-statistics.ts';

/** State elements that are examined; larger states are examined in part. */
const MOST_NUMBERS = 128;
/** Minimum number of steps for a result, and minimum steps per input. */
const LEAST_STEPS = 40;
const LEAST_STEPS_PER_INPUT = 4;
/** An effect counts from this multiple of its standard error. */
const CLEAR = 5;
/** Ridge that avoids division by zero for action elements that never vary; their effects are not significant. */
const RIDGE = 1e-6;

/** Effect of an action element on the state in two data sets: cosine between both, and ratio of the second's magnitude to the first's. */
export type Agreement = readonly [cosine: number, ratio: number];

/**
 * Least-squares fit of each state element's change on the executed action of a step and of the previous one, and a
 * constant: lag, and older frames in the state, belong to the previous action. Memory is fixed by the sizes; `add`
 * allocates nothing.
 */
export class Answers {
  readonly #numbers: number;
  readonly #actions: number;
  /** Inputs: [action, previous action, 1]. */
  readonly #inputs: Float64Array;
  readonly #before: Float64Array;
  readonly #gram: Float64Array;
  /** Sums of changes times inputs, and of squared changes. */
  readonly #cross: Float64Array;
  readonly #squares: Float64Array;
  #steps = 0;

  constructor(stateSize: number, actionSize: number) {
    const size = 2 * actionSize + 1;
    this.#numbers = Math.min(stateSize, MOST_NUMBERS);
    this.#actions = actionSize;
    this.#inputs = new Float64Array(size).fill(1);
    this.#before = new Float64Array(actionSize);
    this.#gram = new Float64Array(size * size);
    this.#cross = new Float64Array(this.#numbers * size);
    this.#squares = new Float64Array(this.#numbers);
  }

  get steps(): number {
    return this.#steps;
  }

  /** Adds the next step; what is kept of it is copied. */
  add({ observation, nextObservation, executed, step }: Transition): void {
    const inputs = this.#inputs;
    const size = inputs.length;
    if (step === 0) this.#before.fill(0);
    inputs.set(executed);
    inputs.set(this.#before, this.#actions);
    this.#before.set(executed);
    this.#steps++;
    for (let i = 0; i < size; i++) for (let k = 0; k < size; k++) this.#gram[i * size + k]! += inputs[i]! * inputs[k]!;
    for (let j = 0; j < this.#numbers; j++) {
      const change = nextObservation[j]! - observation[j]!;
      this.#squares[j]! += change * change;
      for (let k = 0; k < size; k++) this.#cross[j * size + k]! += change * inputs[k]!;
    }
  }

  /** Compares the effects of `other` with these, per action element; state elements are scaled by their RMS change here. */
  held(other: Answers): readonly (Agreement | null)[] {
    const size = Array.from(this.#squares, (squares) => Math.sqrt(squares / Math.max(1, this.#steps)));
    const [here, there] = [this.#effects(), other.#effects()];
    return here.map((effect, i) => agreement(effect, there[i]!, size));
  }

  /** Effect of each action element on each state element; 0 if not significant. */
  #effects(): readonly Float64Array[] {
    const size = this.#inputs.length;
    const effects = Array.from({ length: this.#actions }, () => new Float64Array(this.#numbers));
    if (this.#steps < Math.max(LEAST_STEPS, LEAST_STEPS_PER_INPUT * size)) return effects;
    const inverse = inverted(this.#gram, size, RIDGE * this.#steps);
    const slopes = new Float64Array(size);
    for (let j = 0; j < this.#numbers; j++) {
      const cross = this.#cross.subarray(j * size, (j + 1) * size);
      let left = this.#squares[j]!;
      for (let k = 0; k < size; k++) {
        slopes[k] = 0;
        for (let l = 0; l < size; l++) slopes[k]! += inverse[k * size + l]! * cross[l]!;
        left -= slopes[k]! * cross[k]!;
      }
      const variance = Math.max(0, left) / (this.#steps - size);
      for (const [i, effect] of effects.entries()) {
        const isClear = Math.abs(slopes[i]!) > CLEAR * Math.sqrt(variance * inverse[i * size + i]!);
        effect[j] = isClear ? slopes[i]! : 0;
      }
    }
    return effects;
  }
}

function agreement(here: Float64Array, there: Float64Array, size: readonly number[]): Agreement | null {
  let [both, own, other] = [0, 0, 0];
  for (let j = 0; j < here.length; j++) {
    if (size[j] === 0) continue;
    const [a, b] = [here[j]! / size[j]!, there[j]! / size[j]!];
    both += a * b;
    own += a * a;
    other += b * b;
  }
  if (own === 0 || other === 0) return null;
  return [both / Math.sqrt(own * other), Math.sqrt(other / own)].map(rounded) as unknown as Agreement;
}

/** Inverse of a symmetric row-major matrix with `ridge` added to its diagonal, by Gauss-Jordan elimination. */
function inverted(matrix: Float64Array, size: number, ridge: number): Float64Array {
  const left = matrix.slice();
  const right = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    left[i * size + i]! += ridge;
    right[i * size + i] = 1;
  }
  for (let i = 0; i < size; i++) {
    const pivot = left[i * size + i]!;
    for (let k = 0; k < size; k++) {
      left[i * size + k]! /= pivot;
      right[i * size + k]! /= pivot;
    }
    for (let row = 0; row < size; row++) {
      const factor = left[row * size + i]!;
      if (row === i || factor === 0) continue;
      for (let k = 0; k < size; k++) {
        left[row * size + k]! -= factor * left[i * size + k]!;
        right[row * size + k]! -= factor * right[i * size + k]!;
      }
    }
  }
  return right;
}
