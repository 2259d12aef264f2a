/** Observers that are no display. */
import type { RunObserver } from '../../runtime/sim/index.ts';

/** Sees nothing, says nothing. */
export const quietObserver: RunObserver = {
  status: () => undefined,
  print: () => undefined,
};
