/** Measured stops in readable form. */
import type { RobotConfig } from '../../config/index.ts';
import { type MeasuredStop, readStops } from '../../record/index.ts';
import { ladderSubject } from '../../session/supervision.ts';
import type { Finding } from '../finding.ts';

/** `0.10 m/s: 0.12 s, 9 mm (0 kg)`. */
export function stopLines(stops: readonly MeasuredStop[]): readonly string[] {
  return stops.map(
    ({ speedMPerS, timeS, distanceM, loadKg }) =>
      `${speedMPerS.toFixed(2)} m/s: ${timeS.toFixed(2)} s, ${(1000 * distanceM).toFixed(0)} mm (${loadKg} kg)`,
  );
}

/** Finding of the doctor on the stops of `robot`; `undefined` for a robot without a ladder. */
export function stopsFinding(robot: RobotConfig): Finding | undefined {
  const subject = robot.base === undefined ? ladderSubject(robot) : undefined;
  if (subject === undefined) return undefined;
  const stops = readStops(subject);
  const detail =
    stops.length === 0 ? 'not measured: rein bring-up --stops, once it moves by itself' : stopLines(stops).join('; ');
  return { name: 'stops', status: 'ok', detail };
}
