/** The times of a tick, for stages that are tested by themselves. */
import { createTickTimes, type TickTimes } from '../../src/safety/index.ts';

/** A tick of `periodS` at `nowS`, which came `passedS` after the last one. */
export function times(periodS: number, nowS = 0, passedS: number = periodS): TickTimes {
  const made = createTickTimes();
  made.set([nowS, passedS, periodS]);
  return made;
}
