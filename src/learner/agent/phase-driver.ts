/**
 * Drives one phase of an algorithm on an engine: fills inputs, starts calls, and, if the engine has its own thread, draws the
 * next batch while the current one computes. Drawing ahead does not change the order of the draws.
 */
import type { RngState } from '../../model/index.ts';
import type { CallReport, TrainingEngine } from '../compute/training-engine.ts';
import type { PhaseName } from '../update/algorithm.ts';
import type { TrainingRandom } from '../update/step.ts';
import { type Draw, UpdateInputs } from '../update/update-inputs.ts';

/** Created by `open`; calls must not overlap. */
export class PhaseDriver {
  readonly #engine: TrainingEngine;
  readonly #phase: PhaseName;
  readonly #inputs: readonly UpdateInputs[];
  #set = 0;
  /** Draw that the current input set was filled for ahead of its call, and the generator states before it. */
  #ahead: { readonly draw: Draw; readonly before: readonly RngState[] } | undefined;

  private constructor(engine: TrainingEngine, phase: PhaseName, inputs: readonly UpdateInputs[]) {
    this.#engine = engine;
    this.#phase = phase;
    this.#inputs = inputs;
  }

  /** Opens `phase` for calls of `updates` inner updates. */
  static async open(engine: TrainingEngine, phase: PhaseName, updates: number): Promise<PhaseDriver> {
    const opened = await engine.open(phase, updates);
    const inputs = opened.sets.map((arrays) => new UpdateInputs(opened, engine.spec, updates, arrays));
    return new PhaseDriver(engine, phase, inputs);
  }

  /**
   * Runs one call on `draw`. `next`: the draw of the following call, if known. A failed call has no effect: the generators are
   * restored.
   */
  async run(draw: Draw, next: Draw | undefined): Promise<CallReport> {
    if (!this.#isFilledFor(draw)) {
      this.rewind(draw.random);
      this.#ahead = { draw, before: statesOf(draw.random) };
      this.#inputs[this.#set]!.fill(draw);
    }
    const current = this.#ahead;
    try {
      const report = this.#engine.run(this.#phase, this.#set);
      if (next !== undefined && this.#inputs.length > 1) this.#fillAhead(next);
      else this.#ahead = undefined;
      return await report;
    } catch (error) {
      this.#ahead = current;
      this.rewind(draw.random);
      throw error;
    }
  }

  #fillAhead(next: Draw): void {
    this.#set = 1 - this.#set;
    this.#ahead = { draw: next, before: statesOf(next.random) };
    this.#inputs[this.#set]!.fill(next);
  }

  /** Discards what was drawn ahead: restores `random` to its state before. */
  rewind(random: TrainingRandom): void {
    const before = this.#ahead?.before;
    this.#ahead = undefined;
    if (before === undefined) return;
    generatorsOf(random).forEach((rng, i) => {
      rng.setState(before[i]!);
    });
  }

  async close(): Promise<void> {
    await this.#engine.shut(this.#phase);
  }

  #isFilledFor({ replay, visibleCount, call, demoFraction }: Draw): boolean {
    const ahead = this.#ahead?.draw;
    if (ahead === undefined || ahead.replay !== replay || ahead.demoFraction !== demoFraction) return false;
    return ahead.visibleCount === visibleCount && ahead.call === call;
  }
}

function generatorsOf({ batch, noise, subset }: TrainingRandom) {
  return [batch, noise, subset];
}

function statesOf(random: TrainingRandom): RngState[] {
  return generatorsOf(random).map((rng) => rng.state());
}
