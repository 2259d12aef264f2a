/**
 * Bring-up ladder: rungs passed by an arm, one line of JSON each in an append-only file, by robot and adapter. It
 * determines how fast an arm may be run.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeFolder, replaceFileSync, storage } from '../host/index.ts';
import { parseObject } from '../model/index.ts';

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

/** Arm in its present state. */
export interface LadderSubject {
  readonly robot: string;
  /** Serial number of the adapter; empty if it has none. */
  readonly adapter: string;
  /** Hash of the robot's file as parsed. */
  readonly robotHash: string;
  /** Checksum of the calibration; empty if there is none. */
  readonly calibration: string;
}

/** Rung that was passed. */
export interface RungRecord extends LadderSubject {
  readonly rung: Rung;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly version: string;
  /** Evidence, one sentence. */
  readonly proved: string;
  /** User and machine. */
  readonly by: string;
}

/** State of a ladder. */
export interface Ladder {
  /** Valid rungs, from the first on without a gap. */
  readonly passed: readonly RungRecord[];
  /** First rung to pass; absent at the top. */
  readonly next: Rung | undefined;
  /** Share of the arm's own speed, 0 to 1. */
  readonly speedRatio: number;
  /** Reason why rungs passed earlier are no longer valid. */
  readonly fallen: string | undefined;
}

/** `REIN_STATE`, otherwise `rein` in the state folder (XDG). */
export function stateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const states = environment['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return resolve(environment['REIN_STATE'] || join(states, 'rein'));
}

/** File of one arm. */
export function rungLogPath(
  { robot, adapter }: Pick<LadderSubject, 'robot' | 'adapter'>,
  folder = stateFolder(),
): string {
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9._-]/g, '_');
  return join(folder, 'bring-up', `${plain(robot)}-${adapter === '' ? 'no-serial-number' : plain(adapter)}.jsonl`);
}

/** All rungs ever passed, oldest first. Invalid lines, as after a power cut, are skipped. */
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

/** Appends a line, with fsync, and rewrites the summary beside it. Throws `ReinError('storage')`. */
export function appendRung(path: string, record: RungRecord): void {
  storage(path, () => {
    makeFolder(dirname(path));
    const file = openSync(path, 'a');
    try {
      // On its own line, even after a truncated one.
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
 * Valid rungs of `records` for the arm in its present state. A new calibration invalidates all above `doctor`:
 * directions and zeros were shown with it. A changed robot file invalidates what was driven, all above `mirror`.
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
  if (record.calibration !== now.calibration) return `it was recalibrated since ${rung} was passed (${date})`;
  if (rung === 'mirror' || record.robotHash === now.robotHash) return undefined;
  return `the robot's file was changed since ${rung} was passed (${date})`;
}
