/** Registers of one servo by name, one at a time: for interactive commands, not for the tick. */
import { type ServoBus, type ServoModel, ServoRegisters } from '../drivers/serial.ts';
import { lostPort } from './bus-port.ts';

/** Throws if the port is lost. */
export class ServoAccess {
  readonly id: number;
  readonly model: ServoModel;
  readonly bus: ServoBus;
  readonly #registers: ServoRegisters;

  constructor(bus: ServoBus, id: number, model: ServoModel) {
    this.bus = bus;
    this.id = id;
    this.model = model;
    this.#registers = new ServoRegisters(bus, { id, model });
  }

  has(name: string): boolean {
    return this.model.registers[name] !== undefined;
  }

  /** Returns the raw value; `undefined` if the model has no such register, or the servo does not answer. */
  read(name: string, tries = 3): number | undefined {
    if (!this.has(name)) return undefined;
    const raw = this.#registers.read(name, tries);
    this.#throwIfLost();
    return raw;
  }

  /** Returns the value in the register's unit. */
  scaled(name: string): number | undefined {
    const raw = this.read(name);
    return raw === undefined ? undefined : raw * (this.model.registers[name]!.scale ?? 1);
  }

  /** Writes a value if it differs, and reads it back. Returns false if the servo did not accept it, or did not answer. */
  set(name: string, value: number): boolean {
    if (!this.has(name)) return false;
    const isKept = this.#registers.keeps(name, value);
    this.#throwIfLost();
    return isKept;
  }

  #throwIfLost(): void {
    if (this.bus.isLost) throw lostPort(this.bus.line.path);
  }
}
