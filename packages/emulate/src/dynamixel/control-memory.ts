/** Control table of an emulated Dynamixel X servo, as requests read and write it. Source: ROBOTIS e-Manual, the page of its model. */
import {
  DYNAMIXEL_BAUDS,
  type DynamixelModel,
  dynamixel,
  type Register,
  readRegister,
} from '../../../../src/drivers/serial.ts';
import { RegisterFile } from '../registers.ts';
import { factoryOf, MODE, PWM_COUNTS } from './builds.ts';

const { STATUS_ERROR } = dynamixel;
/** Size of the address space. */
const SIZE = 256;
/** Registers that no request may change once the bus watchdog has expired. */
export const GOALS: readonly string[] = ['goalPwm', 'goalCurrent', 'goalVelocity', 'goalPosition'];
/** Value of `busWatchdog` once it has expired. */
export const RAN_OUT: number = -1;
/** Size of an indirect address; it cannot point at the registers below `LEAST_TARGET`. */
const POINTER_BYTES = 2;
const POINTER: Register = { address: 0, bytes: POINTER_BYTES };
const LEAST_TARGET = 64;

/** Maxima of registers that take values from 0. Source: the e-Manual's pages, column "Range". */
const MOST: Readonly<Record<string, number>> = {
  id: 252,
  returnDelay: 254,
  temperatureMax: 100,
  movingThreshold: 1023,
  velocityMax: 2047,
  positionMin: 4095,
  positionMax: 4095,
  pwmMax: PWM_COUNTS,
  torqueEnable: 1,
  led: 1,
  statusLevel: 2,
  busWatchdog: 127,
  velocityGainI: 16_383,
  velocityGainP: 16_383,
  gainD: 16_383,
  gainI: 16_383,
  gainP: 16_383,
  feedForward2: 16_383,
  feedForward1: 16_383,
  profileAcceleration: 32_767,
  profileVelocity: 32_767,
};

/** One register of a request: by name, or by the index of an indirect address. */
export type RegisterWrite =
  | { readonly name: string; readonly value: number }
  | { readonly pointer: number; readonly value: number };

/** Control table with indirect addresses, and its rules for writing. */
export class ControlMemory {
  readonly registers: RegisterFile;
  readonly #model: DynamixelModel;

  /** `changed`: registers that differ from factory values, stored too. */
  constructor(model: DynamixelModel, changed: Readonly<Record<string, number>>) {
    this.#model = model;
    this.registers = new RegisterFile({ model, size: SIZE, isLittleEndian: true, factory: factoryOf(model.name) });
    for (const [name, value] of Object.entries(changed)) this.registers.set(name, value);
    this.registers.store(0, SIZE);
  }

  /** Reads `count` bytes from `address` through indirect addresses; `undefined` beyond the table. */
  read(address: number, count: number): Uint8Array | undefined {
    if (address + count > SIZE) return undefined;
    return Uint8Array.from({ length: count }, (_, i) => this.registers.bytes[this.#direct(address + i)]!);
  }

  /** Decodes a write into registers, if all of them may be written now; returns the error number otherwise. */
  understand(address: number, data: Uint8Array): readonly RegisterWrite[] | number {
    const found: RegisterWrite[] = [];
    for (let i = 0; i < data.length; ) {
      const at = address + i;
      const direct = at < SIZE ? this.#direct(at) : at;
      const pointer = this.#pointerAt(direct);
      const name = this.registers.nameAt(direct);
      if (pointer === undefined && name === undefined) return STATUS_ERROR.access;
      const register = pointer === undefined ? this.#model.registers[name!]! : POINTER;
      if (data.length - i < register.bytes) return STATUS_ERROR.dataLength;
      const value = readRegister(register, data, i, true);
      found.push(pointer === undefined ? { name: name!, value } : { pointer, value });
      i += register.bytes;
    }
    for (const write of found) {
      const error = this.#refusal(write);
      if (error !== 0) return error;
    }
    return found;
  }

  /** Points the `pointer`-th indirect address at `address`. */
  point(pointer: number, address: number): void {
    const at = this.#model.registers['indirectAddress']!.address + POINTER_BYTES * pointer;
    this.registers.bytes[at] = address & 0xff;
    this.registers.bytes[at + 1] = address >> 8;
  }

  /** Points each indirect address at its own data, as after power-up. */
  pointHome(): void {
    const { registers, indirectBytes } = this.#model;
    for (let k = 0; k < indirectBytes; k++) this.point(k, registers['indirectData']!.address + k);
  }

  /** Resolves an address of indirect data to the address that it points at. */
  #direct(address: number): number {
    const { registers, indirectBytes } = this.#model;
    const k = address - registers['indirectData']!.address;
    if (k < 0 || k >= indirectBytes) return address;
    const at = registers['indirectAddress']!.address + POINTER_BYTES * k;
    const target = this.registers.bytes[at]! + this.registers.bytes[at + 1]! * 256;
    return target < SIZE ? target : address;
  }

  /** Returns the index of the indirect address that begins at `address`. */
  #pointerAt(address: number): number | undefined {
    const { registers, indirectBytes } = this.#model;
    const k = address - registers['indirectAddress']!.address;
    return k >= 0 && k < POINTER_BYTES * indirectBytes && k % POINTER_BYTES === 0 ? k / POINTER_BYTES : undefined;
  }

  /** Returns the error number of a write; 0: accepted. */
  #refusal(write: RegisterWrite): number {
    const { value } = write;
    if ('pointer' in write) return value < LEAST_TARGET || value >= SIZE ? STATUS_ERROR.dataRange : 0;
    const { registers } = this;
    const { name } = write;
    const { isReadOnly, isStored } = this.#model.registers[name]!;
    const isTorqueOn = registers.get('torqueEnable') === 1;
    if (isReadOnly === true || (isStored === true && isTorqueOn)) return STATUS_ERROR.access;
    const hasRunOut = registers.get('busWatchdog') === RAN_OUT;
    if (hasRunOut && GOALS.includes(name)) return STATUS_ERROR.dataRange;
    const most = this.#mostOf(name);
    if (most !== undefined && Math.abs(value) > most) return STATUS_ERROR.dataLimit;
    return this.#isInRange(name, value) ? 0 : STATUS_ERROR.dataRange;
  }

  #mostOf(name: string): number | undefined {
    const limit = { goalPwm: 'pwmMax', goalCurrent: 'currentMax', goalVelocity: 'velocityMax' }[name];
    return limit === undefined ? undefined : this.registers.get(limit);
  }

  #isInRange(name: string, value: number): boolean {
    const { registers } = this;
    switch (name) {
      case 'goalPosition':
        return (
          registers.get('operatingMode') !== MODE.position ||
          (value >= registers.get('positionMin') && value <= registers.get('positionMax'))
        );
      case 'operatingMode': {
        const ofCurrent: readonly number[] = this.#model.stallCurrentA === undefined ? [] : [0, MODE.currentPosition];
        return [1, MODE.position, MODE.extendedPosition, 16, ...ofCurrent].includes(value);
      }
      case 'baud':
        return value < DYNAMIXEL_BAUDS.length;
      default: {
        const most = MOST[name];
        return most === undefined || (value >= 0 && value <= most);
      }
    }
  }
}
