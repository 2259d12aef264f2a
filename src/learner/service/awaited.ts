/** Conditions for a training to start or continue: the demonstrations of its robots, or the data that its checkpoint had seen. */
import { readDemonstrations } from '../../link/index.ts';

/** A learner's position in the journal: transitions received, and those accepted. */
export interface ReplayPosition {
  /** Transitions offered to replay, including demonstrations and dropped ones. */
  readonly received: number;
  /** Online transitions accepted. */
  readonly online: number;
  /** Rows of the demonstration buffer. */
  readonly demonstrations: number;
}

/** Transitions received from each robot, and its reports on its own part. */
export class RobotShares {
  readonly #received = new Map<string, number>();
  /** Total number of demonstration steps, as reported by each robot. */
  readonly #demonstrated = new Map<string, number>();
  /** Robots that have reported the end of their part. */
  readonly #ended = new Set<string>();

  /** Number of transitions received from each robot, by its name. */
  get steps(): ReadonlyMap<string, number> {
    return this.#received;
  }

  /** Counts a transition received from `robotId`, accepted or not. */
  received(robotId: string): void {
    this.#received.set(robotId, (this.#received.get(robotId) ?? 0) + 1);
    this.#ended.delete(robotId);
  }

  /**
   * Processes a report of `robotId`. An unreadable report is ignored, lest the training wait for it: the result is then the
   * reason.
   */
  reported(robotId: string, kind: string, body: Readonly<Record<string, unknown>>): string | undefined {
    if (kind === 'end') this.#ended.add(robotId);
    if (kind !== 'demonstrationsComplete') return undefined;
    const report = readDemonstrations(body);
    if (!report.ok) return report.error.message;
    this.#demonstrated.set(robotId, report.value.transitions);
    return undefined;
  }

  /** True if every robot in `joined` has ended its part; a robot's report ends only its own. */
  haveEnded(joined: readonly string[]): boolean {
    return this.#ended.size > 0 && joined.every((robotId) => this.#ended.has(robotId));
  }

  /** True if any robot has reported its demonstrations complete. */
  get isAnyComplete(): boolean {
    return this.#demonstrated.size > 0;
  }

  /**
   * True if all demonstrations reported complete have arrived, except `lost` transitions. Counted on arrival, accepted or not: an
   * unfit demonstration must not block the training forever.
   */
  areAllHere(lost: number): boolean {
    const robots = [...this.#demonstrated];
    return robots.length > 0 && robots.every(([id, steps]) => (this.#received.get(id) ?? 0) + lost >= steps);
  }

  /** True if the reports contain at least one demonstration step. */
  get hasDemonstrations(): boolean {
    return [...this.#demonstrated.values()].some((steps) => steps > 0);
  }
}

/** Numbers of online transitions, and of demonstrations and interventions, in replay. */
export type Counts = Pick<ReplayPosition, 'online' | 'demonstrations'>;

/** Number of transitions by which `counts` falls short of `wanted`. */
export function missingOf(wanted: Counts, counts: Counts): number {
  return Math.max(0, wanted.online - counts.online) + Math.max(0, wanted.demonstrations - counts.demonstrations);
}

/** Waits until replay contains the data of the checkpoint, and reports once if other journals arrived instead. */
export class AwaitedReplay {
  readonly position: ReplayPosition;
  readonly #report: (message: string) => void;
  #isReported = false;

  /** `report` is called once if as many transitions as the checkpoint had seen have arrived, but not the same ones. */
  constructor(position: ReplayPosition, report: (message: string) => void) {
    this.position = position;
    this.#report = report;
  }

  /**
   * True if all data is present: `counts` of replay after `received` transitions, and `lost` more that robots have reported as
   * unavailable, which are not waited for.
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
