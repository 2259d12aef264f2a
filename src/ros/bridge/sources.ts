/**
 * Two that publish the same joints, and not the same of them, e.g. a joint_state_publisher that was forgotten: measurements go to
 * and fro between them, and none is where the robot is. One that publishes other joints, or the same numbers, does no harm.
 */
import type { Clock } from '../../core/index.ts';
import type { RobotReadings } from './robot-readings.ts';

/** The graph is asked so often, at most; it changes as slowly. */
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

  /** What they contradict each other in, as of now; `undefined` where they do not. */
  contradiction(): string | undefined {
    const { readings, publishers, clock } = this.#parts;
    const nowS = clock.nowS();
    if (!readings.isAlternating(nowS)) this.#contradiction = undefined;
    else if (nowS - this.#askedAtS >= ASK_EVERY_S) {
      this.#askedAtS = nowS;
      const { topic, nodes } = publishers();
      // Two of one name are seen as two publishers of it.
      const names = [...new Set(nodes)].sort().join(', ');
      this.#contradiction =
        nodes.length < 2
          ? undefined
          : `${topic} has ${nodes.length} publishers (${names}), and the joints jump to and fro between two places.`;
    }
    return this.#contradiction;
  }
}
