/** Work at absolute deadlines on the main thread, beside the callbacks of ROS. */
import type { Clock } from '../../core/index.ts';

/** Periods that are made up for at once after the thread was busy; more than that is lost time, and counted. */
const CATCH_UP_PERIODS = 10;

export interface Pace {
  /** Periods that were left out because the machine was too slow. */
  readonly lostPeriods: number;
  stop(): void;
}

/**
 * Calls `tick` once per period with the deadline's time, s of `clock`. Late ones follow each other at once, but what has
 * arrived meanwhile is heard between them.
 */
export function keepPace(periodS: number, clock: Clock, tick: (deadlineS: number) => void): Pace {
  const startS = clock.nowS();
  let ticks = 0;
  let lostPeriods = 0;
  let isStopped = false;
  const wake = (): void => {
    if (isStopped) return;
    const lateS = clock.nowS() - (startS + (ticks + 1) * periodS);
    if (lateS < 0) {
      setTimeout(wake, Math.max(1, Math.floor(-lateS * 1e3)));
      return;
    }
    const behind = Math.floor(lateS / periodS) - CATCH_UP_PERIODS;
    if (behind > 0) {
      ticks += behind;
      lostPeriods += behind;
    }
    ticks++;
    tick(startS + ticks * periodS);
    setImmediate(wake);
  };
  setImmediate(wake);
  return {
    get lostPeriods() {
      return lostPeriods;
    },
    stop() {
      isStopped = true;
    },
  };
}
