/** What an emulated device is: bytes in, bytes out at their moment, and a body that moves meanwhile. */

import type { ServoFaults } from './faults.ts';

/** Sends `bytes` (copied) so that the first of them begins on the line at `atS`. */
export type Transmit = (bytes: Uint8Array, atS: number) => void;

/**
 * A device, or a chain of them, at the other end of a serial line. It knows no port and no clock but the one that it is told: the same
 * calls give the same bytes, so a test can let a second pass in a millisecond, and a pseudo-terminal serves it in real time.
 */
export interface EmulatedDevice {
  /** The first `count` of `bytes` have arrived, the last of them at `atS`. May be any part of a packet. */
  receive(bytes: Uint8Array, count: number, atS: number, transmit: Transmit): void;
  /** Time has come to `nowS`, which never falls: bodies move, watchdogs run out, and what was due is sent. */
  advance(nowS: number, transmit: Transmit): void;
  /** Power is cut (brown-out): registers without memory are those of the factory, torque is off. */
  powerCycle(): void;
}

/** What a family's packets have where, so that one can be forged. */
export interface PacketShape {
  /** Where its id stands. */
  readonly idAt: number;
  /** Makes the checksum right again. */
  seal(packet: Uint8Array): void;
}

/** Since the beginning: whole requests, bytes that were part of none, and requests with a wrong checksum. */
export interface BusCounts {
  readonly requests: number;
  readonly wrongBytes: number;
  readonly checksumErrors: number;
}

/** How one device is, for people and scripts. */
export interface DeviceState {
  readonly id: number;
  readonly model: string;
  /** As it is read, in counts. */
  readonly position: number;
  readonly isTorqueOn: boolean;
  /** Share of what the motor can, −1 to 1. */
  readonly load: number;
  readonly currentA: number;
  readonly temperatureC: number;
  readonly errors: readonly string[];
  /** Of an encoder: the signal that it measures, and what one count of it is, m or rad. */
  readonly measures?: { readonly signal: string; readonly perCount: number } | undefined;
  /** Where a car's rear axle has its middle, and where it heads, to the left, from where it stood at first; absent with wheels in the air. */
  readonly place?: { readonly xM: number; readonly yM: number; readonly headingRad: number };
}

/** All devices of a line, of one family. */
export interface EmulatedBus extends EmulatedDevice {
  readonly packets: PacketShape;
  readonly ids: readonly number[];
  readonly counts: BusCounts;
  /** What is wrong with the device `id`, to be changed; `undefined` where there is none. */
  faultsOf(id: number): ServoFaults | undefined;
  states(): readonly DeviceState[];
  /** Of the supply, V; to be changed. Absent: none that counts. */
  supplyV?: number;
  /** Writes a register of the device `id`, stored too; false where there is none. Absent: the devices have none. */
  setRegister?(id: number, register: string, counts: number): boolean;
}
