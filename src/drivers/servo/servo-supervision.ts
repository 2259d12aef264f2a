/** Supervision of an arm's servos beside their positions: one block of one servo per tick, and the notices of each. */
import type { GuardNotice } from '../../rows/index.ts';
import type { Motor, ReadBlock, ServoFamily } from './family.ts';
import type { ServoDriverOptions } from './options.ts';
import { readRegister } from './protocol.ts';
import type { ServoBus } from './servo-bus.ts';
import type { ServoOutputs } from './servo-outputs.ts';
import type { ServoReadings } from './servo-readings.ts';
import { ServoWatch } from './servo-watch.ts';

const MOST_BYTES = 32;
/** Share of the control period after which a slow block is not awaited: the goals have to be sent. */
const SLOW_SHARE = 0.8;
/** Time for which a servo may report its position but not all other values, s; then it is faulty. */
const UNREAD_S = 5;
/** Value of `torqueEnable`. */
const ON = 1;

/** One block of the motor with index `motor`. */
interface Slow {
  readonly motor: number;
  readonly block: ReadBlock;
}

export interface ServoSupervisionParts {
  readonly bus: ServoBus;
  readonly family: ServoFamily;
  readonly options: ServoDriverOptions;
  readonly motors: readonly Motor[];
  readonly readings: ServoReadings;
  readonly outputs: ServoOutputs;
  readonly periodS: number;
}

/** Tick path after construction. */
export class ServoSupervision {
  /** Bits of `HARDWARE`, as of the newest `judge`. */
  faults = 0;
  readonly #bus: ServoBus;
  readonly #family: ServoFamily;
  readonly #motors: readonly Motor[];
  readonly #readings: ServoReadings;
  readonly #outputs: ServoOutputs;
  /** [m] index of the servo whose requests each obeys: itself, or for the second servo of a joint the first. */
  readonly #firsts: Int32Array;
  readonly #watches: readonly ServoWatch[];
  readonly #slow: readonly Slow[];
  /** [k] ticks since `#slow[k]` was read in which its servo was heard; their limit; and by motor, their maximum. */
  readonly #unread: Int32Array;
  readonly #unreadMost: number;
  readonly #oldest: Int32Array;
  readonly #slowAtS: Float64Array;
  readonly #periodS: number;
  readonly #bytes: Uint8Array = new Uint8Array(MOST_BYTES);
  /** Block that `#bytes` holds, and index of the next to be read. */
  #read: Slow | undefined;
  #next = 0;

  constructor({ bus, family, options, motors, readings, outputs, periodS }: ServoSupervisionParts) {
    this.#bus = bus;
    this.#family = family;
    this.#motors = motors;
    this.#readings = readings;
    this.#outputs = outputs;
    this.#firsts = Int32Array.from(motors, ({ shadowOf }, i) =>
      shadowOf === undefined ? i : motors.indexOf(shadowOf),
    );
    this.#watches = motors.map((motor) => new ServoWatch(motor, family, options));
    this.#slowAtS = new Float64Array(motors.length).fill(Number.NaN);
    // First blocks of all servos, then all second ones, so that temperatures are not read last.
    const blocks = motors.map((motor) => family.slowBlocks(motor));
    const most = Math.max(...blocks.map(({ length }) => length));
    this.#slow = Array.from({ length: most }, (_, k) =>
      blocks.flatMap((of, motor) => (of[k] === undefined ? [] : [{ motor, block: of[k] }])),
    ).flat();
    this.#unread = new Int32Array(this.#slow.length);
    this.#unreadMost = Math.ceil(UNREAD_S / periodS);
    this.#oldest = new Int32Array(motors.length);
    this.#periodS = periodS;
  }

  /** Called when torque comes on, or after the setup of all servos: clears earlier findings. */
  restart(): void {
    for (let i = 0; i < this.#watches.length; i++) this.#watches[i]!.restart();
    this.#unread.fill(0);
  }

  /** Evaluates the servos that answered the newest reading. */
  see(): void {
    const { position, torqueNm, dtS } = this.#readings;
    const { reference, isOn } = this.#outputs;
    for (let i = 0; i < this.#motors.length; i++) {
      if (!this.#readings.isRead(i)) continue;
      const error = this.#bus.errorOf(this.#motors[i]!.id);
      if (i < reference.length) this.#watches[i]!.see(error, reference[i]! - position[i]!, torqueNm[i]!, isOn, dtS);
      else this.#watches[i]!.see(error, 0, 0, false, dtS);
      const first = this.#firsts[i]!;
      if (first !== i && this.#readings.isRead(first)) this.#watches[i]!.compare(position[i]! - position[first]!);
    }
  }

  /** Reads one block of one servo. Returns false if it does not hold what was written to it, and may have restarted. */
  readNext(): boolean {
    const k = this.#urgent();
    const { motor: i, block } = this.#slow[k]!;
    this.#read = this.#slow[k];
    const { id } = this.#motors[i]!;
    if (!this.#readings.isHeard(i)) return true;
    this.#bus.until[0] = this.#readings.nowS + SLOW_SHARE * this.#periodS;
    const status = this.#bus.read(id, block.address, block.bytes, this.#bytes, 0, 1);
    this.#bus.until[0] = Number.POSITIVE_INFINITY;
    if (status !== 'ok') return true;
    this.#unread[k] = 0;
    if (block.offsets['presentVoltage'] !== undefined) this.#measure(i);
    if (block.offsets['hardwareError'] !== undefined) this.#watches[i]!.name(this.#countsOf('hardwareError'));
    return block.offsets['torqueEnable'] === undefined || this.#readBack(i, block);
  }

  /** Updates `faults` from all watches. */
  judge(): void {
    this.#age();
    let faults = 0;
    for (let i = 0; i < this.#watches.length; i++) faults |= this.#watches[i]!.faults;
    this.faults = faults;
  }

  /** See `Driver`. Allocates. */
  takeNotice(): GuardNotice | undefined {
    for (const watch of this.#watches) {
      const notice = watch.takeNotice();
      if (notice !== undefined) return notice;
    }
    return undefined;
  }

  /** Returns the index of the block to read now: one that specifies a new error, else the next in turn. */
  #urgent(): number {
    for (let k = 0; k < this.#slow.length; k++) {
      const { motor, block } = this.#slow[k]!;
      if (block.offsets['hardwareError'] !== undefined && this.#watches[motor]!.takeWantsName()) return k;
    }
    const k = this.#next;
    this.#next = (k + 1) % this.#slow.length;
    return k;
  }

  /** Counts ticks in which a block was not read. Servos that are not heard at all are reported elsewhere. */
  #age(): void {
    this.#oldest.fill(0);
    for (let k = 0; k < this.#slow.length; k++) {
      const { motor } = this.#slow[k]!;
      if (!this.#readings.isHeard(motor)) this.#unread[k] = 0;
      else if (this.#unread[k]! <= this.#unreadMost) this.#unread[k] = this.#unread[k]! + 1;
      if (this.#unread[k]! > this.#oldest[motor]!) this.#oldest[motor] = this.#unread[k]!;
    }
    for (let i = 0; i < this.#watches.length; i++) this.#watches[i]!.leaveUnread(this.#oldest[i]! > this.#unreadMost);
  }

  /** Evaluates temperature and supply voltage. */
  #measure(i: number): void {
    const { registers } = this.#motors[i]!.model;
    const { nowS } = this.#readings;
    const sinceS = Number.isNaN(this.#slowAtS[i]!) ? 0 : nowS - this.#slowAtS[i]!;
    const temperatureC = this.#countsOf('presentTemperature') * registers['presentTemperature']!.scale!;
    const voltageV = this.#countsOf('presentVoltage') * registers['presentVoltage']!.scale!;
    this.#watches[i]!.measure(temperatureC, voltageV, sinceS);
    this.#slowAtS[i] = nowS;
  }

  /**
   * Selects the joints that get goals; called after `see`. Integers only, and separate: V8 boxes others where it does
   * not inline.
   */
  openGate(): void {
    const { torqueEnable } = this.#readings;
    const { reference, gate } = this.#outputs;
    gate.begin();
    for (let i = 0; i < this.#motors.length; i++) {
      const joint = this.#firsts[i]!;
      if (!this.#readings.isRead(i)) {
        if (joint < reference.length) gate.miss(joint, this.#readings.missesOf(i));
      } else if (torqueEnable[i]! >= 0 && this.#motors[i]!.calibration !== undefined)
        this.#seeTorque(i, torqueEnable[i]!);
    }
  }

  /** Evaluates the `torqueEnable` that motor `i` reports in every tick. */
  #seeTorque(i: number, torqueEnable: number): void {
    const { isOn, gate } = this.#outputs;
    this.#watches[i]!.seeTorque(torqueEnable, isOn);
    if (isOn && torqueEnable !== ON) gate.leave(this.#firsts[i]!);
    if (isOn || torqueEnable !== ON) return;
    if (!this.#outputs.isGoingOff) this.#watches[i]!.findOn();
    this.#outputs.turnOffAnew();
  }

  /** Evaluates torque and cap. Returns false if they are not what was written. */
  #readBack(i: number, block: ReadBlock): boolean {
    const motor = this.#motors[i]!;
    if (motor.calibration === undefined) return true;
    const cap = this.#family.capRegister(motor);
    const joint = this.#firsts[i]!;
    const isCapKept = block.offsets[cap] === undefined || this.#outputs.keepsCap(joint, this.#countsOf(cap));
    const torqueEnable = this.#countsOf('torqueEnable');
    const isOn = torqueEnable === ON;
    const shouldBeOn = this.#outputs.isOn;
    const hasStopped = shouldBeOn && this.#family.hasStopped?.(this.#countsOf) === true;
    this.#watches[i]!.readBack(torqueEnable, shouldBeOn, isCapKept);
    if (isOn && !shouldBeOn) this.#outputs.turnOffAnew();
    if (hasStopped) this.#watches[i]!.stop();
    const isAsWritten = (!shouldBeOn || isOn) && isCapKept;
    if (shouldBeOn && (hasStopped || !isAsWritten)) this.#outputs.gate.leave(joint);
    return isAsWritten;
  }

  /** Returns the value of register `name` in the block read last; NaN if it is not in it. */
  readonly #countsOf = (name: string): number => {
    const { motor, block } = this.#read!;
    const offset = block.offsets[name];
    if (offset === undefined) return Number.NaN;
    const register = this.#motors[motor]!.model.registers[name]!;
    return readRegister(register, this.#bytes, offset, this.#bus.protocol.isLittleEndian);
  };
}
