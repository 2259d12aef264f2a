/** Stops that were measured on an arm, in a file beside what it has passed in bringing up: the worst of each speed, whatever the load. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder, parseObject, replaceFileSync, type StopFigures, storage } from '../core/index.ts';
import { type LadderSubject, rungLogPath } from './rung-log.ts';

/** A measured stop with what the tool carried. */
export interface MeasuredStop extends StopFigures {
  /** kg beyond what the robot's file describes. */
  readonly loadKg: number;
}

/** Speeds are kept in steps of this, m/s: each with the worst of all stops between it and the next. */
const STEP_M_PER_S = 0.05;

/** The file of one arm. */
export function stopRecordPath(subject: Pick<LadderSubject, 'robot' | 'adapter'>): string {
  return rungLogPath(subject).replace(/\.jsonl$/, '-stops.json');
}

/** What counts for the arm as it is now, slowest first; none where it was calibrated anew, or its file changed, since. */
export function readStops(subject: LadderSubject): readonly MeasuredStop[] {
  let text: string;
  try {
    text = readFileSync(stopRecordPath(subject), 'utf8');
  } catch {
    return [];
  }
  const record = parseObject(text);
  const isSame = record?.['robotHash'] === subject.robotHash && record['calibration'] === subject.calibration;
  const stops = record?.['stops'];
  return isSame && Array.isArray(stops) && stops.every(isStop) ? stops : [];
}

function isStop(value: unknown): value is MeasuredStop {
  const keys = ['speedMPerS', 'timeS', 'distanceM', 'loadKg'] as const;
  return keys.every((key) => Number.isFinite((value as Record<string, unknown> | null)?.[key]));
}

/** Adds `stops`, through to the disk, and gives all that count. Throws `ReinError('storage')`. */
export function recordStops(
  subject: LadderSubject,
  stops: readonly MeasuredStop[],
  at: string,
): readonly MeasuredStop[] {
  const worst = worstOf([...readStops(subject), ...stops]);
  const path = stopRecordPath(subject);
  storage(path, () => {
    makeFolder(dirname(path));
    replaceFileSync(path, `${JSON.stringify({ ...subject, at, stops: worst }, undefined, 2)}\n`);
  });
  return worst;
}

/** The worst time and the worst distance of each step of speed, named by its lower end; what was slower than the first is left out. */
export function worstOf(stops: readonly MeasuredStop[]): readonly MeasuredStop[] {
  const found = new Map<number, MeasuredStop>();
  for (const { speedMPerS, timeS, distanceM, loadKg } of stops) {
    // A step of its own speed must not fall into the one below by rounding.
    const step = Math.floor(speedMPerS / STEP_M_PER_S + 1e-9);
    if (step === 0) continue;
    const before = found.get(step);
    found.set(step, {
      speedMPerS: Number((step * STEP_M_PER_S).toFixed(2)),
      timeS: Math.max(timeS, before?.timeS ?? 0),
      distanceM: Math.max(distanceM, before?.distanceM ?? 0),
      loadKg: timeS >= (before?.timeS ?? 0) ? loadKg : before!.loadKg,
    });
  }
  return [...found.values()].sort((a, b) => a.speedMPerS - b.speedMPerS);
}
