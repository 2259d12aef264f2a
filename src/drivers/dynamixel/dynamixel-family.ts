/** Dynamixel's X series behind the generic driver. */

import type { JointCalibration } from '../servo/calibration.ts';
import {
  blockOf,
  type Motor,
  offsetMoved,
  type ReadBlock,
  rangeProblem,
  type ServoFamily,
  type SetupProblem,
  SILENT,
} from '../servo/family.ts';
import { countsProblem } from '../servo/readable.ts';
import type { ServoBus } from '../servo/servo-bus.ts';
import { ServoRegisters } from '../servo/servo-registers.ts';
import { undrivenRule } from '../servo/stored-rules.ts';
import {
  DYNAMIXEL_MODELS,
  DYNAMIXEL_NEWEST_FIRMWARE,
  type DynamixelModel,
  dynamixelWithFirmware,
  HARDWARE_ERROR,
  hardwareErrorNames,
} from './models.ts';
import { ALERT, BROADCAST_ID } from './packet.ts';
import { DYNAMIXEL_PROTOCOL, FAST_DYNAMIXEL_PROTOCOL } from './protocol.ts';
import { dynamixelRules } from './stored.ts';
import { DYNAMIXEL_WRITES } from './writes.ts';

/** Values of `operatingMode`. */
const MODES = { position: 3, currentPosition: 5 } as const;
/** Counts of `busWatchdog`, 20 ms each: without any request for so long the servo stops, and takes no goal until it is set anew. */
const WATCHDOG_COUNTS = 10;
const WATCHDOG_RAN_OUT = -1;
/** All requests are answered. */
const ANSWER_ALL = 2;
/** Bits of `driveMode`: counts run the other way; a slave of another servo. The others, profiles by time and torque by goal, go. */
const DRIVE_MODE_KEPT = 0b11;
const REVERSED = 0b01;
/** Errors of which torque has to go off by itself: overload, electrical shock, heat. */
const SHUTDOWN_WANTED = HARDWARE_ERROR.overload | HARDWARE_ERROR.electricalShock | HARDWARE_ERROR.temperature;
/** A servo that is rebooted is not asked anything for so long, s: how long it takes is not published. */
const REBOOT_S = 0.6;
const PWM_COUNTS = 885;
/** Two servos at one joint read the same within this, counts: 6 degrees, for backlash and horns. */
const SHADOW_SLACK_COUNTS = 68;
/**
 * e-Manual, Homing Offset(20): in position mode greater ones than a quarter of a turn are ignored. In a mode that counts turns a bus
 * watchdog that runs out lets a servo with an offset walk on (ROBOTIS, DynamixelSDK on GitHub, issue 584; firmware of then): it has none.
 */
const OFFSET_MAX_COUNTS = { position: 1024, currentPosition: 0 } as const;

/** What is read of a servo one after another, through its indirect addresses: they stand far apart. */
const SUPERVISED = ['torqueEnable', 'hardwareError', 'busWatchdog'] as const;

export const dynamixelFamily: ServoFamily = {
  name: 'dynamixel',
  models: DYNAMIXEL_MODELS,
  writes: DYNAMIXEL_WRITES,
  protocolOf: (models, firmwares = []) =>
    models.length > 0 && models.every((model, i) => Number(firmwares[i]) >= of(model).fastReadFirmware)
      ? FAST_DYNAMIXEL_PROTOCOL
      : DYNAMIXEL_PROTOCOL,
  withFirmware: (model, firmware) => dynamixelWithFirmware(of(model), Number(firmware)),
  newestFirmware: {
    version: `${DYNAMIXEL_NEWEST_FIRMWARE}`,
    remedy: `Give it firmware ${DYNAMIXEL_NEWEST_FIRMWARE} with DYNAMIXEL Wizard 2.0 (Firmware Recovery), or take a newer Rein.`,
  },
  identify: (bus, id, pings) => {
    const found = new Uint8Array(3);
    if (bus.ping(id, found, found.length, pings) !== 'ok') return undefined;
    return { modelNumber: found[0]! + found[1]! * 256, firmware: `${found[2]}` };
  },
  // e-Manual, Torque Enable(64): with 0 the motor is not driven, whatever its goal is; after power-up it is 0.
  goalTurnsOn: false,
  // They stand side by side, and are right after a restart too, which indirect addresses are not.
  fastBlock: ({ model }) => blockOf(model, ['presentLoad', 'presentSpeed', 'presentPosition']),
  slowBlocks: (motor) => [
    blockOf(motor.model, ['presentVoltage', 'presentTemperature']),
    ...(motor.calibration === undefined ? [] : [supervisedBlock(motor)]),
  ],
  configure: (bus, motor) => {
    try {
      new Configuration(bus, motor).apply();
      return undefined;
    } catch (error) {
      if (error instanceof Unfit) return error.problem;
      throw error;
    }
  },
  storedProblem,
  countsTurnsBy: ['operatingMode'],
  storedRules: (motor) => dynamixelRules(of(motor.model), motor),
  clearBits: {
    register: 'driveMode',
    bits: DRIVE_MODE_KEPT,
    turns: REVERSED,
    why: 'it counts as it turns and follows no other',
  },
  operatingMode: ({ options }) => MODES[options.mode],
  offsetMaxCounts: ({ options }) => OFFSET_MAX_COUNTS[options.mode],
  // In both modes power-up finds the encoder within its turn, and adds the offset to that.
  wrapsOffset: false,
  capRegister,
  capCounts: (motor, ratio) => capCounts(motor, capRegister(motor), ratio),
  nmPerLoad: ({ model }) => model.stallTorqueNm / (of(model).stallCurrentA ?? 1),
  goalRange: ({ countsPerTurn }) => [0, countsPerTurn - 1],
  isFault: (error) => (error & ALERT) !== 0,
  errorNames: (error, named = 0) => {
    const names = hardwareErrorNames(named);
    return (error & ALERT) === 0 || names.length > 0 ? names : ['a hardware error'];
  },
  wake: (bus, motor) => void new ServoRegisters(bus, motor).keeps('busWatchdog', 0),
  hasStopped: (countsOf) => countsOf('busWatchdog') < 0,
  stopFrames,
};

function storedProblem(
  motor: Pick<Motor, 'model' | 'options' | 'shadowOf'>,
  calibration: JointCalibration,
  read: (register: string) => number | undefined,
): SetupProblem | undefined {
  const [offset, drive] = [read('homingOffset'), read('driveMode')];
  const [least, most] = [read('positionMin'), read('positionMax')];
  if (offset === undefined || drive === undefined || least === undefined || most === undefined) return SILENT;
  const moved = offsetMoved(offset, calibration);
  if (moved !== undefined) return moved;
  const misplaced = countsProblem(dynamixelFamily, motor, calibration);
  if (misplaced !== undefined) return { what: misplaced, calibrate: '' };
  const mode = drive & DRIVE_MODE_KEPT;
  if (mode !== 0) return { what: `has drive mode ${mode}, and only 0 is driven (fault 34)`, calibrate: '' };
  const undriven = undrivenRule(motor, dynamixelFamily.storedRules(motor), read);
  if (undriven !== undefined || motor.options.mode !== 'position') return undriven;
  // A goal beyond is refused, and not held within.
  return rangeProblem([least, most], dynamixelFamily.goalRange(motor.model), calibration);
}

/** The models of this family have more than others'. */
function of(model: Motor['model']): DynamixelModel {
  return model as DynamixelModel;
}

/** Both may be written with torque on: PWM is the last limit in position mode, the current that of current-based position mode. */
function capRegister({ options }: Motor): 'goalCurrent' | 'goalPwm' {
  return options.mode === 'currentPosition' ? 'goalCurrent' : 'goalPwm';
}

function capCounts({ model }: Motor, register: 'goalCurrent' | 'goalPwm', ratio: number): number {
  if (register === 'goalPwm') return Math.round(PWM_COUNTS * ratio);
  return Math.floor((ratio * of(model).stallCurrentA!) / model.registers[register]!.scale!);
}

function supervisedBlock(motor: Motor): ReadBlock {
  const { registers } = motor.model;
  const offsets: Record<string, number> = {};
  let bytes = 0;
  for (const name of [...SUPERVISED, capRegister(motor)]) {
    offsets[name] = bytes;
    bytes += registers[name]!.bytes;
  }
  return { address: registers['indirectData']!.address, bytes, offsets };
}

/** A cut request is filled up with bytes that begin none; then torque off for each servo that is known, and for all that listen. */
function stopFrames(motors: readonly Motor[]): readonly Uint8Array[] {
  const { address } = DYNAMIXEL_MODELS['xl430-w250']!.registers['torqueEnable']!;
  const out = new Uint8Array(DYNAMIXEL_PROTOCOL.maxPacketBytes);
  const ids = Uint8Array.from(motors, ({ id }) => id);
  // Of what a tick sends, goals of four bytes are the longest, or caps of two where they stand elsewhere in some; stuffing adds a third at most.
  const goals = DYNAMIXEL_PROTOCOL.syncWrite(out, ids, ids.length, 0, new Uint8Array(4 * ids.length), 4);
  const caps = motors.map(({ id }) => ({ id, address: 0, bytes: 2, data: new Uint8Array(2) }));
  const longest = Math.ceil((Math.max(goals, DYNAMIXEL_PROTOCOL.bulkWrite(out, caps)) * 4) / 3);
  const off = DYNAMIXEL_PROTOCOL.syncWrite(out, ids, ids.length, address, new Uint8Array(ids.length), 1);
  const known = out.slice(0, off);
  const all = out.slice(0, DYNAMIXEL_PROTOCOL.write(out, BROADCAST_ID, address, Uint8Array.of(0), 0, 1));
  return [new Uint8Array(longest), known, all];
}

/** What is checked and written between ticks. */
class Configuration {
  readonly #bus: ServoBus;
  readonly #motor: Motor;
  readonly #registers: ServoRegisters;

  constructor(bus: ServoBus, motor: Motor) {
    this.#bus = bus;
    this.#motor = motor;
    this.#registers = new ServoRegisters(bus, motor);
  }

  /** Throws `Unfit` with what is wrong. */
  apply(): void {
    const { calibration, options } = this.#motor;
    // Whether it answers is what this decides, so that nothing can be waited for.
    this.#registers.tell('statusLevel', ANSWER_ALL);
    this.#reviveIfLatched();
    // One that has run out takes neither goals nor caps.
    if (this.#read('busWatchdog') === WATCHDOG_RAN_OUT) this.#set('busWatchdog', 0);
    if (calibration === undefined) {
      this.#set('torqueEnable', 0);
      return;
    }
    if (this.#motor.shadowOf === undefined) this.#checkStored(calibration);
    else this.#checkSecond(this.#motor.shadowOf.id);
    this.#set('returnDelay', 0);
    this.#setDriveMode();
    this.#set('shutdown', this.#read('shutdown') | SHUTDOWN_WANTED);
    // Before gains and goals: a change of mode resets them.
    this.#setMode();
    this.#checkShadow();
    this.#setCaps();
    for (const [name, value] of [
      ['gainP', options.gainP],
      ['gainI', options.gainI],
      ['gainD', options.gainD],
      // The reference is the profile.
      ['profileVelocity', 0],
      ['profileAcceleration', 0],
    ] as const) {
      if (value !== undefined) this.#set(name, value);
    }
    this.#mapSupervised();
    this.#armWatchdog();
  }

  /** An error that has latched holds torque off until a reboot, which loses what is not stored. */
  #reviveIfLatched(): void {
    const error = this.#read('hardwareError');
    if (error === 0) return;
    const names = hardwareErrorNames(error).join(', ');
    if (this.#read('torqueEnable') !== 0) this.#refuse(`reports ${names} with its torque on`);
    const { id } = this.#motor;
    if (!this.#bus.reboot(id)) this.#refuse(SILENT.what);
    const { clock } = this.#bus.line;
    this.#bus.line.wait(clock.nowS() + REBOOT_S);
    this.#bus.drain();
    this.#registers.tell('statusLevel', ANSWER_ALL);
    if (this.#read('hardwareError') !== 0) this.#refuse(`reports ${names}, after a reboot too`);
  }

  /** What it stores, but for what the first one of its joint is asked. */
  #checkSecond(firstId: number): void {
    const rules = dynamixelFamily.storedRules(this.#motor);
    const problem = undrivenRule(this.#motor, rules, (name) => this.#read(name));
    if (problem !== undefined) throw new Unfit(problem);
    this.#set('shadowId', firstId);
  }

  #checkStored(calibration: JointCalibration): void {
    const problem = storedProblem(this.#motor, calibration, (name) => this.#read(name));
    if (problem !== undefined) throw new Unfit(problem);
  }

  /** What is written to a servo its shadow takes too, which may turn the other way. */
  #setDriveMode(): void {
    const { model, options } = this.#motor;
    const { shadowId } = options;
    const wanted = this.#read('driveMode') & DRIVE_MODE_KEPT;
    if (shadowId === undefined) {
      this.#set('driveMode', wanted);
      return;
    }
    const shadow = new ServoRegisters(this.#bus, { id: shadowId, model });
    const before = shadow.read('driveMode');
    if (before === undefined) this.#refuse(`has a second servo, ${shadowId}, that does not answer`);
    this.#set('driveMode', wanted);
    if (!shadow.keeps('driveMode', before))
      this.#refuse(`has a second servo, ${shadowId}, that does not keep its drive mode`);
  }

  /** Of a second servo: the same goals have to mean the same place. */
  #checkShadow(): void {
    const { shadowOf } = this.#motor;
    if (shadowOf === undefined) return;
    const [own, first] = [
      this.#read('presentPosition'),
      new ServoRegisters(this.#bus, shadowOf).read('presentPosition'),
    ];
    if (first === undefined || Math.abs(own - first) <= SHADOW_SLACK_COUNTS) return;
    this.#refuse(
      `reads ${own} where the first servo of its joint reads ${first}: they would pull against each other. Drive mode and homing offset have to make them equal`,
    );
  }

  #setMode(): void {
    const { model, options } = this.#motor;
    if (options.mode === 'currentPosition' && of(model).stallCurrentA === undefined) {
      this.#refuse(`is a ${model.name}, which has no current to limit: mode position is all it has`);
    }
    this.#set('operatingMode', dynamixelFamily.operatingMode(this.#motor));
  }

  /** What is stored caps it after a restart too; `capRegister` may be lower from tick to tick. */
  #setCaps(): void {
    const { options } = this.#motor;
    const cap = capRegister(this.#motor);
    const counts = capCounts(this.#motor, cap, options.torqueRatio);
    for (const name of [cap === 'goalPwm' ? 'pwmMax' : 'currentMax', cap]) {
      if (!this.#registers.keeps(name, counts)) {
        this.#refuse(`does not keep its torque cap of ${Math.round(options.torqueRatio * 100)} % (${name}, fault 37)`);
      }
    }
  }

  #mapSupervised(): void {
    const { registers } = this.#motor.model;
    const { indirectAddress } = registers;
    const { offsets } = supervisedBlock(this.#motor);
    for (const [name, offset] of Object.entries(offsets)) {
      const { address, bytes } = registers[name]!;
      for (let i = 0; i < bytes; i++) {
        const at = { ...indirectAddress!, address: indirectAddress!.address + 2 * (offset + i) };
        if (!this.#registers.keepsAt(at, address + i)) this.#refuse('does not keep its indirect addresses');
      }
    }
    this.#checkSupervised();
  }

  /** Of a table that is another than its firmware's, what is supervised would be garbage. */
  #checkSupervised(): void {
    const { registers } = this.#motor.model;
    const { address, offsets } = supervisedBlock(this.#motor);
    for (const [name, offset] of Object.entries(offsets)) {
      const shown = this.#registers.readAt({ ...registers[name]!, address: address + offset });
      if (shown === this.#read(name)) continue;
      this.#refuse(
        `shows ${shown ?? 'nothing'} for ${name} at its indirect data (${address}): its firmware ${this.#read('firmware')} has another control table than is known`,
      );
    }
  }

  #armWatchdog(): void {
    const { model } = this.#motor;
    const firmware = this.#read('firmware');
    if (firmware < of(model).watchdogFirmware) {
      this.#refuse(
        `has firmware ${firmware}, without a bus watchdog: ${of(model).watchdogFirmware} is the first with one`,
      );
    }
    this.#set('busWatchdog', WATCHDOG_COUNTS);
  }

  #read(name: string): number {
    const value = this.#registers.read(name);
    if (value === undefined) return this.#refuse(SILENT.what);
    return value;
  }

  #set(name: string, value: number): void {
    if (this.#registers.keeps(name, value)) return;
    const isLocked = this.#registers.of(name).isStored === true && this.#read('torqueEnable') !== 0;
    this.#refuse(
      `does not take ${name} ${value}${isLocked ? ' while its torque is on: hold the arm, and turn it off' : ''}`,
    );
  }

  #refuse(what: string): never {
    throw new Unfit({ what });
  }
}

/** Ends a configuration. */
class Unfit extends Error {
  readonly problem: SetupProblem;

  constructor(problem: SetupProblem) {
    super(problem.what);
    this.problem = problem;
  }
}
