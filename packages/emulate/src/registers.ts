/** A device's memory: the bytes that a control table describes, with what power keeps and what it loses. */
import { type Register, rangeOf, readRegister, type ServoModel, writeRegister } from '../../../src/drivers/serial.ts';

export interface RegisterFileOptions {
  readonly model: ServoModel;
  /** How many addresses there are. */
  readonly size: number;
  readonly isLittleEndian: boolean;
  /** What registers hold as they leave the factory, in counts; the others 0. */
  readonly factory: Readonly<Record<string, number>>;
}

export class RegisterFile {
  readonly model: ServoModel;
  /** [size] as they are read. */
  readonly bytes: Uint8Array;
  readonly #isLittleEndian: boolean;
  readonly #factory: Uint8Array;
  /** [size] what is there when power comes on. */
  readonly #kept: Uint8Array;
  /** [size] 1: kept without power; 2: not to be written. */
  readonly #kind: Uint8Array;
  readonly #byAddress: ReadonlyMap<number, string>;

  constructor({ model, size, isLittleEndian, factory }: RegisterFileOptions) {
    this.model = model;
    this.bytes = new Uint8Array(size);
    this.#isLittleEndian = isLittleEndian;
    this.#kind = new Uint8Array(size);
    const entries = Object.entries(model.registers);
    this.#byAddress = new Map(entries.map(([name, { address }]) => [address, name]));
    for (const [, { address, bytes, isStored, isReadOnly }] of entries) {
      this.#kind.fill((isStored === true ? 1 : 0) | (isReadOnly === true ? 2 : 0), address, address + bytes);
    }
    for (const [name, value] of Object.entries({ modelNumber: model.modelNumber, ...factory })) {
      if (this.has(name)) this.set(name, value);
    }
    this.#factory = this.bytes.slice();
    this.#kept = this.bytes.slice();
  }

  /** Whether the model has a register of this name. */
  has(name: string): boolean {
    return this.model.registers[name] !== undefined;
  }

  /** In counts. Throws `RangeError` for a name that the model has not. */
  get(name: string): number {
    const register = this.#named(name);
    return readRegister(register, this.bytes, register.address, this.#isLittleEndian);
  }

  /** In the register's unit. */
  value(name: string): number {
    return this.get(name) * (this.#named(name).scale ?? 1);
  }

  /** `value` in counts, rounded, and held within what the register can say. */
  set(name: string, value: number): void {
    const register = this.#named(name);
    const [least, most] = rangeOf(register);
    const counts = Math.min(most, Math.max(least, Math.round(value)));
    writeRegister(register, counts, this.bytes, register.address, this.#isLittleEndian);
  }

  /** The register that begins at `address`; `undefined` where none does. */
  nameAt(address: number): string | undefined {
    return this.#byAddress.get(address);
  }

  isStored(address: number): boolean {
    return (this.#kind[address]! & 1) !== 0;
  }

  isReadOnly(address: number): boolean {
    return (this.#kind[address]! & 2) !== 0;
  }

  /** What stands in the stored registers of these addresses outlives the power. */
  store(address: number, count: number): void {
    for (let i = address; i < address + count; i++) if (this.isStored(i)) this.#kept[i] = this.bytes[i]!;
  }

  /** Power was away: the stored registers hold what was stored, the others what the factory wrote. */
  powerCycle(): void {
    this.bytes.set(this.#kept);
  }

  /** All as from the factory, but the named ones; stored too. */
  factoryReset(keep: readonly string[]): void {
    const kept = keep.filter((name) => this.has(name)).map((name) => [name, this.get(name)] as const);
    this.bytes.set(this.#factory);
    for (const [name, value] of kept) this.set(name, value);
    this.#kept.set(this.#factory);
    this.store(0, this.bytes.length);
  }

  #named(name: string): Register {
    const register = this.model.registers[name];
    if (register === undefined) throw new RangeError(`${this.model.name} has no register ${name}`);
    return register;
  }
}
