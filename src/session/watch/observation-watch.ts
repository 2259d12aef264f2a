/** Watches observations that come by topic: what is too old or frozen is told once, and nothing acts on it. */
import type { ObservationProblem, ObservationSource } from '../../tasks/index.ts';
import type { SessionEvent } from '../session-types.ts';

export class ObservationWatch {
  readonly #sources: readonly ObservationSource[];
  readonly #emit: (event: SessionEvent) => void;
  readonly #told = new Set<string>();

  constructor(sources: readonly ObservationSource[], emit: (event: SessionEvent) => void) {
    this.#sources = sources;
    this.#emit = emit;
  }

  /** The first thing that keeps the policy from acting at `nowS`; `undefined` where all is well. */
  problem(nowS: number): ObservationProblem | undefined {
    for (const source of this.#sources) {
      const [problem] = source.problems(nowS);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** Tells what is new since the last time, and what is well again. Gives what `problem` gives. */
  see(nowS: number): ObservationProblem | undefined {
    let first: ObservationProblem | undefined;
    for (const source of this.#sources) {
      const [problem] = source.problems(nowS);
      first ??= problem;
      if (problem === undefined) this.#well(source.name);
      else this.#bad(source.name, problem);
    }
    return first;
  }

  #bad(name: string, { row, sentence, remedy }: ObservationProblem): void {
    if (this.#told.has(name)) return;
    this.#told.add(name);
    this.#emit({ level: 'error', name: 'observationLost', row, message: sentence, remedy });
  }

  #well(name: string): void {
    if (!this.#told.delete(name)) return;
    const message = `The observation "${name}" comes again.`;
    this.#emit({ level: 'info', name: 'observationBack', row: 0, message, remedy: '' });
  }
}
