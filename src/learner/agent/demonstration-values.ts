/** Critic values of demonstrations with known returns: always the same steps, so that any change is the critics'. */
import type { Transition } from '../../rows/index.ts';
import type { Agent } from './agent.ts';
import { type EpisodeReturns, RealisedReturns } from './calibration.ts';

/** Number of demonstrations kept: the first ones that the task terminated. */
const MOST_EPISODES = 16;

/** Means over the kept steps. */
export interface DemonstrationValues {
  readonly demonstrationQ: number;
  readonly demonstrationReturn: number;
}

/** Keeps a few steps of a few demonstrations; evaluating them has no effect on training. */
export class DemonstrationProbe {
  readonly #returns: RealisedReturns;
  readonly #kept: EpisodeReturns[] = [];

  constructor(config: ConstructorParameters<typeof RealisedReturns>[0]) {
    this.#returns = new RealisedReturns(config, 'demonstrations');
  }

  /** Takes the next transition of a robot; training transitions are ignored. */
  take(transition: Transition, robotId: string): void {
    if (this.#kept.length >= MOST_EPISODES) return;
    const returns = this.#returns.collect(transition, robotId);
    if (returns !== undefined) this.#kept.push(returns);
  }

  /** Returns `undefined` if there is no usable demonstration, or `agent` has no critics. Must not overlap with an update. */
  async ask(agent: Agent): Promise<DemonstrationValues | undefined> {
    if (this.#kept.length === 0 || agent.algorithm.value === undefined) return undefined;
    let [q, realised, steps] = [0, 0, 0];
    const values = await agent.criticValues(
      joined(this.#kept.map(({ observations }) => observations)),
      joined(this.#kept.map(({ actions }) => actions)),
    );
    for (const value of values) q += value;
    for (const { returns } of this.#kept) {
      steps += returns.length;
      for (const value of returns) realised += value;
    }
    return { demonstrationQ: q / steps, demonstrationReturn: realised / steps };
  }
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
