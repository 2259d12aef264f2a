/** What an emulated device is: bytes in, bytes out at their moment, and a body that moves meanwhile. */

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
