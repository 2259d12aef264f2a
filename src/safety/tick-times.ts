/**
 * The times of a tick, and where they stand in an array. V8 puts a number that a call takes or returns on the heap unless it
 * inlines the call, and a tick must leave no garbage, whichever calls it inlines: so numbers that change cross calls in arrays.
 */

declare const tickTimes: unique symbol;

/** Times of a tick that every stage is given, s: a `Float64Array` with these places, and no other. */
export type TickTimes = Float64Array & { readonly [tickTimes]: true };

/** The clock that commands are stamped with. */
export const NOW = 0;
/** Since the last tick, as it was measured. */
export const PASSED = 1;
/** The same, taken as [T/2, 2T]: by so much the reference moves on. For the chain's stages: it fills this into times of its own. */
export const PERIOD = 2;

/** Allocates: made once, and filled anew at each tick. */
export function createTickTimes(): TickTimes {
  return new Float64Array(3) as TickTimes;
}
