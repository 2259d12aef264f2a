/** Messages of the listener, and the clock shared by all processes of a trial. */

/** Lateness of the listener's own tick above which the machine held it up, ms. */
export const HELD_UP_MS = 5;

export interface BusFrame {
  /** One of `MOCK_FRAME`. */
  readonly kind: number;
  /** Time of arrival, ms of the machine's monotonic clock. */
  readonly atMs: number;
  readonly valuesRad: readonly number[];
}

export type ListenerMessage =
  | { readonly kind: 'ready'; readonly isRaised: boolean }
  | { readonly kind: 'frame'; readonly frame: BusFrame }
  | { readonly kind: 'heldUp'; readonly fromMs: number; readonly toMs: number };

/** Time of CLOCK_MONOTONIC, ms: the same in every process of a machine. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) * 1e-6;
}
