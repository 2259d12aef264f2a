/** Dynamixel X series for the generic servo driver. */

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
/** Timeout of `busWatchdog` in counts of 20 ms: without a request for this long, the servo stops and rejects goals until it is reset. */
const WATCHDOG_COUNTS = 10;
const WATCHDOG_RAN_OUT = -1;
/** Status level at which every request is answered. */
const ANSWER_ALL = 2;
/**
 * Bits of `driveMode` that are kept: reversed direction; slave of another servo. Cleared: time-based profile, torque on
 * by goal.
 */
const DRIVE_MODE_KEPT = 0b11;
const REVERSED = 0b01;
/** Errors on which the servo must switch torque off by itself: overload, electrical shock, overheating. */
const SHUTDOWN_WANTED = HARDWARE_ERROR.overload | HARDWARE_ERROR.electricalShock | HARDWARE_ERROR.temperature;
/** Wait after a reboot before the next request, s: the reboot time is not published. */
const REBOOT_S = 0.6;
const PWM_COUNTS = 885;
/** Tolerated difference between the readings of two servos at one joint, counts: 6 degrees, for backlash and horns. */
const SHADOW_SLACK_COUNTS = 68;
/**
 * e-Manual, Homing Offset(20): in position mode, offsets beyond a quarter turn are ignored. In a mode that counts turns, an expired bus
 * watchdog lets a servo with an offset walk on (ROBOTIS, DynamixelSDK on GitHub, issue 584; firmware of that time): its offset must be 0.
 */
const OFFSET_MAX_COUNTS = { position: 1024, currentPosition: 0 } as const;

/** Registers read as one block through indirect addresses, because they are far apart in the control table. */
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
  // e-Manual, Torque Enable(64): at 0 the motor is not driven, whatever its goal; after power-up it is 0.
  goalTurnsOn: false,
  // These registers are adjacent, and valid after a restart too, unlike indirect addresses.
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
  // In both modes, the encoder is within its turn at power-up, and the offset is added to that.
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
  // Goals beyond are rejected by the servo, not clamped.
  return rangeProblem([least, most], dynamixelFamily.goalRange(motor.model), calibration);
}

/** Casts to the model type of this family, which has further fields. */
function of(model: Motor['model']): DynamixelModel {
  return model as DynamixelModel;
}

/** Both are writable with torque on: PWM is the last limit in position mode, current that in current-based position mode. */
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

/** Pads out a truncated request with bytes that begin no packet; then torque off for each known servo, and by broadcast. */
function stopFrames(motors: readonly Motor[]): readonly Uint8Array[] {
  const { address } = DYNAMIXEL_MODELS['xl430-w250']!.registers['torqueEnable']!;
  const out = new Uint8Array(DYNAMIXEL_PROTOCOL.maxPacketBytes);
  const ids = Uint8Array.from(motors, ({ id }) => id);
  // Longest request of a tick: goals of four bytes, or caps of two where addresses differ; stuffing adds a third at most.
  const goals = DYNAMIXEL_PROTOCOL.syncWrite(out, ids, ids.length, 0, new Uint8Array(4 * ids.length), 4);
  const caps = motors.map(({ id }) => ({ id, address: 0, bytes: 2, data: new Uint8Array(2) }));
  const longest = Math.ceil((Math.max(goals, DYNAMIXEL_PROTOCOL.bulkWrite(out, caps)) * 4) / 3);
  const off = DYNAMIXEL_PROTOCOL.syncWrite(out, ids, ids.length, address, new Uint8Array(ids.length), 1);
  const known = out.slice(0, off);
  const all = out.slice(0, DYNAMIXEL_PROTOCOL.write(out, BROADCAST_ID, address, Uint8Array.of(0), 0, 1));
  return [new Uint8Array(longest), known, all];
}

/** Checks and writes the registers of a servo between ticks. */
class Configuration {
  readonly #bus: ServoBus;
  readonly #motor: Motor;
  readonly #registers: ServoRegisters;

  constructor(bus: ServoBus, motor: Motor) {
    this.#bus = bus;
    this.#motor = motor;
    this.#registers = new ServoRegisters(bus, motor);
  }

  /** Throws `Unfit` with the problem. */
  apply(): void {
    const { calibration, options } = this.#motor;
    // This register decides whether the servo answers, so no reply can be awaited.
    this.#registers.tell('statusLevel', ANSWER_ALL);
    this.#reviveIfLatched();
    // After its bus watchdog expired, a servo rejects goals and caps.
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
      // The reference already is the profile.
      ['profileVelocity', 0],
      ['profileAcceleration', 0],
    ] as const) {
      if (value !== undefined) this.#set(name, value);
    }
    this.#mapSupervised();
    this.#armWatchdog();
  }

  /** A latched error keeps torque off until a reboot, which loses volatile settings. */
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

  /** Checks the stored registers of a second servo, except those required of the joint's first servo only. */
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

  /** Sets `driveMode`. The second servo obeys this write too, so its own value is restored: it may turn the other way. */
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

  /** Checks that a second servo reads the same as the first: the same goals have to mean the same position. */
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

  /** Stored limits also cap torque after a restart; `capRegister` may be lower from tick to tick. */
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

  /** Checks the indirect data: if the control table is not that of the firmware, supervised values are garbage. */
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

/** Aborts a configuration. */
class Unfit extends Error {
  readonly problem: SetupProblem;

  constructor(problem: SetupProblem) {
    super(problem.what);
    this.problem = problem;
  }
}
