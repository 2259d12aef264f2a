/** Diagnosis of a failing script: the stage of the safety chain that changed its requests. */
import { counted } from '../model/index.ts';
import type { Transition } from '../rows/index.ts';
import { namesOfBits, SAFETY_BITS } from '../safety/index.ts';

/** Counts the tried steps that each stage of the safety chain changed. */
export class StageChanges {
  readonly #steps = new Map<string, number>();
  #all = 0;

  add(tried: readonly Pick<Transition, 'filterBits'>[]): void {
    this.#all += tried.length;
    for (const { filterBits } of tried)
      for (const name of namesOfBits(filterBits)) this.#steps.set(name, (this.#steps.get(name) ?? 0) + 1);
  }

  /** True if the stage that changed most changed at least half of the steps: then the script is not to blame. */
  get isMost(): boolean {
    return 2 * (this.#most?.[1] ?? 0) >= this.#all && this.#all > 0;
  }

  /** The stage that changed most, with its message; empty if none did. */
  get sentence(): string {
    const most = this.#most;
    if (most === undefined) return '';
    const [name, steps] = most;
    const message = SAFETY_BITS.find((bit) => bit.name === name)?.message ?? '';
    return ` The safety stage ${name} changed ${steps} of ${counted(this.#all, 'step')}: ${message}`;
  }

  get #most(): readonly [string, number] | undefined {
    return [...this.#steps].sort(([, a], [, b]) => b - a)[0];
  }
}
