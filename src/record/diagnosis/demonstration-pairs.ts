/** Consistency of demonstrations: actions where two of them were in nearly the same state. */
import type { Transition } from '../../rows/index.ts';

/** Steps that are kept, evenly spaced over all demonstrated ones. */
const KEPT = 384;
/** State elements that are compared. */
const MOST_NUMBERS = 128;
/** Two steps are near if the RMS difference of their states is below this, each element in units of its standard deviation. */
const NEAR = 0.6;
/** Two actions are opposite if the cosine of their angle is below this, and both are longer than `MOVES`. */
const OPPOSITE = -0.5;
const MOVES = 0.2;

/** Near pairs of steps of two demonstrations: each step with the nearest one of another demonstration. */
export interface Contradiction {
  readonly pairs: number;
  /** Pairs with opposite actions. */
  readonly opposed: number;
}

interface Shown {
  readonly episode: number;
  readonly state: Float32Array;
  readonly action: Float32Array;
}

/** Keeps a bounded sample of demonstrations; `contradiction` compares it, in a few milliseconds at most. */
export class DemonstrationPairs {
  readonly #size: number;
  #shown: Shown[] = [];
  #stride = 1;
  #steps = 0;
  #episode = 0;
  #compared: { readonly steps: number; readonly result: Contradiction } | undefined;

  constructor(stateSize: number) {
    this.#size = Math.min(stateSize, MOST_NUMBERS);
  }

  /** Adds the next step of a demonstration. */
  add({ observation, executed, step }: Transition): void {
    if (step === 0) this.#episode++;
    if (this.#steps++ % this.#stride !== 0) return;
    this.#shown.push({ episode: this.#episode, state: observation.slice(0, this.#size), action: executed.slice() });
    if (this.#shown.length < KEPT) return;
    this.#shown = this.#shown.filter((_, i) => i % 2 === 0);
    this.#stride *= 2;
  }

  contradiction(): Contradiction {
    if (this.#compared?.steps !== this.#steps) {
      this.#compared = { steps: this.#steps, result: this.#compare() };
    }
    return this.#compared.result;
  }

  #compare(): Contradiction {
    const weights = inverseVariances(this.#shown, this.#size);
    const farthest = NEAR ** 2 * weights.reduce((count, weight) => (weight > 0 ? count + 1 : count), 0);
    let [pairs, opposed] = [0, 0];
    for (const one of this.#shown) {
      const other = nearestOf(one, this.#shown, weights, farthest);
      if (other === undefined || length(one.action) < MOVES || length(other.action) < MOVES) continue;
      pairs++;
      if (cosine(one.action, other.action) < OPPOSITE) opposed++;
    }
    return { pairs, opposed };
  }
}

/** Nearest step of another demonstration with a squared distance below `farthest`. */
function nearestOf(one: Shown, all: readonly Shown[], weights: Float64Array, farthest: number): Shown | undefined {
  let nearest: Shown | undefined;
  let distance = farthest;
  for (const candidate of all) {
    if (candidate.episode === one.episode) continue;
    let sum = 0;
    for (let i = 0; i < weights.length && sum < distance; i++) {
      const difference = one.state[i]! - candidate.state[i]!;
      sum += weights[i]! * difference * difference;
    }
    if (sum >= distance) continue;
    distance = sum;
    nearest = candidate;
  }
  return nearest;
}

/** 1/σ² of each element; 0 if constant. */
function inverseVariances(all: readonly Shown[], size: number): Float64Array {
  return Float64Array.from({ length: size }, (_, i) => {
    let [sum, squares] = [0, 0];
    for (const { state } of all) {
      sum += state[i]!;
      squares += state[i]! ** 2;
    }
    const variance = squares / all.length - (sum / all.length) ** 2;
    return variance > 1e-12 ? 1 / variance : 0;
  });
}

function length(action: Float32Array): number {
  return Math.hypot(...action);
}

function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  for (let i = 0; i < a.length; i++) dot += a[i]! * b[i]!;
  return dot / (length(a) * length(b));
}
