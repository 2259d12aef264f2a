/** What requests read and write of an emulated servo of Dynamixel's X series. Source: ROBOTIS e-Manual, the page of its model. */
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
/** Addresses that can be read and written. */
const SIZE = 256;
/** Registers that no request may change while the bus watchdog has run out. */
export const GOALS: readonly string[] = ['goalPwm', 'goalCurrent', 'goalVelocity', 'goalPosition'];
/** Value of `busWatchdog` then. */
export const RAN_OUT: number = -1;
/** Bytes of an indirect address; the first registers cannot be pointed at. */
const POINTER_BYTES = 2;
const POINTER: Register = { address: 0, bytes: POINTER_BYTES };
const LEAST_TARGET = 64;

/** Greatest value of registers that take 0 and more. Source: the e-Manual's pages, column "Range". */
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

/** One register of a request: by name, or the place of an indirect address. */
export type RegisterWrite =
  | { readonly name: string; readonly value: number }
  | { readonly pointer: number; readonly value: number };

/** Control table with indirect addresses, and what may be written to it when. */
export class ControlMemory {
  readonly registers: RegisterFile;
  readonly #model: DynamixelModel;

  /** `changed`: registers that differ from the factory's, stored too. */
  constructor(model: DynamixelModel, changed: Readonly<Record<string, number>>) {
    this.#model = model;
    this.registers = new RegisterFile({ model, size: SIZE, isLittleEndian: true, factory: factoryOf(model.name) });
    for (const [name, value] of Object.entries(changed)) this.registers.set(name, value);
    this.registers.store(0, SIZE);
  }

  /** What is read from `address` on, through indirect addresses; `undefined` where there is nothing. */
  read(address: number, count: number): Uint8Array | undefined {
    if (address + count > SIZE) return undefined;
    return Uint8Array.from({ length: count }, (_, i) => this.registers.bytes[this.#direct(address + i)]!);
  }

  /** What a write means, register by register, all of which may be written now; or the number of its error. */
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

  /** Lets the `pointer`-th indirect address point at `address`. */
  point(pointer: number, address: number): void {
    const at = this.#model.registers['indirectAddress']!.address + POINTER_BYTES * pointer;
    this.registers.bytes[at] = address & 0xff;
    this.registers.bytes[at + 1] = address >> 8;
  }

  /** Each indirect address points at its own data, as after power-up. */
  pointHome(): void {
    const { registers, indirectBytes } = this.#model;
    for (let k = 0; k < indirectBytes; k++) this.point(k, registers['indirectData']!.address + k);
  }

  /** Where the byte at `address` really stands. */
  #direct(address: number): number {
    const { registers, indirectBytes } = this.#model;
    const k = address - registers['indirectData']!.address;
    if (k < 0 || k >= indirectBytes) return address;
    const at = registers['indirectAddress']!.address + POINTER_BYTES * k;
    const target = this.registers.bytes[at]! + this.registers.bytes[at + 1]! * 256;
    return target < SIZE ? target : address;
  }

  /** Which indirect address begins at `address`. */
  #pointerAt(address: number): number | undefined {
    const { registers, indirectBytes } = this.#model;
    const k = address - registers['indirectAddress']!.address;
    return k >= 0 && k < POINTER_BYTES * indirectBytes && k % POINTER_BYTES === 0 ? k / POINTER_BYTES : undefined;
  }

  /** Number of the error that a write ends with; 0: it is taken. */
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
