/**
 * Detects two publishers of the same joints with different values, e.g. a forgotten joint_state_publisher: measurements
 * alternate between them, and none is trustworthy. Publishers of other joints, or of equal values, do no harm.
 */
import type { Clock } from '../../model/index.ts';
import type { RobotReadings } from './robot-readings.ts';

/** Shortest period of graph queries; the graph changes as slowly. */
const ASK_EVERY_S = 0.2;

export interface SourcesParts {
  readonly readings: Pick<RobotReadings, 'isAlternating'>;
  /** Fully qualified names of the nodes that publish the measurements, and their topic. */
  readonly publishers: () => { readonly topic: string; readonly nodes: readonly string[] };
  readonly clock: Clock;
}

export class Sources {
  readonly #parts: SourcesParts;
  #askedAtS = Number.NEGATIVE_INFINITY;
  #contradiction: string | undefined;

  constructor(parts: SourcesParts) {
    this.#parts = parts;
  }

  /** Present contradiction; `undefined` if there is none. */
  contradiction(): string | undefined {
    const { readings, publishers, clock } = this.#parts;
    const nowS = clock.nowS();
    if (!readings.isAlternating(nowS)) this.#contradiction = undefined;
    else if (nowS - this.#askedAtS >= ASK_EVERY_S) {
      this.#askedAtS = nowS;
      const { topic, nodes } = publishers();
      // Two nodes of one name appear as two publishers of it.
      const names = [...new Set(nodes)].sort().join(', ');
      this.#contradiction =
        nodes.length < 2
          ? undefined
          : `${topic} has ${nodes.length} publishers (${names}), and the joints jump to and fro between two places.`;
    }
    return this.#contradiction;
  }
}
