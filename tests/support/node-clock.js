/** The clock of a guard, as its node may read it. */
import { SystemClock } from '../../dist/model/index.js';

/** Seconds of the clock by which the guard at the other end of `link` judges commands. */
export function nodeNowS(link) {
  const { timing, controlHz } = link.shape;
  const clock = new SystemClock();
  return timing === 'lock-step' ? () => (link.latest.tick + 1) / controlHz : () => clock.nowS();
}
