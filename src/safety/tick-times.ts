/**
 * Times of a tick, and their indices in an array. V8 puts a number that a call takes or returns on the heap unless it
 * inlines the call, and a tick must leave no garbage, whichever calls it inlines: so changing numbers cross calls in
 * arrays.
 */

declare const tickTimes: unique symbol;

/** Times of a tick passed to every stage, s: a `Float64Array` with exactly these indices. */
export type TickTimes = Float64Array & { readonly [tickTimes]: true };

/** Present time on the clock that stamps commands. */
export const NOW = 0;
/** Measured time since the last tick. */
export const PASSED = 1;
/** The same, clamped to [T/2, 2T]: the time by which the reference moves. For the chain's stages: the chain fills it into its own copy. */
export const PERIOD = 2;

/** Allocates: called once, and refilled at each tick. */
export function createTickTimes(): TickTimes {
  return new Float64Array(3) as TickTimes;
}
