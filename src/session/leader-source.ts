/**
 * A leader's driver in the session's own thread, from its port to its joints. Its bus is read there, for nobody waits for that thread but
 * people and a policy: a read blocks it for 2 to 3 ms of every 20 ([measured](../../bench/README.md#a-leader-arm)).
 *
 * No guardian watches a leader. Limp, it moves nothing; going along at low torque, it stays where its servos were sent last, within
 * 50 ms of its slow motion from where it stood.
 */
import type { RobotConfig } from '../config/index.ts';
import { BUS, type Clock, createRobotState, messageOf, ReinError, SystemClock } from '../core/index.ts';
import { createDriver, type Driver, type DriverFacts, type DriverSpec, driverKind } from '../drivers/index.ts';
import {
  DescriptorLine,
  holdPort,
  type LineSettings,
  loadCalibration,
  type SerialLine,
  type ServoDriverOptions,
} from '../drivers/serial.ts';

/** A joint that was not read for so long is where nobody knows, s (row 18). */
const LEASE_S = 0.1;
/** A bus may miss some. */
const FIRST_READS = 10;
/** One that was lost is looked for so often, s. */
const RETRY_S = 1;

/** A port that is held for a leader, and what its driver reads and writes there. */
interface LeaderPort {
  readonly line: () => SerialLine;
  close(): Promise<void>;
}

/** Rejects with `ReinError`. */
type OpenLeaderPort = (settings: LineSettings, clock: Clock) => Promise<LeaderPort>;

/** For people: what is to be known of a leader, and what mends it. */
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
  /** Why it could not be opened again, since it was lost: each is told once. */
  readonly #refusals: Set<string> = new Set();

  /** `openPort`: tests have their own. */
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

  /** [n] rad (m for a sliding joint), as of the last `read`. */
  get positionRad(): Float64Array {
    return this.#state.positionRad;
  }

  /** Absent while it is lost. */
  get driver(): Driver | undefined {
    return this.#open?.driver;
  }

  /** Its driver takes a share of its torque. False while it is lost. */
  get limitsTorque(): boolean {
    return this.#open?.facts.limitsTorque === true;
  }

  /** What there is to know of it, each thing once; `undefined` where that is nothing new. */
  takeNotice(): LeaderNotice | undefined {
    const notice = this.#notice;
    this.#notice = undefined;
    return notice ?? this.driver?.takeNotice();
  }

  /** Torque is off afterwards, also that of one that was lost while it went along. Rejects with `ReinError`. */
  async open(): Promise<void> {
    const port = driverKind(this.#spec.name).needs === 'serial' ? await this.#holdPort() : undefined;
    try {
      const driver = await createDriver(this.#spec, {
        model: this.#model,
        openLine: port?.line,
        torqueFound: 'letGo',
      });
      const facts = await driver.open();
      // A driver of another kind may have found torque, too.
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

  /** Every joint is somewhere before anybody asks. Throws `ReinError`. */
  #readFirst(driver: Driver): void {
    for (let tries = 0; tries < FIRST_READS; tries++) {
      this.#readAtS = this.#clock.nowS();
      if (driver.read(this.#state) === 'ok') return;
    }
    throw new ReinError('driver', `The leader arm ${this.#model.name} does not say where its joints are.`, {
      remedy: 'Check its power and cables; rein doctor shows what every servo says of itself.',
    });
  }

  /** Behind the back of whoever reads: it is lost until it is there again. */
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
    // Servos are the only leaders on a cable: their calibration says which adapter is theirs.
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
