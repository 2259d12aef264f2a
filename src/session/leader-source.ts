/**
 * A leader's driver in the session's own thread, from its port to its joint positions. Its bus may be read there because only people and a
 * policy wait for that thread: a read blocks it for 2 to 3 ms of every 20 ([measured](../../bench/README.md#a-leader-arm)).
 *
 * No guardian watches a leader. Without torque it moves nothing; following at low torque, it stays where its servos were sent last, within
 * 50 ms of its slow motion from where it stood.
 */
import type { RobotConfig } from '../config/index.ts';
import { createDriver, type Driver, type DriverFacts, type DriverSpec, driverKind } from '../drivers/index.ts';
import {
  DescriptorLine,
  holdPort,
  type LineSettings,
  loadCalibration,
  type SerialLine,
  type ServoDriverOptions,
} from '../drivers/serial.ts';
import { type Clock, messageOf, ReinError, SystemClock } from '../model/index.ts';
import { BUS, createRobotState } from '../rows/index.ts';

/** Age of a joint reading from which the leader counts as lost, s (row 18). */
const LEASE_S = 0.1;
/** Attempts at the first reading, as a bus may miss some. */
const FIRST_READS = 10;
/** Interval at which a lost leader is searched for, s. */
const RETRY_S = 1;

/** A port held for a leader, and the line on which its driver reads and writes. */
interface LeaderPort {
  readonly line: () => SerialLine;
  close(): Promise<void>;
}

/** Opens a leader's port. Rejects with `ReinError`. */
type OpenLeaderPort = (settings: LineSettings, clock: Clock) => Promise<LeaderPort>;

/** News about a leader for people, with its remedy. */
interface LeaderNotice {
  readonly message: string;
  readonly remedy: string;
}

export class LeaderSource {
  readonly #spec: DriverSpec;
  readonly #model: RobotConfig;
  readonly #clock: Clock;
  readonly #state: ReturnType<typeof createRobotState>;
  readonly #openPort: OpenLeaderPort;
  #open: { readonly driver: Driver; readonly facts: DriverFacts; readonly port: LeaderPort | undefined } | undefined;
  #readAtS = Number.NEGATIVE_INFINITY;
  #triedAtS = 0;
  #opening: Promise<void> | undefined;
  #isClosed = false;
  #notice: LeaderNotice | undefined;
  /** Reasons why it could not be reopened since it was lost; each is reported once. */
  readonly #refusals: Set<string> = new Set();

  /** `openPort`: replaced in tests. */
  constructor(
    spec: DriverSpec,
    model: RobotConfig,
    clock: Clock = new SystemClock(),
    openPort: OpenLeaderPort = openRealPort,
  ) {
    this.#spec = spec;
    this.#model = model;
    this.#clock = clock;
    this.#openPort = openPort;
    this.#state = createRobotState(model.joints.length, 0);
  }

  /** [n] rad (m for a prismatic joint), as of the last `read`. */
  get positionRad(): Float64Array {
    return this.#state.positionRad;
  }

  /** Absent while the leader is lost. */
  get driver(): Driver | undefined {
    return this.#open?.driver;
  }

  /** True if its driver can limit the torque. False while the leader is lost. */
  get limitsTorque(): boolean {
    return this.#open?.facts.limitsTorque === true;
  }

  /** Returns news about the leader, each once; `undefined` if there is none. */
  takeNotice(): LeaderNotice | undefined {
    const notice = this.#notice;
    this.#notice = undefined;
    return notice ?? this.driver?.takeNotice();
  }

  /** Opens the leader. Torque is off afterwards, even if it was lost while following with torque. Rejects with `ReinError`. */
  async open(): Promise<void> {
    const port = driverKind(this.#spec.name).needs === 'serial' ? await this.#holdPort() : undefined;
    try {
      const driver = await createDriver(this.#spec, {
        model: this.#model,
        openLine: port?.line,
        torqueFound: 'letGo',
      });
      const facts = await driver.open();
      // A driver of another kind may have found torque on, too.
      driver.torque(0);
      this.#readFirst(driver);
      this.#open = { driver, facts, port };
      this.#refusals.clear();
    } catch (error) {
      await port?.close();
      throw error;
    }
    if (this.#isClosed) await this.#release();
  }

  /** `ok` as long as every joint was read within its lease. */
  read(): 'ok' | 'lost' {
    const nowS = this.#clock.nowS();
    if (this.#open !== undefined) {
      const { driver, facts } = this.#open;
      const status = driver.read(this.#state);
      const { busCounters, hardwareFaults } = driver.report;
      const oldestS = facts.countsBus === true ? busCounters[BUS.oldestS]! : 0;
      if ((status === 'ok' || status === 'late') && oldestS <= LEASE_S) this.#readAtS = nowS;
      if (hardwareFaults !== 0) driver.torque(0);
    }
    if (nowS - this.#readAtS <= LEASE_S) return 'ok';
    this.#reopen(nowS);
    return 'lost';
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening;
    await this.#release();
  }

  /** Reads until every joint has a position. Throws `ReinError`. */
  #readFirst(driver: Driver): void {
    for (let tries = 0; tries < FIRST_READS; tries++) {
      this.#readAtS = this.#clock.nowS();
      if (driver.read(this.#state) === 'ok') return;
    }
    throw new ReinError('driver', `The leader arm ${this.#model.name} does not report its joint positions.`, {
      remedy: 'Check its power and cables; rein doctor shows the state of every servo.',
    });
  }

  /** Reopens in the background: the leader is lost until it is back. */
  #reopen(nowS: number): void {
    if (this.#opening !== undefined || this.#isClosed || nowS - this.#triedAtS < RETRY_S) return;
    this.#triedAtS = nowS;
    this.#opening = this.#release()
      .then(() => this.open())
      .catch((error: unknown) => this.#tell(error))
      .finally(() => {
        this.#opening = undefined;
      });
  }

  #tell(error: unknown): void {
    const message = messageOf(error);
    if (this.#refusals.has(message)) return;
    this.#refusals.add(message);
    this.#notice = { message, remedy: (error instanceof ReinError ? error.remedy : undefined) ?? '' };
  }

  async #release(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.driver.close();
    await open?.port?.close();
  }

  #holdPort(): Promise<LeaderPort> {
    // Servos are the only leaders on a cable: their calibration names their adapter.
    const { named, calibration, port: path, baud, jointNames } = this.#spec.options as unknown as ServoDriverOptions;
    const { adapter } = loadCalibration(calibration, {
      named,
      robot: this.#model.name,
      family: this.#spec.name,
      jointNames,
    });
    return this.#openPort({ path, baud, adapter, named }, this.#clock);
  }
}

async function openRealPort(settings: LineSettings, clock: Clock): Promise<LeaderPort> {
  const held = await holdPort(settings);
  return { line: () => new DescriptorLine(held, clock), close: () => held.close() };
}
