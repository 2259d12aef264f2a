/** Memory of a device: the bytes that a control table describes, stored or volatile. */
import { type Register, rangeOf, readRegister, type ServoModel, writeRegister } from '../../../src/drivers/serial.ts';

export interface RegisterFileOptions {
  readonly model: ServoModel;
  /** Size of the address space. */
  readonly size: number;
  readonly isLittleEndian: boolean;
  /** Factory values of registers, in counts; 0 for the others. */
  readonly factory: Readonly<Record<string, number>>;
}

export class RegisterFile {
  readonly model: ServoModel;
  /** [size] Content as it is read. */
  readonly bytes: Uint8Array;
  readonly #isLittleEndian: boolean;
  readonly #factory: Uint8Array;
  /** [size] Content at power-up. */
  readonly #kept: Uint8Array;
  /** [size] Flags: 1 kept without power, 2 read-only. */
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

  /** True if the model has a register of this name. */
  has(name: string): boolean {
    return this.model.registers[name] !== undefined;
  }

  /** Returns a register in counts. Throws `RangeError` for a name that the model does not have. */
  get(name: string): number {
    const register = this.#named(name);
    return readRegister(register, this.bytes, register.address, this.#isLittleEndian);
  }

  /** Returns a register in its unit. */
  value(name: string): number {
    return this.get(name) * (this.#named(name).scale ?? 1);
  }

  /** Sets a register to `value` counts, rounded and clamped to its range. */
  set(name: string, value: number): void {
    const register = this.#named(name);
    const [least, most] = rangeOf(register);
    const counts = Math.min(most, Math.max(least, Math.round(value)));
    writeRegister(register, counts, this.bytes, register.address, this.#isLittleEndian);
  }

  /** Returns the name of the register that begins at `address`; `undefined` if none does. */
  nameAt(address: number): string | undefined {
    return this.#byAddress.get(address);
  }

  isStored(address: number): boolean {
    return (this.#kind[address]! & 1) !== 0;
  }

  isReadOnly(address: number): boolean {
    return (this.#kind[address]! & 2) !== 0;
  }

  /** Stores the present content of the stored registers among these addresses. */
  store(address: number, count: number): void {
    for (let i = address; i < address + count; i++) if (this.isStored(i)) this.#kept[i] = this.bytes[i]!;
  }

  /** Restarts after a power loss: stored registers have their stored content, the others their factory values. */
  powerCycle(): void {
    this.bytes.set(this.#kept);
  }

  /** Resets all registers but the named ones to factory values, stored content included. */
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
