/**
 * The times of a tick, and where they stand in an array. V8 puts a number that a call takes or returns on the heap unless it
 * inlines the call, and a tick must leave no garbage, whatever the optimizer decides: so numbers that change cross calls in arrays.
 */

/** What a stage is told of its tick, s: a `Float64Array` with these places. */
export type TickTimes = Float64Array;

/** The clock that commands are stamped with. */
export const NOW = 0;
/** Since the last tick, as it was measured. */
export const PASSED = 1;
/** The same, taken as [T/2, 2T]: by so much the reference moves on. The chain fills it in. */
export const PERIOD = 2;

/** Times of a tick at `nowS` that comes `passedS` after the last one. Allocates: made once, and filled anew at each tick. */
export function createTickTimes(nowS = 0, passedS = 0): TickTimes {
  return Float64Array.of(nowS, passedS, passedS);
}
