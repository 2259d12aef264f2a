/** Action sequences improved by gradient-free search: a parent, and children that differ in a few places. */
import type { Rng } from '../../model/index.ts';

/** Share of the numbers that a child changes. */
const CHANGED = 0.08;

export class Genome {
  readonly #values: Float64Array;
  readonly #size: number;
  readonly #knotS: number;

  /** `values` [knots·A] in [−1, 1]; each knot is held for `knotS`. */
  private constructor(values: Float64Array, size: number, knotS: number) {
    this.#values = values;
    this.#size = size;
    this.#knotS = knotS;
  }

  /** Returns `knots` × `size` random numbers, most of them −1 or 1. */
  static random(knots: number, size: number, knotS: number, rng: Rng): Genome {
    const values = new Float64Array(knots * size);
    for (let i = 0; i < values.length; i++) values[i] = draw(rng);
    return new Genome(values, size, knotS);
  }

  /** Writes the action at `nowS` into `out` ([A]). */
  play(out: Float64Array, nowS: number): void {
    const knots = this.#values.length / this.#size;
    const knot = Math.min(knots - 1, Math.floor(nowS / this.#knotS));
    for (let i = 0; i < out.length; i++) out[i] = this.#values[knot * this.#size + i]!;
  }

  /** Returns a copy that differs in about one number in twelve, and at least in one. */
  child(rng: Rng): Genome {
    const values = this.#values.slice();
    values[rng.int(values.length)] = draw(rng);
    for (let i = 0; i < values.length; i++) if (rng.uniform() < CHANGED) values[i] = draw(rng);
    return new Genome(values, this.#size, this.#knotS);
  }
}

function draw(rng: Rng): number {
  const toss = rng.uniform();
  if (toss < 0.4) return -1;
  return toss < 0.8 ? 1 : rng.uniformIn(-1, 1);
}
