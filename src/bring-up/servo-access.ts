/** Registers of one servo by name, one at a time: for people's work, not for the tick. */
import { type Register, readRegister, type ServoBus, type ServoModel, writeRegister } from '../drivers/serial.ts';
import { lostPort } from './bus-port.ts';

const UNLOCKED = 0;
const LOCKED = 1;

export class ServoAccess {
  readonly id: number;
  readonly model: ServoModel;
  readonly bus: ServoBus;
  readonly #bytes: Uint8Array = new Uint8Array(4);

  constructor(bus: ServoBus, id: number, model: ServoModel) {
    this.bus = bus;
    this.id = id;
    this.model = model;
  }

  has(name: string): boolean {
    return this.model.registers[name] !== undefined;
  }

  /** The number as it stands there; `undefined` where the model has no such register, or it does not answer. Throws where the port is gone. */
  read(name: string, tries = 3): number | undefined {
    const register = this.model.registers[name];
    if (register === undefined) return undefined;
    const status = this.bus.read(this.id, register.address, register.bytes, this.#bytes, 0, tries);
    if (status === 'lost') throw lostPort(this.bus.line.path);
    if (status !== 'ok') return undefined;
    return readRegister(register, this.#bytes, 0, this.bus.protocol.isLittleEndian);
  }

  /** The same in the register's unit. */
  scaled(name: string): number | undefined {
    const raw = this.read(name);
    return raw === undefined ? undefined : raw * (this.model.registers[name]!.scale ?? 1);
  }

  /** Writes what is not there already, and reads it back. False: it did not take it, or did not answer. */
  set(name: string, value: number): boolean {
    const register = this.model.registers[name];
    if (register === undefined) return false;
    if (this.read(name) === value) return true;
    // Families with a lock keep their stored registers behind it.
    const lock = register.isStored === true ? this.model.registers['lock'] : undefined;
    if (lock !== undefined && !this.#write(lock, UNLOCKED)) return false;
    const isWritten = this.#write(register, value);
    if (lock !== undefined && !this.#write(lock, LOCKED)) return false;
    return isWritten && this.read(name) === value;
  }

  #write(register: Register, value: number): boolean {
    writeRegister(register, value, this.#bytes, 0, this.bus.protocol.isLittleEndian);
    const status = this.bus.write(this.id, register.address, this.#bytes, register.bytes);
    if (status === 'lost') throw lostPort(this.bus.line.path);
    return status === 'ok';
  }
}
