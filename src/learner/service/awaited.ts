/** What a training waits for before it goes on: the demonstrations of its robots, or what its checkpoint had seen. */
import { readDemonstrations } from '../../link/index.ts';

/** Where in the journal a learner was: what it had been given, and what it had taken from that. */
export interface ReplayPosition {
  /** Transitions offered to replay, demonstrations and dropped ones included. */
  readonly received: number;
  /** Online transitions taken. */
  readonly online: number;
  /** Rows of the demonstration buffer. */
  readonly demonstrations: number;
}

/** What each robot has given to a training, and what it has reported of its own part in it. */
export class RobotShares {
  readonly #received = new Map<string, number>();
  /** Demonstration steps that a robot has reported to be all of its own. */
  readonly #demonstrated = new Map<string, number>();
  /** Robots that have reported that their part is over. */
  readonly #ended = new Set<string>();

  /** Transitions that each robot has given, by its name. */
  get steps(): ReadonlyMap<string, number> {
    return this.#received;
  }

  /** A transition of `robotId` has come, taken or not. */
  received(robotId: string): void {
    this.#received.set(robotId, (this.#received.get(robotId) ?? 0) + 1);
    this.#ended.delete(robotId);
  }

  /**
   * `robotId` has reported something of itself. A report that cannot be read counts for nothing, lest the training wait for it:
   * then the result is why.
   */
  reported(robotId: string, kind: string, body: Readonly<Record<string, unknown>>): string | undefined {
    if (kind === 'end') this.#ended.add(robotId);
    if (kind !== 'demonstrationsComplete') return undefined;
    const report = readDemonstrations(body);
    if (!report.ok) return report.error.message;
    this.#demonstrated.set(robotId, report.value.transitions);
    return undefined;
  }

  /** Whether the part of every robot in `joined` is over: one robot's end is the end of its own. */
  haveEnded(joined: readonly string[]): boolean {
    return this.#ended.size > 0 && joined.every((robotId) => this.#ended.has(robotId));
  }

  /** Whether any robot has reported its demonstrations complete. */
  get isAnyComplete(): boolean {
    return this.#demonstrated.size > 0;
  }

  /**
   * Whether all that was reported complete is here, but for `lost` transitions. Counted as they came, not as they were taken: a
   * demonstration that is unfit must not make the training wait for ever.
   */
  areAllHere(lost: number): boolean {
    const robots = [...this.#demonstrated];
    return robots.length > 0 && robots.every(([id, steps]) => (this.#received.get(id) ?? 0) + lost >= steps);
  }

  /** Whether there is a demonstration among what was reported complete. */
  get hasDemonstrations(): boolean {
    return [...this.#demonstrated.values()].some((steps) => steps > 0);
  }
}

/** How many transitions replay holds of what the robot did, and of demonstrations and interventions. */
export type Counts = Pick<ReplayPosition, 'online' | 'demonstrations'>;

/** How many transitions `counts` lacks of `wanted`. */
export function missingOf(wanted: Counts, counts: Counts): number {
  return Math.max(0, wanted.online - counts.online) + Math.max(0, wanted.demonstrations - counts.demonstrations);
}

/** Waits until replay holds what the checkpoint was learned from, and reports once that other journals came in its place. */
export class AwaitedReplay {
  readonly position: ReplayPosition;
  readonly #report: (message: string) => void;
  #isReported = false;

  /** `report` is called, once, where as much has come as the checkpoint had seen, and it is not the same. */
  constructor(position: ReplayPosition, report: (message: string) => void) {
    this.position = position;
    this.#report = report;
  }

  /**
   * Whether it is all here: `counts` of replay after `received` transitions have come, and robots have reported `lost` more that
   * they cannot give. Those are not waited for.
   */
  isHere(counts: Counts, received: number, lost: number): boolean {
    const { position } = this;
    const missing = missingOf(position, counts);
    if (missing === 0) return true;
    if (missing <= lost && received + lost >= position.received) {
      this.#report(
        `Transitions that the checkpoint was learned from and that are lost: ${missing}. Learning goes on without them.`,
      );
      return true;
    }
    if (received >= position.received && !this.#isReported) {
      this.#isReported = true;
      this.#report(
        `The robots have sent ${received} transitions, which give ${kinds(counts)}; the checkpoint was learned from ` +
          `${kinds(position)}. These are other journals, or not all of them: nothing is learned until those have come. ` +
          'Start the robot of this run, with its folder, or begin a new run in another folder.',
      );
    }
    return false;
  }
}

function kinds({ online, demonstrations }: Counts): string {
  return `${online} online and ${demonstrations} of demonstrations`;
}
