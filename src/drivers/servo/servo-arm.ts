/** An open arm of bus servos: one request for all readings and one for all goals a tick. */
import {
  BUS,
  exitRampOf,
  type GuardNotice,
  HARDWARE,
  holdsItself,
  ReinError,
  type RobotModel,
  type RobotState,
  type Vec,
} from '../../core/index.ts';
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
 * Share of the control period within which torque comes on, or does not, and of a bus whose servos are asked one by one; in how many ticks more
 * that is tried: three are a loss (row 10).
 */
const ON_SHARE = 0.6;
const ON_SHARE_ONE_BY_ONE = 0.9;
const ON_TICKS = 2;

export interface ServoArmParts {
  readonly line: SerialLine;
  readonly family: ServoFamily;
  readonly options: ServoDriverOptions;
  /** Those of the joints, then those of encoders, then second ones of joints. */
  readonly motors: readonly Motor[];
  readonly calibration: Calibration;
  readonly periodS: number;
  /** The driver's, which goes on when the line is lost. */
  readonly report: DriverReport;
}

/** One line, its servos, and what is known of them. */
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
  /** `needsFirstMotion`: since power-up, a restart of a servo, or a prolonged silence of all. */
  readonly #report: DriverReport;
  /** The motor that kept torque from coming on, until that was reported; else −1. */
  #refused = -1;
  /** Why: it was not read in that tick. */
  #isUnread = false;
  /** In how many ticks more torque may still come on. */
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

  /** Between ticks, without torque. Throws `ReinError('driver')` with what is wrong and with which servo. */
  configure(): void {
    this.#setup.apply();
    this.#readings.forgetMisses();
    this.#supervision.restart();
    this.#outputs.setCaps(1);
  }

  /** As `configure`, which clears what is latched, and where each servo is then. */
  recover(): void {
    // What was latched may have wanted a reboot; who was silent may have had no supply.
    const { faults } = this.#supervision;
    if ((faults & RESTARTED) !== 0 || this.#readings.hasLeftOut) this.#report.needsFirstMotion = true;
    this.configure();
    this.#readings.readPatiently();
    this.#supervision.see();
    this.#supervision.openGate();
  }

  /** As `recover`, and each servo has said where it is, and could go there. No goal is written: that alone may turn torque on. */
  prepare(): void {
    this.recover();
    for (let i = 0; i < this.#joints; i++) {
      this.#outputs.reference[i] = this.#readings.position[i]!;
      const { id, name } = this.#motors[i]!;
      if (!this.#readings.isRead(i))
        throw new ReinError('driver', `Servo ${id} (${name}) has not said where it is.`, {
          remedy: 'Check its cable.',
        });
      if (!this.#outputs.takesGoal(i)) throw new ReinError('driver', this.#beyond(i), BY_HAND);
    }
  }

  /** Where torque does not come on, two `write`s try again; then references are refused (row 10), and `takeNotice` says of which servo. */
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
    // Their supply may have been off.
    if (readings.isSilent) report.needsFirstMotion = true;
    if (this.#line.clock.nowS() < readings.deadlineS && !this.#supervision.readNext()) report.needsFirstMotion = true;
    this.#supervision.judge();
    report.hardwareFaults = this.#supervision.faults;
    readings.count();
    // By the reading's own look at the clock: V8 may box each time that a function gives.
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
    // What was read before the tick was held up says no more whether a servo still has its torque.
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
    const what = this.#isUnread ? 'has not said where it is' : 'did not confirm its goal, its torque cap or its torque';
    this.#refused = -1;
    return {
      level: 'error',
      row: 10,
      message: `Servo ${id} (${name}) ${what}: torque came on nowhere.`,
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
   * As `letGo`, of servos that may have held on to their last goal while their line was gone: as a ramp where the arm would fall. Not for the
   * tick.
   */
  letDown(robot: Pick<RobotModel, 'holdsWithoutTorque' | 'exitRampS'>): void {
    if (!holdsItself(robot) && this.#setup.hasTorque()) this.#ramp(exitRampOf(robot));
    this.letGo();
  }

  #ramp(durationS: number): void {
    for (const motor of this.#motors) this.#family.wake?.(this.bus, motor);
    const { clock } = this.#line;
    const startS = clock.nowS();
    // No more than they have: an arm that has sunk would jump up.
    const from = this.#outputs.heldRatio();
    for (let left = from; left > 0 && !this.bus.isLost; left = from * (1 - (clock.nowS() - startS) / durationS)) {
      this.limitTorque(left);
      this.#line.wait(clock.nowS() + this.#periodS);
    }
  }

  /** Torque off, which each servo confirms if it can be heard. Not for the tick. */
  letGo(): void {
    for (let i = 0; i < this.#motors.length && !this.bus.isLost; i++) {
      if (this.#motors[i]!.calibration !== undefined) this.#setup.letGo(i);
    }
  }

  /** Whether motor `i` was read now; an encoder, ever. */
  #isPlaced(i: number): boolean {
    const { readAtS } = this.#readings;
    return this.#motors[i]!.calibration === undefined ? !Number.isNaN(readAtS[i]!) : this.#readings.isRead(i);
  }

  /** Why no torque comes on: it would pull motor `i` to where it does not stand. */
  #beyond(i: number): string {
    const { id, name } = this.#motors[i]!;
    return `Servo ${id} (${name}) is read at ${this.#readings.position[i]!.toFixed(2)}, where it takes no goal: its reading wraps, or it was turned too far (fault 34).`;
  }

  #turnOn(): void {
    const readings = this.#readings;
    // Where each joint is now is its first goal: servos jump to what was written last.
    for (let i = 0; i < this.#joints; i++) this.#outputs.reference[i] = readings.position[i]!;
    // Without torque an arm sinks: where a joint was a tick ago is nowhere to pull it.
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
    'With the torque off, turn it back by hand; if it stands right, calibrate it anew. Then acknowledge and enable.',
};

/** After these a servo may have started anew. */
const RESTARTED = HARDWARE.servoFault | HARDWARE.servoReset | HARDWARE.torqueCap;
