/** An arm of bus servos, of any family: counts to radians, a request for all readings and one for all goals a tick. */
import {
  BUS,
  type GuardNotice,
  HARDWARE,
  ReinError,
  type RobotModel,
  type RobotState,
  type Vec,
} from '../../core/index.ts';
import type { Driver, DriverBus, DriverStatus } from '../driver.ts';
import type { OpenLine, SerialLine } from '../serial/line.ts';
import { serialNumberOf } from '../serial/list-ports.ts';
import { type Calibration, checkAdapter, loadCalibration } from './calibration.ts';
import { countsPerUnit, type Motor, type ServoFamily } from './family.ts';
import { type EncoderOptions, isEncoder, type ServoDriverOptions } from './options.ts';
import { readRegister, writeRegister } from './protocol.ts';
import { ReadGroup } from './register-groups.ts';
import { ServoBus } from './servo-bus.ts';
import { ServoOutputs } from './servo-outputs.ts';
import { ServoWatch } from './servo-watch.ts';

/** Share of the control period that readings may take; the rest is the chain's and the goals'. */
const READ_SHARE = 0.6;
/** A servo that missed so many requests in a row is left out of them, so that it costs the others no time, and asked again so often, s. */
const QUARANTINE_MISSES = 5;
const PROBE_S = 0.5;
/** Share of the control period within which torque comes on, or does not. */
const ON_SHARE = 0.6;
const CLOSE_TRIES = 2;

export interface ServoDriverParts {
  readonly model: RobotModel;
  readonly family: ServoFamily;
  readonly options: ServoDriverOptions;
  readonly openLine: OpenLine;
  /** Of the adapter at a path; tests have their own. */
  readonly serialNumber?: ((path: string) => string | undefined) | undefined;
}

/** See `Driver`. Throws `ReinError('config')` from its constructor for motors that the family does not have. */
export class ServoDriver implements Driver {
  readonly name: string;
  readonly jointNames: readonly string[];
  readonly signalNames: readonly string[];
  hardwareFaults = 0;
  readonly #model: RobotModel;
  readonly #family: ServoFamily;
  readonly #options: ServoDriverOptions;
  readonly #openLine: OpenLine;
  readonly #serialNumber: (path: string) => string | undefined;
  readonly #periodS: number;
  #arm: ServoArm | undefined;
  #counters: Float64Array | undefined;
  #path = '';
  #stopFrames: readonly Uint8Array[] = [];
  #notice: GuardNotice | undefined;

  constructor({ model, family, options, openLine, serialNumber = serialNumberOf }: ServoDriverParts) {
    this.name = family.name;
    this.#model = model;
    this.#family = family;
    this.#options = options;
    this.#openLine = openLine;
    this.#serialNumber = serialNumber;
    this.#periodS = 1 / model.controlHz;
    this.jointNames = options.jointNames;
    this.signalNames = options.signalNames;
  }

  get bus(): DriverBus {
    return { path: this.#path, stopFrames: this.#stopFrames };
  }

  get busCounters(): Float64Array {
    this.#counters ??= new Float64Array(Object.keys(BUS).length);
    return this.#counters;
  }

  /** From power-up, or a restart of a servo, until the guard has seen each joint move. */
  get needsFirstMotion(): boolean {
    return this.#arm?.needsFirstMotion ?? true;
  }

  passFirstMotion(): void {
    if (this.#arm !== undefined) this.#arm.needsFirstMotion = false;
  }

  async open(): Promise<void> {
    if (this.#arm !== undefined) throw new TypeError('the driver is open already');
    const { calibration: path } = this.#options;
    const subject = { robot: this.#model.name, family: this.#family.name, jointNames: this.jointNames };
    this.#start(loadCalibration(path, subject));
  }

  /** Has every servo say anew who and how it is. */
  prepare(): string | undefined {
    const arm = this.#arm;
    if (arm === undefined) return 'the driver is not open';
    return tried(() => arm.prepare())?.message.replace(/\.$/, '');
  }

  /** The port that was gone, where it is there again. */
  reconnect(): void {
    const arm = this.#arm;
    if (arm === undefined || !arm.bus.isLost) return;
    const refusal = tried(() => this.#start(arm.calibration, 'again'));
    if (refusal === undefined) {
      this.#notice = RECONNECTED;
      return;
    }
    this.#arm = arm;
    this.#notice = { level: 'error', row: 10, message: refusal.message, remedy: refusal.remedy ?? '' };
  }

  takeNotice(): GuardNotice | undefined {
    const notice = this.#notice;
    this.#notice = undefined;
    return notice ?? this.#arm?.takeNotice();
  }

  enable(): void {
    this.#arm?.enable();
  }

  limitTorque(ratio: number): void {
    this.#arm?.limitTorque(ratio);
  }

  disable(): void {
    this.#arm?.disable();
  }

  read(out: RobotState): DriverStatus {
    const arm = this.#arm;
    if (arm === undefined) return 'lost';
    const status = arm.read(out);
    this.hardwareFaults = arm.faults;
    this.busCounters.set(arm.bus.counters);
    return status;
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    return this.#arm?.write(referenceRad) ?? 'lost';
  }

  async close(): Promise<void> {
    this.#arm?.close();
    this.#arm = undefined;
  }

  /** `again`: the servos may hold on to what they were sent last, before their cable was pulled. */
  #start(calibration: Calibration, how: 'anew' | 'again' = 'anew'): void {
    this.#arm?.close();
    this.#arm = undefined;
    const { port: path, baud } = this.#options;
    const line = this.#openLine({ path, baud, serialNumber: calibration.adapter });
    try {
      // Of the path that was asked for: a link may carry the number.
      checkAdapter(calibration, path ?? line.path, this.#serialNumber(path ?? line.path));
      const motors = motorsOf(this.#family, this.#options, calibration);
      const arm = new ServoArm(line, this.#family, this.#options, motors, calibration, this.#periodS);
      if (how === 'again') arm.letGo();
      arm.configure();
      this.#path = line.path;
      this.#stopFrames = this.#family.stopFrames(motors);
      this.#arm = arm;
    } catch (error) {
      line.close();
      throw error;
    }
  }
}

/** The `ReinError` that `act` throws. */
function tried(act: () => void): ReinError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ReinError) return error;
    throw error;
  }
}

function motorsOf(family: ServoFamily, options: ServoDriverOptions, calibration: Calibration): readonly Motor[] {
  const modelOf = (name: string): Motor['model'] => {
    const model = family.models[name];
    if (model !== undefined) return model;
    throw new ReinError('config', `There is no ${family.name} servo ${name}.`, {
      remedy: `Models: ${Object.keys(family.models).join(', ')}.`,
    });
  };
  const joints = options.jointNames.map((name, i): Motor => {
    const motor = options.motors[i]!;
    const found = calibration.joints[name]!;
    if (found.id !== motor.id || found.model !== motor.model) {
      throw new ReinError(
        'config',
        `${name} is servo ${motor.id} (${motor.model}) in the robot's file, and ${found.id} (${found.model}) in its calibration (fault 34).`,
        { remedy: `Calibrate anew: rein calibrate --robot ${calibration.robot}` },
      );
    }
    return { name, id: motor.id, model: modelOf(motor.model), options: motor, calibration: found };
  });
  const encoders = encodersOf(options).map((signal): Motor => {
    const motor = { id: signal.id, model: signal.model, torqueRatio: 1, perTurn: 1, mode: 'position', grips: false };
    return { name: signal.name, id: signal.id, model: modelOf(signal.model), options: motor as Motor['options'] };
  });
  return [...joints, ...encoders];
}

/** Of the signals that the task wants, those that are measured, in their order. */
function encodersOf({ signalNames, signals }: ServoDriverOptions): readonly EncoderOptions[] {
  return signalNames.flatMap((name) => signals.filter((signal) => signal.name === name).filter(isEncoder));
}

/** The open arm: one line, its servos, and what is known of them. Joints come first, then encoders. */
class ServoArm {
  readonly bus: ServoBus;
  readonly calibration: Calibration;
  needsFirstMotion = true;
  faults = 0;
  readonly #line: SerialLine;
  readonly #family: ServoFamily;
  readonly #options: ServoDriverOptions;
  readonly #motors: readonly Motor[];
  readonly #joints: number;
  readonly #periodS: number;
  readonly #watches: readonly ServoWatch[];
  readonly #reads: readonly ReadGroup[];
  readonly #outputs: ServoOutputs;
  /** [m] of the newest reply: counts, and when it came, s. */
  readonly #counts: Float64Array;
  readonly #position: Float64Array;
  readonly #velocity: Float64Array;
  readonly #torqueNm: Float64Array;
  readonly #nmPerLoad: Float64Array;
  readonly #readAtS: Float64Array;
  readonly #misses: Int32Array;
  readonly #encoders: readonly EncoderOptions[];
  /** [k] where each signal comes from: a place in the list of motors, or −1 for one that is fixed. */
  readonly #signalMotor: Int32Array;
  readonly #signalValue: Float64Array;
  readonly #slow: { readonly motor: number; readonly block: ReturnType<ServoFamily['slowBlocks']>[number] }[] = [];
  readonly #slowAtS: Float64Array;
  readonly #slowBytes: Uint8Array = new Uint8Array(32);
  #slowBlock: { readonly motor: number; readonly block: ReturnType<ServoFamily['slowBlocks']>[number] } | undefined;
  #slowNext = 0;
  #probeAtS = 0;
  #probeNext = 0;
  /** The joint whose servo kept torque from coming on, until that was reported; else −1. */
  #refused = -1;
  #silentTicks = 0;
  /** When the newest reading began, how long after the one before, and when it has to be over, s. Fields: a number that is handed on may be garbage. */
  #nowS = Number.NaN;
  #dtS = Number.NaN;
  #deadlineS = Number.NaN;
  #busyS = 0;

  constructor(
    line: SerialLine,
    family: ServoFamily,
    options: ServoDriverOptions,
    motors: readonly Motor[],
    calibration: Calibration,
    periodS: number,
  ) {
    this.#line = line;
    this.#family = family;
    this.#options = options;
    this.#motors = motors;
    this.#joints = options.jointNames.length;
    this.#periodS = periodS;
    this.calibration = calibration;
    const protocol = family.protocolOf(
      motors.map(({ model }) => model),
      motors.map(({ calibration: found }) => found?.firmware),
    );
    this.bus = new ServoBus({ line, protocol, answerS: options.answerMs / 1e3 });
    const numbers = (): Float64Array => new Float64Array(motors.length);
    [this.#counts, this.#position, this.#velocity] = [numbers(), numbers(), numbers()];
    [this.#torqueNm, this.#readAtS] = [numbers(), numbers().fill(Number.NaN)];
    this.#slowAtS = numbers().fill(Number.NaN);
    this.#nmPerLoad = Float64Array.from(motors, (motor) => family.nmPerLoad(motor));
    this.#misses = new Int32Array(motors.length);
    this.#watches = motors.map((motor) => new ServoWatch(motor, family, options));
    this.#reads = ReadGroup.of(motors, (motor) => family.fastBlock(motor));
    this.#outputs = new ServoOutputs(this.bus, family, motors.slice(0, this.#joints));
    // All servos' first blocks, then all second ones: temperatures are not what is asked last.
    const blocks = motors.map((motor) => family.slowBlocks(motor));
    for (let k = 0; blocks.some((each) => each.length > k); k++) {
      for (let i = 0; i < motors.length; i++) {
        const block = blocks[i]![k];
        if (block !== undefined) this.#slow.push({ motor: i, block });
      }
    }
    this.#encoders = encodersOf(options);
    this.#signalMotor = Int32Array.from(options.signalNames, (name) =>
      motors.findIndex((motor, i) => i >= this.#joints && motor.name === name),
    );
    this.#signalValue = Float64Array.from(options.signalNames, (name) => {
      const signal = options.signals.find((each) => each.name === name)!;
      return isEncoder(signal) ? Number.NaN : signal.value;
    });
  }

  /** Between ticks, without torque. Throws `ReinError('driver')` with what is wrong and with which servo. */
  configure(): void {
    const { bus } = this;
    for (const motor of this.#motors) this.#checkIdentity(motor);
    for (const motor of this.#motors) this.#refuseTorque(motor);
    for (const [i, motor] of this.#motors.entries()) {
      const wrong = this.#family.configure(bus, motor);
      if (wrong !== undefined) {
        throw new ReinError('driver', `Servo ${motor.id} (${motor.name}) ${wrong}.`, {
          remedy: wrong.includes('34')
            ? `rein calibrate --robot ${this.calibration.robot}`
            : 'Check its cable and supply; rein doctor shows what every servo says of itself.',
        });
      }
      this.#misses[i] = 0;
      this.#watches[i]!.restart();
    }
    this.#outputs.setCaps(1);
  }

  /** As `configure`, and each servo has confirmed that its goal is where it is: torque that comes on then pulls nowhere. */
  prepare(): void {
    // What was latched may have wanted a reboot.
    if ((this.faults & RESTARTED) !== 0) this.needsFirstMotion = true;
    this.configure();
    const { bus } = this;
    this.#nowS = this.#line.clock.nowS();
    this.#dtS = this.#periodS;
    this.#deadlineS = Number.POSITIVE_INFINITY;
    this.#readGroups();
    for (let i = 0; i < this.#joints; i++) {
      this.#outputs.reference[i] = this.#position[i]!;
      const { id, name, model } = this.#motors[i]!;
      const goal = model.registers['goalPosition']!;
      writeRegister(goal, this.#outputs.goalCounts(i), this.#slowBytes, 0, bus.protocol.isLittleEndian);
      const isRead = this.#readAtS[i] === this.#nowS;
      if (isRead && bus.write(id, goal.address, this.#slowBytes, goal.bytes) === 'ok') continue;
      throw new ReinError('driver', `Servo ${id} (${name}) did not confirm its goal.`, { remedy: 'Check its cable.' });
    }
  }

  /** Torque that another program has left on would be nobody's: it is not taken over, and not let fall either. */
  #refuseTorque(motor: Motor): void {
    const { address } = motor.model.registers['torqueEnable']!;
    if (motor.calibration === undefined || this.bus.read(motor.id, address, 1, this.#slowBytes) !== 'ok') return;
    if (this.#slowBytes[0] === 0) return;
    throw new ReinError('driver', `Servo ${motor.id} (${motor.name}) has its torque on, and not by this program.`, {
      remedy: 'Hold the arm, and switch the supply of its servos off and on.',
    });
  }

  #checkIdentity(motor: Motor): void {
    const found = this.#family.identify(this.bus, motor.id);
    const who = `servo ${motor.id} (${motor.name})`;
    if (found === undefined) {
      throw new ReinError('driver', `No ${who} answers on ${this.#line.path} at ${this.#line.baud} bit/s.`, {
        remedy: 'Check power and cables; rein doctor looks for servos at every speed.',
      });
    }
    if (found.modelNumber !== motor.model.modelNumber) {
      throw new ReinError(
        'driver',
        `The ${who} says that it is model ${found.modelNumber}, and the robot's file says ${motor.model.name} (${motor.model.modelNumber}).`,
        { remedy: 'Two servos may have changed places, or two have one id: rein doctor lists them.' },
      );
    }
    const expected = motor.calibration?.firmware;
    if (expected !== undefined && expected !== found.firmware) {
      throw new ReinError(
        'driver',
        `The ${who} has firmware ${found.firmware}, and had ${expected} when it was calibrated: another servo, or an update (fault 34).`,
        { remedy: `rein calibrate --robot ${this.calibration.robot}` },
      );
    }
  }

  /** Where torque does not come on, references are refused (row 10) and `takeNotice` says of which servo. */
  enable(): void {
    const outputs = this.#outputs;
    outputs.setCaps(1);
    for (const watch of this.#watches) watch.restart();
    // Where each joint is now is its first goal: servos jump to what was written last.
    for (let i = 0; i < this.#joints; i++) outputs.reference[i] = this.#position[i]!;
    if (outputs.isOn) {
      outputs.writeGoals();
      outputs.writeCaps();
      return;
    }
    // Nobody knows where a joint is that was never read.
    this.#refused = this.#readAtS.findIndex(Number.isNaN);
    if (this.#refused < 0) this.#refused = outputs.turnOn(this.#line.clock.nowS() + ON_SHARE * this.#periodS);
  }

  disable(): void {
    this.#outputs.turnOff();
  }

  limitTorque(ratio: number): void {
    this.#outputs.setCaps(ratio);
    this.#outputs.writeCaps();
  }

  read(out: RobotState): DriverStatus {
    const nowS = this.#line.clock.nowS();
    this.#dtS = Number.isNaN(this.#nowS) ? this.#periodS : nowS - this.#nowS;
    this.#nowS = nowS;
    this.#deadlineS = nowS + READ_SHARE * this.#periodS;
    this.#outputs.goOnTurningOff();
    const answered = this.#readGroups();
    // All away for some ticks: their supply may have been off.
    this.#silentTicks = answered === 0 ? this.#silentTicks + 1 : 0;
    if (this.#silentTicks >= QUARANTINE_MISSES) this.needsFirstMotion = true;
    if (this.#line.clock.nowS() < this.#deadlineS) this.#readSlow();
    this.#gather();
    this.#busyS = this.#line.clock.nowS() - nowS;
    this.bus.counters[BUS.busyS] = this.#busyS;
    if (answered === 0) return 'lost';
    for (let i = 0; i < this.#joints; i++) {
      out.positionRad[i] = this.#position[i]!;
      out.velocityRadPerS[i] = this.#velocity[i]!;
      out.torqueNm[i] = this.#torqueNm[i]!;
    }
    for (let k = 0; k < this.#signalMotor.length; k++) {
      const motor = this.#signalMotor[k]!;
      out.signals[k] = motor < 0 ? this.#signalValue[k]! : this.#position[motor]!;
    }
    out.wrench.fill(0);
    out.measuredAtS = nowS;
    return answered === this.#motors.length ? 'ok' : 'late';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    const outputs = this.#outputs;
    if (!outputs.isOn) return 'lost';
    if (referenceRad.length !== this.#joints) return 'rejected';
    for (let i = 0; i < this.#joints; i++) if (!outputs.isReachable(i, referenceRad[i]!)) return 'rejected';
    for (let i = 0; i < this.#joints; i++) outputs.reference[i] = referenceRad[i]!;
    const startS = this.#line.clock.nowS();
    const isWritten = outputs.writeGoals();
    this.#family.feed?.(this.bus);
    this.bus.counters[BUS.busyS] = this.#busyS + this.#line.clock.nowS() - startS;
    return isWritten ? 'ok' : 'lost';
  }

  takeNotice(): GuardNotice | undefined {
    if (this.#refused >= 0) {
      const { id, name } = this.#motors[this.#refused]!;
      const isKnown = !Number.isNaN(this.#readAtS[this.#refused]!);
      const what = isKnown ? 'did not confirm its goal, its torque cap or its torque' : 'has not said where it is';
      this.#refused = -1;
      return {
        level: 'error',
        row: 10,
        message: `Servo ${id} (${name}) ${what}: torque came on nowhere.`,
        remedy: 'Check its cable and plugs, then acknowledge and enable.',
      };
    }
    for (const watch of this.#watches) {
      const notice = watch.takeNotice();
      if (notice !== undefined) return notice;
    }
    return undefined;
  }

  close(): void {
    if (this.#outputs.isOn) this.disable();
    if (this.#outputs.isGoingOff) this.letGo();
    this.#line.close();
  }

  /** Torque off, which each servo confirms as far as it can be heard. Not for the tick. */
  letGo(): void {
    this.#slowBytes[0] = 0;
    for (let i = 0; i < this.#joints && !this.bus.isLost; i++) {
      const { id, model } = this.#motors[i]!;
      if (this.#misses[i] === 0)
        this.bus.write(id, model.registers['torqueEnable']!.address, this.#slowBytes, 1, CLOSE_TRIES);
    }
  }

  /** Returns how many motors answered. */
  #readGroups(): number {
    const nowS = this.#nowS;
    // Where none answers it is the line, or the computer that is late: all are there again at once.
    const isBusSilent = this.#silentTicks >= QUARANTINE_MISSES;
    const isProbe = nowS >= this.#probeAtS;
    if (isProbe) {
      this.#probeAtS = nowS + PROBE_S;
      this.#probeNext = (this.#probeNext + 1) % this.#motors.length;
    }
    let answered = 0;
    for (let g = 0; g < this.#reads.length; g++) {
      const group = this.#reads[g]!;
      group.clear();
      for (let k = 0; k < group.motors.length; k++) {
        const i = group.motors[k]!;
        const isOut = this.#misses[i]! >= QUARANTINE_MISSES && !isBusSilent && !(isProbe && this.#isProbed(i));
        if (!isOut) group.ask(k);
      }
      this.bus.syncRead(group.ids, group.asked, group.address, group.bytes, group.into, this.#deadlineS);
      for (let k = 0; k < group.asked; k++) {
        const i = group.askedMotor(k);
        if (!this.bus.hasAnswered(group.ids[k]!)) continue;
        answered++;
        this.#decode(i, group, k);
      }
    }
    for (let i = 0; i < this.#motors.length; i++) {
      const hasAnswered = this.#readAtS[i] === nowS;
      // What silenced this one may have silenced those that are still out: the next is due.
      if (hasAnswered && this.#misses[i] === QUARANTINE_MISSES) this.#probeAtS = nowS;
      this.#misses[i] = hasAnswered ? 0 : Math.min(this.#misses[i]! + 1, QUARANTINE_MISSES);
    }
    return answered;
  }

  /** The next of those that are left out. */
  #isProbed(i: number): boolean {
    for (let k = 0; k < this.#motors.length; k++) {
      const j = (this.#probeNext + k) % this.#motors.length;
      if (this.#misses[j]! >= QUARANTINE_MISSES) return j === i;
    }
    return false;
  }

  #decode(i: number, group: ReadGroup, k: number): void {
    const motor = this.#motors[i]!;
    const { registers } = motor.model;
    const isLittle = this.bus.protocol.isLittleEndian;
    const at = k * group.bytes;
    const { offsets } = group.block;
    const counts = readRegister(registers['presentPosition']!, group.into, at + offsets['presentPosition']!, isLittle);
    this.#counts[i] = counts;
    this.#readAtS[i] = this.#nowS;
    const { calibration } = motor;
    if (calibration === undefined) {
      const { zeroCounts, perCount } = this.#encoders[i - this.#joints]!;
      this.#position[i] = (counts - zeroCounts) * perCount;
      this.#watches[i]!.see(this.bus.errorOf(motor.id), 0, 0, false, this.#dtS);
      return;
    }
    const speed = registers['presentSpeed']!;
    const load = registers['presentLoad']!;
    const sign = calibration.direction;
    this.#position[i] = (sign * (counts - calibration.zeroCounts)) / countsPerUnit(motor);
    const radPerS = readRegister(speed, group.into, at + offsets['presentSpeed']!, isLittle) * speed.scale!;
    this.#velocity[i] = (sign * radPerS * motor.options.perTurn) / (2 * Math.PI);
    const share = readRegister(load, group.into, at + offsets['presentLoad']!, isLittle) * load.scale!;
    this.#torqueNm[i] = sign * share * this.#nmPerLoad[i]!;
    const errorRad = this.#outputs.reference[i]! - this.#position[i]!;
    this.#watches[i]!.see(this.bus.errorOf(motor.id), errorRad, this.#torqueNm[i]!, this.#outputs.isOn, this.#dtS);
  }

  /** One block of one servo. */
  #readSlow(): void {
    const nowS = this.#nowS;
    const slow = this.#slow[this.#slowNext]!;
    const { motor: i, block } = slow;
    this.#slowBlock = slow;
    this.#slowNext = (this.#slowNext + 1) % this.#slow.length;
    if (this.#misses[i]! > 0) return;
    const motor = this.#motors[i]!;
    if (this.bus.read(motor.id, block.address, block.bytes, this.#slowBytes, 0, 1) !== 'ok') return;
    const { registers } = motor.model;
    const isLittle = this.bus.protocol.isLittleEndian;
    const sinceS = Number.isNaN(this.#slowAtS[i]!) ? 0 : nowS - this.#slowAtS[i]!;
    if (block.offsets['presentVoltage'] !== undefined) {
      const temperatureC = this.#slowCounts('presentTemperature') * registers['presentTemperature']!.scale!;
      const voltageV = this.#slowCounts('presentVoltage') * registers['presentVoltage']!.scale!;
      this.#watches[i]!.measure(temperatureC, voltageV, sinceS);
      this.#slowAtS[i] = nowS;
    }
    if (block.offsets['torqueEnable'] === undefined || motor.calibration === undefined) return;
    const cap = this.#family.capRegister(motor);
    const offset = block.offsets[cap];
    const isCapKept =
      offset === undefined ||
      readRegister(registers[cap]!, this.#slowBytes, offset, isLittle) === this.#outputs.capCounts(i);
    const isOn = this.#slowCounts('torqueEnable') === 1;
    const shouldBeOn = this.#outputs.isOn;
    this.#watches[i]!.readBack(isOn, shouldBeOn, isCapKept);
    if ((!shouldBeOn || isOn) && isCapKept) {
      if (isOn && !shouldBeOn) this.#outputs.turnOffAnew();
    } else this.needsFirstMotion = true;
    if (shouldBeOn && this.#family.hasStopped?.(this.#slowCounts) === true) this.#watches[i]!.stop();
  }

  /** Of the block that was read last: what register `name` holds; NaN where it has none. */
  readonly #slowCounts = (name: string): number => {
    const { motor, block } = this.#slowBlock!;
    const offset = block.offsets[name];
    if (offset === undefined) return Number.NaN;
    const register = this.#motors[motor]!.model.registers[name]!;
    return readRegister(register, this.#slowBytes, offset, this.bus.protocol.isLittleEndian);
  };

  #gather(): void {
    const nowS = this.#nowS;
    let faults = 0;
    let oldestS = 0;
    let quarantined = 0;
    for (let i = 0; i < this.#motors.length; i++) {
      faults |= this.#watches[i]!.faults;
      const ageS = nowS - this.#readAtS[i]!;
      if (ageS > oldestS) oldestS = ageS;
      if (this.#misses[i]! >= QUARANTINE_MISSES) quarantined++;
    }
    this.faults = faults;
    this.bus.counters[BUS.oldestS] = oldestS;
    this.bus.counters[BUS.quarantined] = quarantined;
  }
}

const RECONNECTED: GuardNotice = {
  level: 'warn',
  row: 10,
  message: 'The servos answer again. Those that had held on to their last goal have no torque any more: hold the arm.',
  remedy: '',
};
/** After these a servo may have started anew. */
const RESTARTED = HARDWARE.servoFault | HARDWARE.servoReset | HARDWARE.torqueCap;
