/** Access to a servo's registers by name, one at a time; writes are verified. Between ticks. */
import type { Motor } from './family.ts';
import { type Register, readRegister, writeRegister } from './protocol.ts';
import type { ServoBus } from './servo-bus.ts';

/** Values of `lock`, in families that have it: stored registers are writable, or not. */
const UNLOCKED = 0;
const LOCKED = 1;

export class ServoRegisters {
  readonly #bus: ServoBus;
  readonly #motor: Pick<Motor, 'id' | 'model'>;
  readonly #bytes: Uint8Array = new Uint8Array(4);

  constructor(bus: ServoBus, motor: Pick<Motor, 'id' | 'model'>) {
    this.#bus = bus;
    this.#motor = motor;
  }

  of(name: string): Register {
    return this.#motor.model.registers[name]!;
  }

  /** Returns the value; `undefined` if the servo did not answer. */
  read(name: string, tries?: number): number | undefined {
    return this.readAt(this.of(name), tries);
  }

  /** Writes `value` if the register differs, and reads it back. Returns false if it was not accepted, or not answered. */
  keeps(name: string, value: number): boolean {
    return this.keepsAt(this.of(name), value);
  }

  keepsAt(register: Register, value: number): boolean {
    const before = this.readAt(register);
    if (before === value || before === undefined) return before === value;
    // This write may change whether the servo confirms, so only the value read back counts.
    const lock = register.isStored === true ? this.#motor.model.registers['lock'] : undefined;
    if (lock !== undefined) this.#write(lock, UNLOCKED);
    this.#write(register, value);
    if (lock !== undefined) this.#write(lock, LOCKED);
    return this.readAt(register) === value;
  }

  /** Writes to a servo that may not answer. */
  tell(name: string, value: number): void {
    const { address, bytes } = this.#encode(this.of(name), value);
    this.#bus.syncWrite(Uint8Array.of(this.#motor.id), 1, address, this.#bytes, bytes);
  }

  /** Like `read`, for a register that is in no table. */
  readAt(register: Register, tries?: number): number | undefined {
    const { address, bytes } = register;
    if (this.#bus.read(this.#motor.id, address, bytes, this.#bytes, 0, tries) !== 'ok') return undefined;
    return readRegister(register, this.#bytes, 0, this.#bus.protocol.isLittleEndian);
  }

  #write(register: Register, value: number): void {
    const { address, bytes } = this.#encode(register, value);
    this.#bus.write(this.#motor.id, address, this.#bytes, bytes);
  }

  #encode(register: Register, value: number): Register {
    writeRegister(register, value, this.#bytes, 0, this.#bus.protocol.isLittleEndian);
    return register;
  }
}
