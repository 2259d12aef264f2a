/** Stops measured on an arm, in a file beside its bring-up log: the worst for each speed, whatever the load. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder, replaceFileSync, storage } from '../host/index.ts';
import { parseObject, type StopFigures } from '../model/index.ts';
import { type LadderSubject, rungLogPath } from './rung-log.ts';

/** Measured stop with the tool's load. */
export interface MeasuredStop extends StopFigures {
  /** kg beyond what the robot's file describes. */
  readonly loadKg: number;
}

/** Width of a speed bin, m/s; each keeps the worst of its stops. */
const STEP_M_PER_S = 0.05;

/** File of one arm. */
export function stopRecordPath(subject: Pick<LadderSubject, 'robot' | 'adapter'>): string {
  return rungLogPath(subject).replace(/\.jsonl$/, '-stops.json');
}

/** Valid stops for the arm in its present state, slowest first; none if its calibration or robot file has changed since. */
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

/** Adds `stops`, writes them to disk, and returns all valid ones. Throws `ReinError('storage')`. */
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

/** Worst time and worst distance of each speed bin, named by its lower end; stops slower than the first bin are left out. */
export function worstOf(stops: readonly MeasuredStop[]): readonly MeasuredStop[] {
  const found = new Map<number, MeasuredStop>();
  for (const { speedMPerS, timeS, distanceM, loadKg } of stops) {
    // Rounding must not move a bin's lower end into the bin below.
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
