/**
 * Seeded random numbers: xoshiro128** (Blackman and Vigna, https://prng.di.unimi.it/), seeded by SplitMix32.
 * One generator per purpose, forked by name, so that a new consumer never shifts the numbers of another.
 */

/** Complete state of a generator, as stored in checkpoints. */
export type RngState = readonly [number, number, number, number];

/** A seeded generator. Methods marked tick-safe allocate nothing. */
export class Rng {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** `seed`: any integer up to ±(2^53 − 1), or a state to continue from. */
  constructor(seed: number | RngState) {
    if (typeof seed !== 'number') {
      [this.#a, this.#b, this.#c, this.#d] = seed;
      return;
    }
    if (!Number.isSafeInteger(seed)) throw new RangeError(`a seed is an integer, got ${seed}`);
    const mix = splitMix32(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0);
    this.#a = mix();
    this.#b = mix();
    this.#c = mix();
    this.#d = mix() | 1;
  }

  /** Returns the state to continue from later. */
  state(): RngState {
    return [this.#a, this.#b, this.#c, this.#d];
  }

  /** Restores `state`. */
  setState(state: RngState): void {
    [this.#a, this.#b, this.#c, this.#d] = state;
  }

  /** Returns an independent generator for the purpose `label`. Depends on seed and label only if forked before any draw. */
  fork(label: string): Rng {
    let hash = 0x811c9dc5;
    for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
    const mix = splitMix32((this.#a ^ hash) >>> 0, this.#b);
    return new Rng([mix(), mix(), mix(), mix() | 1]);
  }

  /** An integer in [0, 2^32). Tick-safe. */
  nextU32(): number {
    const x = Math.imul(this.#b, 5);
    const result = Math.imul((x << 7) | (x >>> 25), 9);
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result >>> 0;
  }

  /** A number in [0, 1) with 32 random bits. Tick-safe. */
  uniform(): number {
    return this.nextU32() / 2 ** 32;
  }

  /** A number in [low, high). Tick-safe. */
  uniformIn(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** An integer in [0, count); the bias is negligible below 2^24. Tick-safe. */
  int(count: number): number {
    return Math.floor((this.nextU32() / 2 ** 32) * count);
  }

  /** A draw from N(0, 1): Box–Muller, one of the pair. Tick-safe. */
  normal(): number {
    const u = 1 - this.uniform();
    return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Fills `out` with independent N(0, 1) draws. Tick-safe. */
  fillNormal(out: Float32Array | Float64Array): void {
    const n = out.length;
    for (let i = 0; i < n; i += 2) {
      const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
      const angle = 2 * Math.PI * this.uniform();
      out[i] = radius * Math.cos(angle);
      if (i + 1 < n) out[i + 1] = radius * Math.sin(angle);
    }
  }
}

function splitMix32(low: number, high: number): () => number {
  let state = (low ^ Math.imul(high, 0x9e3779b9)) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}
