/** Work at absolute deadlines on the main thread, beside the callbacks of ROS. */
import type { Clock } from '../../../core/index.ts';

/** Periods that are made up for at once after the thread was busy; more than that is lost time, and counted. */
const CATCH_UP_PERIODS = 10;

export interface Pace {
  /** Periods that were left out because the machine was too slow. */
  readonly lostPeriods: number;
  stop(): void;
}

/** Calls `tick` once per period with the deadline's time, s of `clock`; late ones follow each other without a pause. */
export function keepPace(periodS: number, clock: Clock, tick: (deadlineS: number) => void): Pace {
  const startS = clock.nowS();
  let ticks = 0;
  let lostPeriods = 0;
  let timer: NodeJS.Timeout | undefined;
  const wake = (): void => {
    for (;;) {
      const deadlineS = startS + (ticks + 1) * periodS;
      const nowS = clock.nowS();
      if (nowS < deadlineS) {
        timer = setTimeout(wake, Math.max(1, Math.floor((deadlineS - nowS) * 1e3)));
        return;
      }
      const behind = Math.floor((nowS - deadlineS) / periodS) - CATCH_UP_PERIODS;
      if (behind > 0) {
        ticks += behind;
        lostPeriods += behind;
      }
      ticks++;
      tick(startS + ticks * periodS);
      if (timer === undefined) return;
    }
  };
  timer = setTimeout(wake, 0);
  return {
    get lostPeriods() {
      return lostPeriods;
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
