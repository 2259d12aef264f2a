/** Servo family: the protocol, models and register semantics that it adds to the generic driver. */
import { ReinError } from '../../model/index.ts';
import type { WriteRule } from '../serial/write-rule.ts';
import type { JointCalibration } from './calibration.ts';
import type { MotorOptions } from './options.ts';
import type { ServoModel, ServoProtocol, StoredRule } from './protocol.ts';
import type { ServoBus } from './servo-bus.ts';

/** One servo of the arm. */
export interface Motor {
  /** Name of the joint that it moves, or of the signal that it measures. */
  readonly name: string;
  readonly id: number;
  readonly model: ServoModel;
  readonly options: MotorOptions;
  /** Absent: an encoder, whose torque stays off. */
  readonly calibration?: JointCalibration | undefined;
  /**
   * Of the second servo of a joint: the first one, whose requests it obeys without answering. It is read, set up and
   * watched by its own id.
   */
  readonly shadowOf?: Motor | undefined;
}

/** Returns the second servos of `motors`, in their order. Throws `ReinError('config')` for models that cannot obey another servo's id. */
export function shadowsOf(motors: readonly Motor[]): readonly Motor[] {
  return motors.flatMap((motor): readonly Motor[] => {
    const { name, model, options } = motor;
    if (options.shadowId === undefined) return [];
    if (model.registers['shadowId'] === undefined) {
      throw new ReinError('config', `driver.motors.${name} has a shadowId, and ${model.name} obeys its own id only.`, {
        remedy: 'Leave it out.',
      });
    }
    const own = { ...options, shadowId: undefined };
    return [{ ...motor, name: `${name}, second servo`, id: options.shadowId, options: own, shadowOf: motor }];
  });
}

/** Adjacent registers that are read together. */
export interface ReadBlock {
  readonly address: number;
  readonly bytes: number;
  /** Offset of each register in the block, by name. */
  readonly offsets: Readonly<Record<string, number>>;
}

/** Returns the block from the first to the last of the registers `names`. */
export function blockOf({ registers }: ServoModel, names: readonly string[]): ReadBlock {
  const found = names.map((name) => [name, registers[name]!] as const);
  const address = Math.min(...found.map(([, register]) => register.address));
  const end = Math.max(...found.map(([, register]) => register.address + register.bytes));
  const offsets = Object.fromEntries(found.map(([name, register]) => [name, register.address - address]));
  return { address, bytes: end - address, offsets };
}

/** Identity that a servo reports. */
export interface ServoIdentity {
  readonly modelNumber: number;
  /** E.g. `3.10`; for families without a minor number, `46`. */
  readonly firmware: string;
}

/**
 * Servo family. Registers that the driver uses by name in every model: `presentPosition`, `presentSpeed`, `presentLoad` (share of full
 * load, or A), `torqueEnable` (1: on), `goalPosition`; in the slow blocks, if present in the model, `presentTemperature`, `presentVoltage`,
 * `torqueEnable`, the cap register, and `hardwareError`, which specifies errors that a status's error bits only announce.
 */
export interface ServoFamily {
  /** Driver kind in a robot file. */
  readonly name: string;
  readonly models: Readonly<Record<string, ServoModel>>;
  /** Reactions of its servos to register writes, and the states in which each register is written. */
  readonly writes: readonly WriteRule[];
  /**
   * Returns the protocol. Throws `ReinError('config')` for models that cannot share a bus. `firmwares`: of each model,
   * if known; newer firmware may allow faster requests.
   */
  protocolOf(models: readonly ServoModel[], firmwares?: readonly (string | undefined)[]): ServoProtocol;
  /** Returns `model` with the control table of `firmware`; `undefined` if it is newer than known. */
  withFirmware(model: ServoModel, firmware: string): ServoModel | undefined;
  /** Newest firmware with known control tables, and how to install it; absent: `withFirmware` refuses none. */
  readonly newestFirmware?: { readonly version: string; readonly remedy: string };
  /** Reads the identity of `id`; `undefined` without an answer. `pings`: number of tries, with long timeouts; 1: one quick try. */
  identify(bus: ServoBus, id: number, pings?: number): ServoIdentity | undefined;
  /** Writing a goal to a servo switches its torque on: the fast block includes `torqueEnable`, and only servos with torque get goals. */
  readonly goalTurnsOn: boolean;
  /** Block that is read in every tick. */
  fastBlock(motor: Motor): ReadBlock;
  /** Blocks that are read in turn, one block of one servo per tick. */
  slowBlocks(motor: Motor): readonly ReadBlock[];
  /**
   * Between ticks and without torque: checks stored registers against the calibration, writes the others, including the
   * cap, and reads them back. Returns the problem, or `undefined`.
   */
  configure(bus: ServoBus, motor: Motor): SetupProblem | undefined;
  /** Returns the conflict of stored registers with the calibration (row 34). `read`: value of a register, if the servo answers. */
  storedProblem(
    motor: Pick<Motor, 'model' | 'options' | 'shadowOf'>,
    calibration: JointCalibration,
    read: (register: string) => number | undefined,
  ): SetupProblem | undefined;
  /** Returns rules for stored registers that affect the meaning of readings, goals or protection and are not set at start. */
  storedRules(motor: Pick<Motor, 'model' | 'shadowOf'>): readonly StoredRule[];
  /** Stored registers that enable multi-turn counting, so that readings leave one turn. */
  readonly countsTurnsBy: readonly string[];
  /**
   * Stored register with bits that must be 0 in driven servos, except second ones of a joint; `turns`: bit of reversed
   * direction.
   */
  readonly clearBits?: {
    readonly register: string;
    readonly bits: number;
    readonly turns: number;
    readonly why: string;
  };
  /** Bits of a stored register that reverse motor or encoder and are not set at start: the calibration records their values. */
  readonly directionBits?: { readonly register: string; readonly bits: number };
  /** Value of `operatingMode` in which it is driven. */
  operatingMode(motor: Pick<Motor, 'options'>): number;
  /** Largest magnitude of `homingOffset` that has effect in that mode, counts. */
  offsetMaxCounts(motor: Pick<Motor, 'options'>): number;
  /** True if readings stay within one turn with any offset; else they leave it by the offset, and jump at the end of the encoder's turn. */
  readonly wrapsOffset: boolean;
  /** Register of the torque cap, and its value for `ratio` (0, 1] of the servo's own torque. */
  capRegister(motor: Motor): string;
  capCounts(motor: Motor, ratio: number): number;
  /** Torque at the horn per unit of the scaled `presentLoad`, N·m. */
  nmPerLoad(motor: Motor): number;
  /** Smallest and largest goal, counts. */
  goalRange(model: ServoModel): readonly [number, number];
  /** Returns true for error bits of a status that stop the robot. Tick path. */
  isFault(error: number): boolean;
  /** Returns error names. `named`: value of the register `hardwareError`, if present and read; else 0. Allocates. */
  errorNames(error: number, named?: number): readonly string[];
  /**
   * Evaluates a slow block: true if the servo stopped by itself and rejects goals (bus watchdog). NaN: not in the
   * block. Tick path.
   */
  hasStopped?(countsOf: (name: string) => number): boolean;
  /** Makes a servo that stopped by itself after a silence accept goals and caps again; it does not move. Between ticks. */
  wake?(bus: ServoBus, motor: Motor): void;
  /** Returns the frames of the guardian: see `DriverBus.stopFrames`. */
  stopFrames(motors: readonly Motor[]): readonly Uint8Array[];
  /** Called once a tick while torque is on, for devices whose watchdog is fed by certain requests only. Tick path. */
  feed?(bus: ServoBus): void;
}

/** Reason why a servo cannot be driven. */
export interface SetupProblem {
  /** Sentence without subject and full stop. */
  readonly what: string;
  /** Further options of `rein calibrate`, which fixes the problem; `--joint`: for that joint only; absent: it does not. */
  readonly calibrate?: string | undefined;
}

/** Returns the command that fixes the problem of `joint`, with `named` as robot name; `undefined` if there is none. */
export function mendingCommand(named: string, joint: string, { calibrate }: SetupProblem): string | undefined {
  if (calibrate === undefined) return undefined;
  if (calibrate === '') return `rein calibrate --robot ${named}`;
  const options = calibrate === '--joint' ? '' : ` ${calibrate}`;
  return `rein calibrate --robot ${named}${options} --joint ${joint}`;
}

/** Problem of a register that does not answer. */
export const SILENT: SetupProblem = { what: 'does not answer' };

/** Returns why a servo with `firmware` is not driven; `undefined` if its control table is known. */
export function unknownTable(
  family: ServoFamily,
  { id, name, model }: Pick<Motor, 'id' | 'name' | 'model'>,
  firmware: string,
): { readonly message: string; readonly remedy: string } | undefined {
  const { newestFirmware } = family;
  if (newestFirmware === undefined || family.withFirmware(model, firmware) !== undefined) return undefined;
  const { version, remedy } = newestFirmware;
  return {
    message: `Servo ${id} (${name}) is model ${model.name} with firmware ${firmware}, and control tables are known up to firmware ${version}: its register addresses are unknown.`,
    remedy,
  };
}

/** Returns the problem of a reading outside one turn, as a sentence without full stop; `undefined` if it is inside. */
export function turnsProblem(family: ServoFamily, model: ServoModel, counts: number): string | undefined {
  const [first, last] = family.goalRange(model);
  if (counts >= first && counts <= last) return undefined;
  const known = family.countsTurnsBy.filter((name) => model.registers[name] !== undefined);
  const named = known.map((name) => `${name} (register ${model.registers[name]!.address})`).join(' or ');
  return `reads ${counts}, outside ${first} to ${last}: it counts turns, as ${named} lets it`;
}

/** Returns a problem if the stored offset differs from the calibration. */
export function offsetMoved(stored: number, { homingOffsetCounts }: JointCalibration): SetupProblem | undefined {
  if (stored === homingOffsetCounts) return undefined;
  const what = `adds ${stored} to its position, and ${homingOffsetCounts} when it was calibrated: its calibrated zero is wrong (fault 34)`;
  return { what, calibrate: '' };
}

/** Returns the present value of `JointCalibration.storedDirection`; `read`: value of a register, if the servo answers. */
export function storedDirectionOf(
  { directionBits }: ServoFamily,
  { model }: Pick<Motor, 'model'>,
  read: (register: string) => number | undefined,
): number | undefined {
  if (directionBits === undefined || model.registers[directionBits.register] === undefined) return undefined;
  const value = read(directionBits.register);
  return value === undefined ? undefined : value & directionBits.bits;
}

/** Returns a problem if the servo's direction differs from the calibration, or is not readable; `stored`: see `storedDirectionOf`. */
export function directionMoved(
  { directionBits }: ServoFamily,
  { model }: Pick<Motor, 'model'>,
  stored: number | undefined,
  { storedDirection }: JointCalibration,
): SetupProblem | undefined {
  if (storedDirection === undefined || stored === storedDirection) return undefined;
  if (directionBits === undefined || model.registers[directionBits.register] === undefined) return undefined;
  if (stored === undefined) return SILENT;
  const { register } = directionBits;
  const place = `${register} (register ${model.registers[register]!.address})`;
  const what = `turns or counts the other way than when it was calibrated: ${place} has ${stored} of its bits of direction, and had ${storedDirection} (fault 34)`;
  return { what, calibrate: '--joint' };
}

/**
 * Returns a problem if the stored goal range (first argument) would stop a joint short of its calibrated range (row
 * 34). Second argument: goals accepted with any stored range. `slack`: tolerance, counts.
 */
export function rangeProblem(
  [least, most]: readonly [number, number],
  [first, last]: readonly [number, number],
  { minCounts, maxCounts }: Pick<JointCalibration, 'minCounts' | 'maxCounts'>,
  slack = 0,
): SetupProblem | undefined {
  if (least <= Math.max(first, minCounts) + slack && most >= Math.min(last, maxCounts) - slack) return undefined;
  const what = `takes goals from ${least} to ${most} only, and was calibrated from ${minCounts} to ${maxCounts} (fault 34)`;
  return { what, calibrate: '--store-ranges' };
}

/** Returns why readings with this offset are invalid in part of the range, as a sentence without subject and full stop (row 34). */
export function offsetProblem(
  family: ServoFamily,
  motor: Pick<Motor, 'model' | 'options'>,
  {
    homingOffsetCounts,
    minCounts,
    maxCounts,
  }: Pick<JointCalibration, 'homingOffsetCounts' | 'minCounts' | 'maxCounts'>,
): string | undefined {
  const most = family.offsetMaxCounts(motor);
  if (most === 0 && homingOffsetCounts !== 0) {
    return `stores the offset ${homingOffsetCounts}, with which its bus watchdog may let it walk on as it is driven: 0 alone is safe (fault 34)`;
  }
  if (Math.abs(homingOffsetCounts) > most) {
    return `stores the offset ${homingOffsetCounts}, and ignores what is beyond ±${most} as it is driven: its calibrated zero is wrong (fault 34)`;
  }
  if (family.wrapsOffset) return undefined;
  const [least, last] = family.goalRange(motor.model).map((count) => count + homingOffsetCounts) as [number, number];
  if (minCounts >= least && maxCounts <= last) return undefined;
  return `reads ${least} to ${last} in its turn, and was calibrated from ${minCounts} to ${maxCounts}: beyond, it is a turn off after power-up (fault 34)`;
}

/** Returns the counts per rad (or m) of the joint. */
export function countsPerUnit({ model, options }: Pick<Motor, 'model' | 'options'>): number {
  return model.countsPerTurn / options.perTurn;
}

/** Returns the counts per rad of the servo's own turn, whatever its transmission. */
export function countsPerServoRad({ model }: Pick<Motor, 'model'>): number {
  return model.countsPerTurn / (2 * Math.PI);
}
