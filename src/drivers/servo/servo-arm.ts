/** Open arm of bus servos: per tick, one request for all readings and one for all goals. */
import { exitRampOf, holdsItself, ReinError, type RobotModel, type Vec } from '../../model/index.ts';
import { BUS, type GuardNotice, HARDWARE, type RobotState } from '../../rows/index.ts';
import type { DriverReport, DriverStatus } from '../driver.ts';
import type { SerialLine } from '../serial/line.ts';
import type { Calibration } from './calibration.ts';
import type { Motor, ServoFamily } from './family.ts';
import type { ServoDriverOptions } from './options.ts';
import { ServoBus } from './servo-bus.ts';
import { ServoOutputs } from './servo-outputs.ts';
import { ServoReadings } from './servo-readings.ts';
import { ServoSetup } from './servo-setup.ts';
import { ServoSupervision } from './servo-supervision.ts';

/**
 * Share of the control period within which torque has to come on, and the same for a bus whose servos are read one by
 * one; number of further ticks in which it is tried: three in all are a loss (row 10).
 */
const ON_SHARE = 0.6;
const ON_SHARE_ONE_BY_ONE = 0.9;
const ON_TICKS = 2;

export interface ServoArmParts {
  readonly line: SerialLine;
  readonly family: ServoFamily;
  readonly options: ServoDriverOptions;
  /** Servos of the joints, then encoders, then second servos of joints. */
  readonly motors: readonly Motor[];
  readonly calibration: Calibration;
  readonly periodS: number;
  /** Report of the driver, which outlives a lost line. */
  readonly report: DriverReport;
}

/** One line, its servos and their state. */
export class ServoArm {
  readonly bus: ServoBus;
  readonly calibration: Calibration;
  readonly #line: SerialLine;
  readonly #family: ServoFamily;
  readonly #motors: readonly Motor[];
  readonly #joints: number;
  readonly #periodS: number;
  readonly #setup: ServoSetup;
  readonly #outputs: ServoOutputs;
  readonly #readings: ServoReadings;
  readonly #supervision: ServoSupervision;
  /** `needsFirstMotion`: set at power-up, at a servo restart, or after a prolonged silence of all servos. */
  readonly #report: DriverReport;
  /** Motor that kept torque from coming on, until reported; else −1. */
  #refused = -1;
  /** True if the reason is that it was not read in that tick. */
  #isUnread = false;
  /** Number of further ticks in which torque may still come on. */
  #onTicks = 0;
  #busyS = 0;

  constructor({ line, family, options, motors, calibration, periodS, report }: ServoArmParts) {
    this.#line = line;
    this.#family = family;
    this.#motors = motors;
    this.#joints = options.jointNames.length;
    this.#periodS = periodS;
    this.calibration = calibration;
    const protocol = family.protocolOf(
      motors.map(({ model }) => model),
      motors.map(({ calibration: found }) => found?.firmware),
    );
    const bus = new ServoBus({ line, protocol, answerS: options.answerMs / 1e3, counters: report.busCounters });
    const outputs = new ServoOutputs(bus, family, motors, this.#joints);
    const readings = new ServoReadings({ bus, family, options, motors, periodS });
    this.bus = bus;
    this.#setup = new ServoSetup(bus, family, motors, options.named);
    this.#outputs = outputs;
    this.#readings = readings;
    this.#supervision = new ServoSupervision({ bus, family, options, motors, readings, outputs, periodS });
    this.#report = report;
    report.needsFirstMotion = true;
  }

  /** Sets up all servos. Between ticks, without torque. Throws `ReinError('driver')` with the problem and the servo. */
  configure(): void {
    this.#setup.apply();
    this.#readings.forgetMisses();
    this.#supervision.restart();
    this.#outputs.setCaps(1);
  }

  /** Like `configure`, which clears latched faults, and then reads the position of each servo. */
  recover(): void {
    // A latched fault may have required a reboot; a silent servo may have had no supply.
    const { faults } = this.#supervision;
    if ((faults & RESTARTED) !== 0 || this.#readings.hasLeftOut) this.#report.needsFirstMotion = true;
    this.configure();
    this.#readings.readPatiently();
    this.#supervision.see();
    this.#supervision.openGate();
  }

  /** Like `recover`, and checks that each servo has a reading and can hold there. Writes no goal: that alone may switch torque on. */
  prepare(): void {
    this.recover();
    for (let i = 0; i < this.#joints; i++) {
      this.#outputs.reference[i] = this.#readings.position[i]!;
      const { id, name } = this.#motors[i]!;
      if (!this.#readings.isRead(i))
        throw new ReinError('driver', `Servo ${id} (${name}) has not reported its position.`, {
          remedy: 'Check its cable.',
        });
      if (!this.#outputs.takesGoal(i)) throw new ReinError('driver', this.#beyond(i), BY_HAND);
    }
  }

  /**
   * If torque does not come on, two further `write`s try again; then references are refused (row 10), and `takeNotice` names the servo.
   */
  enable(): void {
    this.#outputs.setCaps(1);
    this.#supervision.restart();
    this.#onTicks = ON_TICKS;
    this.#turnOn();
  }

  disable(): void {
    this.#onTicks = 0;
    this.#outputs.turnOff();
  }

  limitTorque(ratio: number): void {
    this.#outputs.setCaps(ratio);
    this.#outputs.writeCaps();
  }

  read(out: RobotState): DriverStatus {
    const readings = this.#readings;
    const report = this.#report;
    this.#outputs.goOnTurningOff();
    const answered = readings.read();
    this.#supervision.see();
    this.#supervision.openGate();
    // The supply may have been off.
    if (readings.isSilent) report.needsFirstMotion = true;
    if (this.#line.clock.nowS() < readings.deadlineS && !this.#supervision.readNext()) report.needsFirstMotion = true;
    this.#supervision.judge();
    report.hardwareFaults = this.#supervision.faults;
    readings.count();
    // Uses the time stored with the reading: V8 may box each time that a function returns.
    this.#busyS = this.#line.clock.nowS() - readings.nowS;
    this.bus.counters[BUS.busyS] = this.#busyS;
    if (answered === 0) return 'lost';
    readings.fill(out);
    return answered === this.#motors.length ? 'ok' : 'late';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    const outputs = this.#outputs;
    if (!outputs.isOn && this.#onTicks > 0) {
      this.#onTicks--;
      this.#turnOn();
    }
    if (!outputs.isOn) return 'lost';
    if (referenceRad.length !== this.#joints) return 'rejected';
    if (!outputs.takeReference(referenceRad)) return 'rejected';
    const startS = this.#line.clock.nowS();
    // After a held-up tick, the last reading no longer tells whether a servo still has torque.
    if (this.#family.goalTurnsOn && !(startS - this.#readings.nowS <= this.#periodS)) return 'late';
    const isWritten = outputs.writeGoals();
    this.#family.feed?.(this.bus);
    this.bus.counters[BUS.busyS] = this.#busyS + this.#line.clock.nowS() - startS;
    return isWritten && !this.bus.isLost ? 'ok' : 'lost';
  }

  takeNotice(): GuardNotice | undefined {
    if (this.#refused < 0 || this.#onTicks > 0) return this.#silentNotice() ?? this.#supervision.takeNotice();
    const refused = this.#refused;
    const { id, name } = this.#motors[refused]!;
    if (!this.#isUnread && refused < this.#joints && !this.#outputs.takesGoal(refused)) {
      this.#refused = -1;
      return { level: 'error', row: 34, message: this.#beyond(refused), ...BY_HAND };
    }
    const what = this.#isUnread
      ? 'has not reported its position'
      : 'did not confirm its goal, its torque cap or its torque';
    this.#refused = -1;
    return {
      level: 'error',
      row: 10,
      message: `Servo ${id} (${name}) ${what}: torque was not enabled on any joint.`,
      remedy: 'Check its cable and plugs, then acknowledge and enable.',
    };
  }

  #silentNotice(): GuardNotice | undefined {
    const silent = this.#readings.takeSilent();
    if (silent < 0) return undefined;
    const { id, name } = this.#motors[silent]!;
    const message = `Servo ${id} (${name}) does not answer.`;
    return { level: 'error', row: 10, message, remedy: 'Check its cable and plugs, then acknowledge.' };
  }

  close(): void {
    if (this.#outputs.isOn) this.disable();
    if (this.#outputs.isGoingOff) this.letGo();
    this.#line.close();
  }

  /**
   * Like `letGo`, for servos that may have held their last goal while the line was gone: ramps torque down if the arm
   * would drop. Not for the tick.
   */
  letDown(robot: Pick<RobotModel, 'holdsWithoutTorque' | 'exitRampS'>): void {
    if (!holdsItself(robot) && this.#setup.hasTorque()) this.#ramp(exitRampOf(robot));
    this.letGo();
  }

  #ramp(durationS: number): void {
    for (const motor of this.#motors) this.#family.wake?.(this.bus, motor);
    const { clock } = this.#line;
    const startS = clock.nowS();
    // Not above their present caps: an arm that has sunk would jump up.
    const from = this.#outputs.heldRatio();
    for (let left = from; left > 0 && !this.bus.isLost; left = from * (1 - (clock.nowS() - startS) / durationS)) {
      this.limitTorque(left);
      this.#line.wait(clock.nowS() + this.#periodS);
    }
  }

  /** Switches torque off; each servo confirms it if it answers. Not for the tick. */
  letGo(): void {
    for (let i = 0; i < this.#motors.length && !this.bus.isLost; i++) {
      if (this.#motors[i]!.calibration !== undefined) this.#setup.letGo(i);
    }
  }

  /** Returns true if motor `i` was read in this tick; for an encoder, if it was ever read. */
  #isPlaced(i: number): boolean {
    const { readAtS } = this.#readings;
    return this.#motors[i]!.calibration === undefined ? !Number.isNaN(readAtS[i]!) : this.#readings.isRead(i);
  }

  /** Returns why torque stays off: it would pull motor `i` away from where it is. */
  #beyond(i: number): string {
    const { id, name } = this.#motors[i]!;
    return `Servo ${id} (${name}) is read at ${this.#readings.position[i]!.toFixed(2)}, where it takes no goal: its reading wraps, or it was turned too far (fault 34).`;
  }

  #turnOn(): void {
    const readings = this.#readings;
    // The first goal of each joint is its present position: servos jump to the goal written last.
    for (let i = 0; i < this.#joints; i++) this.#outputs.reference[i] = readings.position[i]!;
    // Without torque an arm sinks: the position of a tick ago is not a valid goal.
    this.#refused = -1;
    for (let i = 0; i < this.#motors.length && this.#refused < 0; i++) if (!this.#isPlaced(i)) this.#refused = i;
    this.#isUnread = this.#refused >= 0;
    for (let i = 0; i < this.#joints && this.#refused < 0; i++) if (!this.#outputs.takesGoal(i)) this.#refused = i;
    if (this.#refused >= 0) return;
    const share = this.bus.protocol.syncRead === undefined ? ON_SHARE_ONE_BY_ONE : ON_SHARE;
    this.#refused = this.#outputs.turnOn(this.#line.clock.nowS() + share * this.#periodS);
    if (this.#refused < 0) this.#onTicks = 0;
  }
}

const BY_HAND = {
  remedy:
    'With the torque off, turn it back by hand; if its position is right, calibrate it again. Then acknowledge and enable.',
};

/** Faults after which a servo may have restarted. */
const RESTARTED = HARDWARE.servoFault | HARDWARE.servoReset | HARDWARE.torqueCap;
