/** What the listener tells, and the clock that it and everybody else in a trial goes by. */

/** A listener whose own tick is later than this was held up by the machine, ms. */
export const HELD_UP_MS = 5;

export interface BusFrame {
  /** One of `MOCK_FRAME`. */
  readonly kind: number;
  /** When it arrived, ms of the machine's monotonic clock. */
  readonly atMs: number;
  readonly valuesRad: readonly number[];
}

export type ListenerMessage =
  | { readonly kind: 'ready'; readonly isRaised: boolean }
  | { readonly kind: 'frame'; readonly frame: BusFrame }
  | { readonly kind: 'heldUp'; readonly fromMs: number; readonly toMs: number };

/** ms of CLOCK_MONOTONIC: the same in every process of a machine. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) * 1e-6;
}
