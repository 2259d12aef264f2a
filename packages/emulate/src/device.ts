/** Interface of an emulated device: bytes in, bytes out at their times, and a body that moves meanwhile. */

import type { ServoFaults } from './faults.ts';

/** Sends `bytes` (copied) so that the first of them begins on the line at `atS`. */
export type Transmit = (bytes: Uint8Array, atS: number) => void;

/**
 * Device, or a chain of them, at the other end of a serial line. It knows no port and no clock, only the times that it is given: the same
 * calls give the same bytes, so a test can let a second pass in a millisecond, and a pseudo-terminal serves it in real time.
 */
export interface EmulatedDevice {
  /** Receives the first `count` of `bytes`, the last of which arrived at `atS`. May be any part of a packet. */
  receive(bytes: Uint8Array, count: number, atS: number, transmit: Transmit): void;
  /** Advances to `nowS`, which never decreases: bodies move, watchdogs expire, and replies that are due are sent. */
  advance(nowS: number, transmit: Transmit): void;
  /** Cuts the power (brown-out): volatile registers are reset to factory values, torque is off. */
  powerCycle(): void;
}

/** Layout of a family's packets, as needed to forge one. */
export interface PacketShape {
  /** Index of the id in a packet. */
  readonly idAt: number;
  /** Recomputes the checksum in place. */
  seal(packet: Uint8Array): void;
}

/** Counts since the start: whole requests, bytes that belonged to none, and requests with a wrong checksum. */
export interface BusCounts {
  readonly requests: number;
  readonly wrongBytes: number;
  readonly checksumErrors: number;
}

/** State of one device, for display and for scripts. */
export interface DeviceState {
  readonly id: number;
  readonly model: string;
  /** Position as reported, in counts. */
  readonly position: number;
  readonly isTorqueOn: boolean;
  /** Share of the motor's maximum, −1 to 1. */
  readonly load: number;
  readonly currentA: number;
  readonly temperatureC: number;
  readonly errors: readonly string[];
  /** Encoders only: the measured signal, and the size of one count, m or rad. */
  readonly measures?: { readonly signal: string; readonly perCount: number } | undefined;
  /** Middle of a car's rear axle, and its heading, positive to the left, relative to its start; absent with wheels in the air. */
  readonly place?: { readonly xM: number; readonly yM: number; readonly headingRad: number };
}

/** All devices of a line, of one family. */
export interface EmulatedBus extends EmulatedDevice {
  readonly packets: PacketShape;
  readonly ids: readonly number[];
  readonly counts: BusCounts;
  /** Returns the injected faults of the device `id`, which may be modified; `undefined` if there is no such device. */
  faultsOf(id: number): ServoFaults | undefined;
  states(): readonly DeviceState[];
  /** Supply voltage, V; mutable. Absent: no supply is emulated. */
  supplyV?: number;
  /** Writes a register of the device `id`, and its stored value; false if there is none. Absent: the devices have no registers. */
  setRegister?(id: number, register: string, counts: number): boolean;
}
