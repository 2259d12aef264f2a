/**
 * The ladder of bringing up: what an arm has proven, one line of JSON a rung in a file that only grows, by robot and adapter. Who runs an
 * arm reads here how fast it may go.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeFolder, parseObject, replaceFileSync, storage } from '../core/index.ts';

/** From the first to the last. */
export const RUNGS = ['doctor', 'mirror', 'slow', 'burn-in', 'full'] as const;
export type Rung = (typeof RUNGS)[number];

/** Share of its own speed that an arm may have once it has passed a rung; before the first, `NO_RUNG_SPEED`. This project's choice. */
export const RUNG_SPEED: Readonly<Record<Rung, number>> = {
  doctor: 0.05,
  mirror: 0.1,
  slow: 0.25,
  'burn-in': 0.5,
  full: 1,
};
export const NO_RUNG_SPEED = 0.05;

/** Which arm, as it is now. */
export interface LadderSubject {
  readonly robot: string;
  /** Serial number of the adapter; empty where it has none. */
  readonly adapter: string;
  /** Of the robot's file as it was understood. */
  readonly robotHash: string;
  /** Checksum of the calibration; empty where there is none. */
  readonly calibration: string;
}

/** A rung that was passed. */
export interface RungRecord extends LadderSubject {
  readonly rung: Rung;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly version: string;
  /** What it has shown, as one sentence. */
  readonly proved: string;
  /** User and machine. */
  readonly by: string;
}

/** Where a ladder stands. */
export interface Ladder {
  /** Rungs that count, from the first on without a gap. */
  readonly passed: readonly RungRecord[];
  /** The first that is left; absent at the top. */
  readonly next: Rung | undefined;
  /** Share of the arm's own speed, 0 to 1. */
  readonly speedRatio: number;
  /** Why rungs that were passed once do not count any more. */
  readonly fallen: string | undefined;
}

/** `REIN_STATE`, else `rein` in the folder of states (XDG). */
export function stateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const states = environment['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return resolve(environment['REIN_STATE'] || join(states, 'rein'));
}

/** The file of one arm. */
export function rungLogPath(
  { robot, adapter }: Pick<LadderSubject, 'robot' | 'adapter'>,
  folder = stateFolder(),
): string {
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9._-]/g, '_');
  return join(folder, 'bring-up', `${plain(robot)}-${adapter === '' ? 'no-serial-number' : plain(adapter)}.jsonl`);
}

/** All that was ever passed, oldest first. Lines that are none, as a cut-off power leaves them, are passed over. */
export function readRungs(path: string): readonly RungRecord[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const record = parseObject(line);
    return isRung(record) ? [record] : [];
  });
}

function isRung(value: Record<string, unknown> | undefined): value is Record<string, unknown> & RungRecord {
  const texts = ['robot', 'adapter', 'robotHash', 'calibration', 'at', 'version', 'proved', 'by'];
  return (
    value !== undefined && RUNGS.includes(value['rung'] as Rung) && texts.every((key) => typeof value[key] === 'string')
  );
}

/** Adds a line, through to the disk, and writes the summary beside it anew. Throws `ReinError('storage')`. */
export function appendRung(path: string, record: RungRecord): void {
  storage(path, () => {
    makeFolder(dirname(path));
    const file = openSync(path, 'a');
    try {
      // A line of its own, also behind one that was cut off.
      const isCut = /[^\n]$/.test(readFileSync(path, 'utf8'));
      writeSync(file, `${isCut ? '\n' : ''}${JSON.stringify(record)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    const { passed, next, speedRatio } = ladderOf(readRungs(path), record);
    const summary = { robot: record.robot, adapter: record.adapter, passed, next: next ?? null, speedRatio };
    replaceFileSync(path.replace(/\.jsonl$/, '.json'), `${JSON.stringify(summary, undefined, 2)}\n`);
  });
}

/**
 * What of `records` counts for the arm as it is now. Another calibration takes back all above `doctor`: it is what directions and zeros
 * were shown with. Another robot's file takes back what was driven, all above `mirror`.
 */
export function ladderOf(records: readonly RungRecord[], now: LadderSubject): Ladder {
  const passed: RungRecord[] = [];
  let fallen: string | undefined;
  for (const rung of RUNGS) {
    const all = records.filter((record) => record.rung === rung);
    const counting = all.filter((record) => fallReason(rung, record, now) === undefined).at(-1);
    if (counting === undefined) {
      const last = all.at(-1);
      fallen = last === undefined ? undefined : fallReason(rung, last, now);
      break;
    }
    passed.push(counting);
  }
  const top = passed.at(-1)?.rung;
  return {
    passed,
    next: RUNGS[passed.length],
    speedRatio: top === undefined ? NO_RUNG_SPEED : RUNG_SPEED[top],
    fallen,
  };
}

function fallReason(rung: Rung, record: RungRecord, now: LadderSubject): string | undefined {
  if (rung === 'doctor') return undefined;
  const date = record.at.slice(0, 10);
  if (record.calibration !== now.calibration) return `it was calibrated anew since ${rung} was passed (${date})`;
  if (rung === 'mirror' || record.robotHash === now.robotHash) return undefined;
  return `the robot's file was changed since ${rung} was passed (${date})`;
}
