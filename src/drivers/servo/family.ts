/** What a family of servos adds to the generic driver: its protocol, its models, and what its registers are called for. */
import { ReinError } from '../../core/index.ts';
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
  /** Of a second servo at one joint: the first one, whose requests it obeys without an answer. It is read, set up and watched by its own id. */
  readonly shadowOf?: Motor | undefined;
}

/** The second servos of `motors`, in their order. Throws `ReinError('config')` for models that cannot obey another's id. */
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

/** Registers that stand together, and are read together. */
export interface ReadBlock {
  readonly address: number;
  readonly bytes: number;
  /** Where each register begins in it, by name. */
  readonly offsets: Readonly<Record<string, number>>;
}

/** The block from the first to the last of the registers `names`. */
export function blockOf({ registers }: ServoModel, names: readonly string[]): ReadBlock {
  const found = names.map((name) => [name, registers[name]!] as const);
  const address = Math.min(...found.map(([, register]) => register.address));
  const end = Math.max(...found.map(([, register]) => register.address + register.bytes));
  const offsets = Object.fromEntries(found.map(([name, register]) => [name, register.address - address]));
  return { address, bytes: end - address, offsets };
}

/** What a servo says that it is. */
export interface ServoIdentity {
  readonly modelNumber: number;
  /** `3.10`; of families without a minor number `46`. */
  readonly firmware: string;
}

/**
 * A family. Registers that the driver asks for by name in every model: `presentPosition`, `presentSpeed`, `presentLoad` (share of full
 * load, or A), `torqueEnable` (1: on), `goalPosition`; in the slow blocks, where the model has them, `presentTemperature`, `presentVoltage`,
 * `torqueEnable`, the register of the cap, and `hardwareError`, which names what the error bits of a status only announce.
 */
export interface ServoFamily {
  /** The kind of driver in a robot's file. */
  readonly name: string;
  readonly models: Readonly<Record<string, ServoModel>>;
  /** What its servos do by themselves when a register is written, and when that is done. */
  readonly writes: readonly WriteRule[];
  /**
   * Throws `ReinError('config')` where models do not live on one bus. `firmwares`: of each, where it is known; a newer one may be asked in
   * a quicker way.
   */
  protocolOf(models: readonly ServoModel[], firmwares?: readonly (string | undefined)[]): ServoProtocol;
  /** `model` with the control table of that firmware; `undefined` where it is newer than what is known. */
  withFirmware(model: ServoModel, firmware: string): ServoModel | undefined;
  /** Newest firmware whose control tables are known, and how another one gets into a servo; absent: `withFirmware` refuses none. */
  readonly newestFirmware?: { readonly version: string; readonly remedy: string };
  /** Asks `id` who it is; `undefined` where nobody answers: to so many pings, patiently, or to one as quickly as the bus is. */
  identify(bus: ServoBus, id: number, pings?: number): ServoIdentity | undefined;
  /** A goal that is written to a servo turns its torque on: its fast block has `torqueEnable`, and a goal goes only to one whose torque is on. */
  readonly goalTurnsOn: boolean;
  /** Read in every tick. */
  fastBlock(motor: Motor): ReadBlock;
  /** Read one after another, one servo and block a tick. */
  slowBlocks(motor: Motor): readonly ReadBlock[];
  /**
   * Between ticks and without torque: checks what is stored against the calibration, writes what is not, the cap among it, and reads it
   * back. Returns what is wrong; else `undefined`.
   */
  configure(bus: ServoBus, motor: Motor): SetupProblem | undefined;
  /** What a servo stores that does not go with its calibration (row 34); `read`: a register of it, where it answers. */
  storedProblem(
    motor: Pick<Motor, 'model' | 'options' | 'shadowOf'>,
    calibration: JointCalibration,
    read: (register: string) => number | undefined,
  ): SetupProblem | undefined;
  /** Stored registers whose value changes what readings, goals or protection mean, and that no start sets by itself. */
  storedRules(motor: Pick<Motor, 'model' | 'shadowOf'>): readonly StoredRule[];
  /** Stored registers that let it count turns, so that its readings leave one. */
  readonly countsTurnsBy: readonly string[];
  /** A stored register of which some bits have to be 0 in a servo that is driven, but for a second one of a joint; `turns`: it turns round. */
  readonly clearBits?: {
    readonly register: string;
    readonly bits: number;
    readonly turns: number;
    readonly why: string;
  };
  /** Bits of a stored register by which a servo turns or counts the other way, and that no start sets: a calibration holds what they were. */
  readonly directionBits?: { readonly register: string; readonly bits: number };
  /** Value of `operatingMode` that it is driven in. */
  operatingMode(motor: Pick<Motor, 'options'>): number;
  /** Greatest `homingOffset`, either way, that counts in that mode, counts. */
  offsetMaxCounts(motor: Pick<Motor, 'options'>): number;
  /** Whether a reading stays within one turn with any offset; else it leaves it by as much, and jumps where the encoder's turn ends. */
  readonly wrapsOffset: boolean;
  /** The register of the cap, and what it holds for `ratio` (0, 1] of the servo's own torque. */
  capRegister(motor: Motor): string;
  capCounts(motor: Motor, ratio: number): number;
  /** Torque at the horn, N·m, for each 1 that `presentLoad` reads, scaled. */
  nmPerLoad(motor: Motor): number;
  /** Least and greatest count that a goal may have. */
  goalRange(model: ServoModel): readonly [number, number];
  /** Error bits of a status that stop the robot. Tick path. */
  isFault(error: number): boolean;
  /** In words. `named`: what its register `hardwareError` holds, where it has one and was read; else 0. Allocates. */
  errorNames(error: number, named?: number): readonly string[];
  /** Of a slow block: it has stopped by itself and takes no goals (a bus watchdog). NaN where the block has no such register. Tick path. */
  hasStopped?(countsOf: (name: string) => number): boolean;
  /** Lets a servo that has stopped by itself, after a silence, take goals and caps again; it does not move. Between ticks. */
  wake?(bus: ServoBus, motor: Motor): void;
  /** What the guardian writes: see `DriverBus.stopFrames`. */
  stopFrames(motors: readonly Motor[]): readonly Uint8Array[];
  /** Once a tick while torque is on, for devices with a watchdog that only some requests feed. Tick path. */
  feed?(bus: ServoBus): void;
}

/** Why a servo cannot be driven. */
export interface SetupProblem {
  /** A sentence without subject and end. */
  readonly what: string;
  /** Further options of `rein calibrate`, which mends it; `--joint`: of that joint alone; absent: it does not. */
  readonly calibrate?: string | undefined;
}

/** The command that mends it, of `joint` of the robot that commands call `named`; `undefined` where none does. */
export function mendingCommand(named: string, joint: string, { calibrate }: SetupProblem): string | undefined {
  if (calibrate === undefined) return undefined;
  if (calibrate === '') return `rein calibrate --robot ${named}`;
  const options = calibrate === '--joint' ? '' : ` ${calibrate}`;
  return `rein calibrate --robot ${named}${options} --joint ${joint}`;
}

/** Of a register that does not answer. */
export const SILENT: SetupProblem = { what: 'does not answer' };

/** Why a servo with that firmware is not driven; `undefined` where its control table is known. */
export function unknownTable(
  family: ServoFamily,
  { id, name, model }: Pick<Motor, 'id' | 'name' | 'model'>,
  firmware: string,
): { readonly message: string; readonly remedy: string } | undefined {
  const { newestFirmware } = family;
  if (newestFirmware === undefined || family.withFirmware(model, firmware) !== undefined) return undefined;
  const { version, remedy } = newestFirmware;
  return {
    message: `Servo ${id} (${name}) is model ${model.name} with firmware ${firmware}, and control tables are known up to firmware ${version}: which registers are where in it is not.`,
    remedy,
  };
}

/** What a reading is that one turn does not have, as a sentence without its end; `undefined` for one that it has. */
export function turnsProblem(family: ServoFamily, model: ServoModel, counts: number): string | undefined {
  const [first, last] = family.goalRange(model);
  if (counts >= first && counts <= last) return undefined;
  const known = family.countsTurnsBy.filter((name) => model.registers[name] !== undefined);
  const named = known.map((name) => `${name} (register ${model.registers[name]!.address})`).join(' or ');
  return `reads ${counts}, outside ${first} to ${last}: it counts turns, as ${named} lets it`;
}

/** The stored offset is not the one of the calibration. */
export function offsetMoved(stored: number, { homingOffsetCounts }: JointCalibration): SetupProblem | undefined {
  if (stored === homingOffsetCounts) return undefined;
  const what = `adds ${stored} to its position, and ${homingOffsetCounts} when it was calibrated: its calibrated zero is wrong (fault 34)`;
  return { what, calibrate: '' };
}

/** What `JointCalibration.storedDirection` holds of the servo of `motor` now; `read`: a register of it, where it answers. */
export function storedDirectionOf(
  { directionBits }: ServoFamily,
  { model }: Pick<Motor, 'model'>,
  read: (register: string) => number | undefined,
): number | undefined {
  if (directionBits === undefined || model.registers[directionBits.register] === undefined) return undefined;
  const value = read(directionBits.register);
  return value === undefined ? undefined : value & directionBits.bits;
}

/** The servo turns or counts the other way than when it was calibrated, or does not say which; `stored`: see `storedDirectionOf`. */
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
 * A servo keeps goals to the range that it stores, `stored`, so that a joint would stop short (row 34); `goals`: what it takes with any.
 * `slack`, counts: that much is no matter.
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

/** Why readings with that offset are no positions in all of that range, as a sentence without subject and end (row 34). */
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

/** Positions, rad (or m), from counts, and back. */
export function countsPerUnit({ model, options }: Pick<Motor, 'model' | 'options'>): number {
  return model.countsPerTurn / options.perTurn;
}

/** Of the servo's own turn, whatever the joint makes of it. */
export function countsPerServoRad({ model }: Pick<Motor, 'model'>): number {
  return model.countsPerTurn / (2 * Math.PI);
}
