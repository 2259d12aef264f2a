/** `rein safety identify` through the guard's own process, in real time: a simulated arm, and what stands for a real one. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childOf, type Motion, until } from '../support/live-run.ts';
import { runInTerminal, whyNoTerminal } from '../support/pty.ts';
import { endLeftovers, goesAway, REIN, Rein, rein } from '../support/rein.ts';

const PATIENCE_MS = 120_000;
const shipped = readFileSync(new URL('../../config/robots/arm6.yaml', import.meta.url), 'utf8');
/** Limits found in real time and in lock-step, at most so much apart: late ticks show in the references. */
const FACTOR = 1.5;
/** A run that is over in seconds, with limits that were found. */
const SHORT = `
task:
  demonstrations: 1
  training: { minimumSteps: 20 }
  validation: { everySteps: 20, episodes: 1 }
learner: { actorHidden: [32, 32], criticHidden: [32, 32], bcInitSteps: 10, batchSize: 32 }
robot:
`;
const why = whyNoTerminal();
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-identify-'));
});
afterEach(() => {
  endLeftovers();
  rmSync(dir, { recursive: true, force: true });
});

const at = (name: string): string => join(dir, name);
const identify = (...args: string[]): string[] => ['safety', 'identify', ...args, '--out', 'piece.yaml'];

/** What the guard logged of motion so far. */
function motion(): Motion[] {
  if (!existsSync(at('piece.guard.log'))) return [];
  const lines = readFileSync(at('piece.guard.log'), 'utf8').split('\n');
  return lines.filter((line) => line.includes('"motion"')).map((line) => JSON.parse(line) as Motion);
}

const hasMoved = (): boolean => motion().some(({ state }) => state === 'active.human');

/** It was moved, came to rest after that, and nobody moves it any more. */
function expectStanding(): void {
  const entries = motion();
  const movedLast = entries.findLastIndex(({ state }) => state === 'active.human');
  expect(movedLast).toBeGreaterThan(0);
  expect(entries.slice(movedLast).map(({ event }) => event)).toContain('stands');
  expect(entries.at(-1)).toMatchObject({ decider: 'hold' });
}

/** An identification of the simulated arm that moves for longer than any test waits. */
async function moving(): Promise<{ readonly run: Rein; readonly guard: number; readonly node: number }> {
  const run = new Rein(identify('arm6', '--real-time', '--duration', '100', '--json', 'found.json'), dir);
  await until(hasMoved, 'motion');
  return { run, guard: childOf(run.child, 'guard-process'), node: childOf(run.child, 'identify-process') };
}

function expectNothingWritten(): void {
  expect(existsSync(at('piece.yaml'))).toBe(false);
  expect(existsSync(at('found.json'))).toBe(false);
}

describe('rein safety identify in real time', { timeout: PATIENCE_MS }, () => {
  it('finds the limits of lock-step, in a piece that the next run takes', async () => {
    const args = ['arm6', '--duration', '8', '--quiet'];
    const live = await rein(identify(...args, '--real-time', '--json', 'live.json'), dir);
    expect(live.stderr).toMatch(/arm6 will stand for 3 s with torque on, and move:\n {2}about its home pose for 8 s/);
    expect(live.stderr).not.toContain('c lets it move');
    expect(live.stdout).toContain('The file is right within its margins.');
    expect(live.code).toBe(0);
    const piece = readFileSync(at('piece.yaml'), 'utf8');
    expect(piece).toContain('#   rein safety identify arm6 --duration 8 --filter 0.028 --seed 1 --real-time');
    await rein(identify(...args, '--json', 'lockstep.json'), dir);
    const [found, expected] = ['live.json', 'lockstep.json'].map((name) => JSON.parse(readFileSync(at(name), 'utf8')));
    for (const key of ['servoMaxNm', 'externalMaxNm']) {
      for (const [i, limit] of found.observer[key].entries()) {
        expect(limit / expected.observer[key][i], `${key} ${i}`).toBeLessThan(FACTOR);
        expect(limit / expected.observer[key][i], `${key} ${i}`).toBeGreaterThan(1 / FACTOR);
      }
    }
    expect(found.lost).toBeLessThanOrEqual(0.01 * found.samples);
    expect(found.observer.wrench).toBe('mean');
    expectStanding();

    writeFileSync(at('taken.yaml'), `${SHORT}${piece.replace(/^/gm, '  ')}`);
    const sim = ['sim', '--config', 'taken.yaml', '--out', 'run', '--steps', '20', '--eval-episodes', '1', '--quiet'];
    const run = await rein(sim, dir);
    expect(run.stdout).toContain('20 steps');
    expect(run.stderr).not.toContain('Something pushes the arm');
    const limits = /externalMaxNm:\n((?: +- .*\n)+)/.exec(readFileSync(at('run/config.yaml'), 'utf8'))?.[1];
    expect(limits?.match(/[\d.]+/g)?.map(Number)).toEqual(found.observer.externalMaxNm);
  });

  it('at Ctrl+C in the middle brings the arm to a stand, writes nothing, and leaves no process behind', async () => {
    const { run, guard, node } = await moving();
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('the arm is brought to rest, and no limits are written');
    expectNothingWritten();
    expectStanding();
    expect(await goesAway(guard)).toBe(true);
    expect(await goesAway(node)).toBe(true);
  });

  it('ends with the row of the fault where its node hangs longer than its commands last, and writes nothing', async () => {
    const { run, node } = await moving();
    process.kill(node, 'SIGSTOP');
    await until(() => motion().at(-1)?.event === 'stands', 'standing');
    process.kill(node, 'SIGCONT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/The arm was stopped while it was identified: The newest command is older .* \(fault 2\)/);
    expectNothingWritten();
  });

  it('ends where its guard or its node dies, and writes nothing', async () => {
    const first = await moving();
    process.kill(first.guard, 'SIGKILL');
    const guardless = await first.run.ended;
    expect(guardless.code).toBe(1);
    expect(guardless.stderr).toMatch(/The guard ended \(signal SIGKILL\)/);
    expectNothingWritten();
    rmSync(at('piece.guard.log'));
    const second = await moving();
    process.kill(second.node, 'SIGKILL');
    const nodeless = await second.run.ended;
    expect(nodeless.code).toBe(1);
    expect(nodeless.stderr).toMatch(/The node ended \(signal SIGKILL\)/);
    expectStanding();
    expectNothingWritten();
  });

  it('does not begin with a real arm where nobody is at a terminal', async () => {
    writeFileSync(at('real.yaml'), real());
    const { code, stderr } = await rein(identify('./real.yaml'), dir);
    expect(code).toBe(1);
    expect(stderr).toContain('it moves when a person at a terminal lets it');
    expect(existsSync(at('piece.guard.log'))).toBe(false);
  });
});

describe.skipIf(why !== undefined)('a real arm', { timeout: PATIENCE_MS }, () => {
  const atTerminal = (...args: string[]): string[] => [
    ...['/bin/sh', '-c', 'cd "$0" && exec "$@"', dir, process.execPath, REIN],
    ...identify('./real.yaml', ...args),
  ];

  it('stands until a person has read what it will do and pressed c; Ctrl+C there moves nothing', async () => {
    writeFileSync(at('real.yaml'), real());
    const result = await runInTerminal(
      atTerminal(),
      [{ expect: 'c lets it move' }, { sleepS: 2 }, { send: '\x03' }],
      60,
    );
    expect(result).toMatchObject({
      missing: null,
      exitCode: 130,
      timedOut: false,
      echo: { before: true, after: true },
    });
    expect(motion().map(({ state }) => state)).toEqual(['standby']);
    expectNothingWritten();
  });

  it('moves once a person lets it, and stops at the space key with nothing written', async () => {
    writeFileSync(at('real.yaml'), real());
    const running = runInTerminal(
      atTerminal('--duration', '30'),
      [{ expect: 'c lets it move' }, { sleepS: 1 }, { send: 'c' }, { sleepS: 6 }, { send: ' ' }],
      60,
    );
    await until(() => existsSync(at('piece.guard.log')), 'the guard');
    await delay(500);
    expect(hasMoved()).toBe(false);
    const result = await running;
    expect(result).toMatchObject({ missing: null, exitCode: 1, timedOut: false });
    expect(result.output).toContain('The arm was stopped while it was identified');
    const states = motion().map(({ state }) => state);
    expect(states.slice(0, 4)).toEqual(['standby', 'ready', 'active.human', 'stopping']);
    expectStanding();
    expectNothingWritten();
  });
});

/** `arm6` behind the mock driver, which stands for a real one: it measures no torque. */
function real(): string {
  return shipped
    .replace(/^torqueObserver:\n(?: .*\n)+/m, '')
    .replace(/^driver:\n(?: .*\n?)+/m, 'driver:\n  kind: mock\n');
}
