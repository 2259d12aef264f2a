import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadRobotFile } from '../../config/index.ts';
import { ReinError } from '../../model/index.ts';
import {
  explainedBy,
  GUARD_LOG,
  guardEnded,
  makeScratchFolder,
  RobotProcesses,
  type RobotProcessesOptions,
  sayFatal,
} from './robot-processes.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'rein-scratch-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

describe('the folder of the socket', () => {
  it('is in the first place that will do, for this user alone', () => {
    const folder = makeScratchFolder('guard.sock', [place]);
    expect(dirname(folder)).toBe(place);
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  it('is elsewhere where the first place is missing or its path too long for a socket', () => {
    const long = join(place, 'x'.repeat(100));
    mkdirSync(long);
    for (const first of [join(place, 'missing'), long]) {
      const folder = makeScratchFolder('guard.sock', [first, place]);
      expect(dirname(folder)).toBe(place);
      expect(existsSync(folder)).toBe(true);
    }
  });

  it('is refused in a sentence where there is no place for it', () => {
    const make = (): string => makeScratchFolder('guard.sock', [join(place, 'missing')]);
    expect(make).toThrow(ReinError);
    expect(make).toThrow(/no place for the guard's socket/);
  });
});

it('what cannot be begun leaves no folder, no log and no descriptor, and says what is full', () => {
  vi.stubEnv('TMPDIR', place);
  const toJSON = (): never => {
    throw Object.assign(new Error('write'), { code: 'ENOSPC' });
  };
  const options = { guardLog: join(place, GUARD_LOG), guard: () => ({ toJSON }) } as unknown as RobotProcessesOptions;
  const open = (): string[] => readdirSync('/proc/self/fd');
  const before = open();
  try {
    expect(() => new RobotProcesses(options)).toThrow(
      expect.objectContaining({ kind: 'storage', message: expect.stringMatching(/guard\.json .*the disk is full/) }),
    );
    expect(
      () => new RobotProcesses({ ...options, guard: () => ({}) as never, guardLog: join(place, 'no', 'log') }),
    ).toThrow(expect.objectContaining({ kind: 'storage' }));
  } finally {
    vi.unstubAllEnvs();
  }
  expect(readdirSync(place)).toEqual([]);
  expect(open()).toHaveLength(before.length);
});

describe('an error that ends the supervising process', () => {
  const said = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin): string[] => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    sayFatal(error, origin);
    const lines = written.mock.calls.join('').trim().split('\n').filter(Boolean);
    written.mockRestore();
    return lines;
  };
  const ofChannel = Object.assign(new SyntaxError('Unexpected token'), {
    stack: 'SyntaxError: …\n    at channel.onread (node:internal/child_process:623:18)',
  });
  afterEach(() => void vi.restoreAllMocks());

  it('is put down to the channel of a process where it is of the channel alone', () => {
    vi.spyOn(process, 'listenerCount').mockReturnValue(0);
    expect(said(ofChannel, 'uncaughtException')).toEqual([
      expect.stringContaining('the guard brakes the robot'),
      expect.stringContaining('file descriptor 3'),
    ]);
    const others = [new SyntaxError('x'), new Error('x'), undefined];
    for (const error of others) expect(said(error, 'uncaughtException')).toHaveLength(1);
    expect(said(ofChannel, 'unhandledRejection')).toHaveLength(1);
  });

  it('is left to the program that handles such errors itself', () => {
    vi.spyOn(process, 'listenerCount').mockReturnValue(1);
    expect(said(ofChannel, 'uncaughtException')).toEqual([]);
  });
});

it("an error is reported in the guard's own words, also where its last line is cut", () => {
  const path = join(place, GUARD_LOG);
  const lines = ['{"level":30,"msg":"ready"}', '{"level":50,"msg":"The port is gone."}', '{"level":30,"msg":"mo'];
  writeFileSync(path, lines.join('\n'));
  expect(explainedBy(path, new ReinError('driver', 'The guard ended.'))).toMatchObject({
    message: 'The port is gone.',
  });
  const later = new ReinError('driver', 'Not ready.');
  expect(explainedBy(path, later, lines.join('\n').length)).toBe(later);
});

describe('a guard that was killed', () => {
  it.each([
    ['so101', 'The guardian takes its torque off: the arm is limp. Hold it. guard.log says more.'],
    ['race-car-vesc', 'The guardian brakes its motor, and lets it coast then. guard.log says more.'],
    ['arm6', 'guard.log says more.'],
  ])('says how it leaves the robot: %s', (name, remedy) => {
    const { robot } = loadRobotFile(name);
    expect(guardEnded('signal SIGKILL', 'guard.log', robot)).toMatchObject({
      message: 'The guard ended (signal SIGKILL): nothing can move the robot any more.',
      remedy,
    });
  });
});
