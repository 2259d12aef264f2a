/** `rein bring-up --stops`: stopping time and distance of an arm from three speeds, with the mounted load. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  clockText,
  counted,
  holdsItself,
  parseObject,
  percent,
  ReinError,
  type StopFigures,
} from '../../model/index.ts';
import { type Rung, recordStops } from '../../record/index.ts';
import { GUARD_LOG } from '../../session/supervision.ts';
import type { ServoArm } from '../families.ts';
import { confirm } from '../guide.ts';
import { type ClimbRequest, ladderNow, subjectOf } from './climb.ts';
import { driveRung } from './drive-rung.ts';
import { stopLines } from './stop-lines.ts';

/** Shares of the speed that the arm may have by now. */
const SHARES = [0.25, 0.5, 1];
/** Directions and rates are unknown before this rung is passed. */
const NEEDED: Rung = 'slow';
/** Minimum number of stops per speed. */
const LEAST_STOPS = 3;

export interface StopsRequest extends Omit<ClimbRequest, 'arm' | 'showFindings' | 'open' | 'port'> {
  readonly arm: ServoArm;
  /** Load of the tool beyond what the file describes, kg. */
  readonly loadKg: number;
}

/** Measures and records; resolves to all stops that are valid for the arm now, one line each. Rejects with `ReinError`. */
export async function measureStops(request: StopsRequest): Promise<readonly string[]> {
  const { arm, guide, loadKg, minutes, out } = request;
  const { passed, speedRatio } = ladderNow(arm);
  if (!passed.some(({ rung }) => rung === NEEDED)) {
    throw new ReinError('config', `Stops are measured once the bring-up step ${NEEDED} is passed.`, {
      remedy: `First: rein bring-up --robot ${arm.named}`,
    });
  }
  const ratios = SHARES.map((share) => share * speedRatio);
  const whole = SHARES.length * minutes;
  const down = holdsItself(arm.robot) ? '' : ' At the end its torque goes off slowly: hold it then.';
  guide.say(
    `It moves by itself now, for ${clockText(60 * whole)} min, at ${ratios.map((ratio) => percent(ratio, 0)).join(', ')} of its speed, up to 7° each way, and stops again and again. Its tool carries ${loadKg} kg beside what its file describes.${down}`,
  );
  if (!(await confirm(guide, 'Hand on the emergency stop; space here stops it too. Begin?', 'no')))
    throw new ReinError('environment', 'The stops were not measured: the motion was not confirmed.', {
      remedy: 'Repeat the command when it may move.',
    });
  guide.close?.();
  const { file, seed, signal, onInterrupt } = request;
  const log = join(out, GUARD_LOG);
  // Number of stops by the end of each part.
  const counts: number[] = [];
  await driveRung({
    rung: 'burn-in',
    robot: arm.robot,
    file,
    speedRatio,
    minutes: whole,
    shares: SHARES,
    out,
    seed,
    print: (text) => guide.say(text),
    signal,
    onInterrupt,
    onPart: () => counts.push(stopsIn(log).length),
  });
  const stops = stopsIn(log).map((stop) => ({ ...stop, loadKg }));
  // The last part ends with the run, which may be slightly shorter.
  const byEnd = [...counts.slice(0, SHARES.length - 1), stops.length];
  for (const [k, ratio] of ratios.entries()) {
    const seen = byEnd[k]! - (byEnd[k - 1] ?? 0);
    if (seen < LEAST_STOPS) throw tooFew(seen, ratio);
  }
  return stopLines(recordStops(subjectOf(arm), stops, new Date(request.wallMs()).toISOString()));
}

function tooFew(count: number, ratio: number): ReinError {
  return new ReinError('driver', `${counted(count, 'stop')} seen at ${percent(ratio, 0)} of its speed.`, {
    remedy: 'Give more --minutes, and see that nothing holds the arm.',
  });
}

/** Stops measured by the guard, from its log. */
export function stopsIn(log: string): readonly StopFigures[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const { event, speedMPerS, timeS, distanceM } = parseObject(line) ?? {};
      const isStop = event === 'stopped' && [speedMPerS, timeS, distanceM].every(Number.isFinite);
      return isStop ? [{ speedMPerS, timeS, distanceM } as StopFigures] : [];
    });
}
