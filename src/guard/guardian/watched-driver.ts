/** A driver whose bus is watched by a guardian. */
import { bound, type Driver } from '../../drivers/index.ts';
import type { GuardPulse } from './guard-pulse.ts';

/**
 * Wraps the open `driver` with the rules of a watched bus: no torque without a guardian; the guardian is armed before torque comes on; and
 * after the guardian has stopped the bus of a guard that was held up, the robot no longer follows the guard's references: torque
 * goes off, and references are rejected until it is switched on again.
 */
export function watchedDriver(driver: Driver, pulse: GuardPulse): Driver {
  let isStopped = false;
  return {
    ...bound(driver),
    service: (request) => {
      const refusal = request === 'prepare' ? unwatched(pulse) : undefined;
      if (refusal !== undefined) return { refusal };
      const answer = driver.service(request);
      // The previous measurement is outdated in any case: the guardian was queried, or is about to be.
      return answer === 'nothing' && (request === 'prepare' || request === 'recover') ? 'done' : answer;
    },
    torque: (ratio) => {
      if (ratio === 1) {
        isStopped = false;
        pulse.arm();
      }
      driver.torque(ratio);
      if (ratio === 0) pulse.disarm();
    },
    read: (out) => {
      if (pulse.isStoppedPast && !isStopped) {
        isStopped = true;
        driver.torque(0);
      }
      return driver.read(out);
    },
    write: (referenceRad) => (pulse.isStoppedPast ? 'lost' : driver.write(referenceRad)),
    close: () => {
      // Closing may take longer than a tick, and from now on nothing moves the robot.
      pulse.disarm();
      return driver.close();
    },
  };
}

/** Reason why torque may not come on yet. */
function unwatched(pulse: GuardPulse): string | undefined {
  if (!pulse.isConnected) return 'no guardian was started: nothing could stop the bus when the guard dies';
  pulse.beat();
  return pulse.isWatched ? undefined : 'the guardian, which stops the bus when the guard dies, is not ready';
}
