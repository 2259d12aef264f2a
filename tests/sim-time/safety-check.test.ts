/** `rein safety check` as people start it: exit codes, what it writes, what it refuses, and that it bites. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SafetyCheckResult } from '../../src/safety-check/index.ts';
import type { ViolationKind } from '../../src/safety-check/result.ts';
import { IS_LONG } from '../support/long.ts';
import { type Ended, endLeftovers, Rein, rein } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';

const PATIENCE_MS = 240_000;
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-check-'));
});
afterAll(() => {
  endLeftovers();
  rmSync(dir, { recursive: true, force: true });
});

interface Checked extends Omit<Ended, 'signal'> {
  readonly result: SafetyCheckResult;
}

/** A check within this process. */
function check(name: string, ...args: readonly string[]): Promise<Checked> {
  return checkBy(reinHere, name, args);
}

async function checkBy(start: typeof reinHere, name: string, args: readonly string[]): Promise<Checked> {
  mkdirSync(join(dir, name), { recursive: true });
  const json = join(dir, name, 'check.json');
  const ended = await start(['safety', 'check', ...args, '--out', join(dir, name), '--json', json], dir);
  expect(ended.stderr).not.toMatch(/mistake in Rein/);
  return { ...ended, result: JSON.parse(readFileSync(json, 'utf8')) as SafetyCheckResult };
}

const countOf = ({ result }: Checked, kind: ViolationKind): number =>
  result.violations.find((each) => each.kind === kind)!.count;

/** All but what a second run does at another time. */
function lasting({ wallS: _, startedAt: __, ...rest }: SafetyCheckResult): object {
  return rest;
}

/** Further stages left out: robot, stages, kinds that then break, ticks that show it with room to spare. */
const FURTHER_WITHOUT: readonly [string, readonly string[], readonly ViolationKind[], number][] = [
  ['arm6', ['barrier', 'tank', 'shield'], ['workspace', 'selfCollision', 'keepOut'], 1000],
  ['arm6', ['sanitize'], ['disobedience'], 2000],
  // The shield stands behind brake bound and barrier, and the tank slows whatever moves.
  ['arm7', ['brakeBound', 'barrier', 'tank', 'shield'], ['position'], 1000],
  ['arm6', ['tank'], ['energy'], 500],
];

describe('rein safety check', () => {
  it(
    'finds nothing on the bundled arm, exits with 0 and writes a report that needs nothing else',
    async () => {
      const args = ['arm6', '--ticks', '1500', '--seed', '4'];
      const { code, stdout, result } = await checkBy(rein, 'good', args);
      expect(stdout).toMatch(
        /The reference of arm6 kept every limit in [\d ]+ adversarial ticks; the simulated arm .*\.\nreport: /,
      );
      expect(code).toBe(0);
      expect(result).toMatchObject({ ok: true, seed: 4, chain: 'on', plant: 'mujoco', plantFailures: 0 });
      expect(result.ticks).toBeGreaterThanOrEqual(1500);
      expect(result.violations.reduce((sum, { count }) => sum + count, 0)).toBe(0);
      for (const { ticks, upperBound95 } of result.violations)
        expect(upperBound95).toBe(Math.min(1, ticks === 0 ? 1 : 3 / ticks));
      // Others get their turn from some thousands of ticks on.
      expect(result.adversaries.length).toBeGreaterThanOrEqual(8);
      const page = readFileSync(join(dir, 'good', 'safety-report.html'), 'utf8');
      expect(page).toContain('rein safety check arm6 --ticks 1500 --seed 4');
      expect(page.replace(/<(script|style)[\s\S]*?<\/\1>/g, '')).not.toMatch(/src=|href=|@import|url\(/);
    },
    PATIENCE_MS,
  );

  it.runIf(IS_LONG)(
    'reports what was tried when its time is over, however busy the machine is',
    async () => {
      const { code, stdout, result } = await check('cut', 'arm6', '--ticks', '1000000', '--time-limit', '0.5');
      expect(stdout).toMatch(/kept every limit in [\d ]+ of [\d ]+ \(time limit\) adversarial ticks/);
      expect([code, result.ended]).toEqual([0, 'timeLimit']);
      expect(result.ticks).toBeGreaterThan(0);
      expect(result.ticks).toBeLessThan(result.plannedTicks);
      expect(readFileSync(join(dir, 'cut', 'safety-report.html'), 'utf8')).toContain('(time limit)');
    },
    PATIENCE_MS,
  );

  it.runIf(IS_LONG)(
    'reports what was tried until Ctrl+C, and exits with 130',
    async () => {
      const out = join(dir, 'interrupted');
      mkdirSync(out);
      const files = ['--out', out, '--json', join(out, 'check.json')];
      const started = new Rein(['safety', 'check', 'arm6', '--ticks', '1000000', ...files], dir);
      // The first line of progress: some trials are done, and hundreds are not.
      while (!/\d+ of \d+ trials/.test(started.stderr) && started.child.exitCode === null)
        await once(started.child.stderr!, 'data');
      started.child.kill('SIGINT');
      const { code, stdout, stderr } = await started.ended;
      expect(code).toBe(130);
      expect(stderr).toContain('Stopping: the report is of what was tried until now.');
      expect(stdout).toMatch(/kept every limit in [\d ]+ of [\d ]+ \(interrupted\) adversarial ticks/);
      const result = JSON.parse(readFileSync(join(out, 'check.json'), 'utf8')) as SafetyCheckResult;
      expect(result.ended).toBe('interrupted');
      expect(result.ticks).toBeGreaterThan(0);
      expect(result.ticks).toBeLessThan(result.plannedTicks);
      expect(readFileSync(join(out, 'safety-report.html'), 'utf8')).toContain('(interrupted)');
    },
    PATIENCE_MS,
  );

  it.runIf(IS_LONG)(
    'draws the same attacks from the same seed, and others from another',
    async () => {
      const [one, same, other] = [
        await check('seed-1', 'car', '--ticks', '200', '--seed', '9'),
        await check('seed-2', 'car', '--ticks', '200', '--seed', '9'),
        await check('seed-3', 'car', '--ticks', '200', '--seed', '10'),
      ];
      expect(lasting(same.result)).toEqual(lasting(one.result));
      expect(other.result.adversaries).not.toEqual(one.result.adversaries);
    },
    PATIENCE_MS,
  );

  it.runIf(IS_LONG)(
    'finds every kind that the robot can have once the chain is off, and exits with 1',
    async () => {
      const checked = await check('off', 'arm6', '--ticks', '6000', '--chain', 'off');
      expect(checked.code).toBe(1);
      expect(checked.stdout).toMatch(/arm6 broke limits in .* with the safety chain off: /);
      const never = checked.result.violations.filter(({ applies, count }) => applies && count === 0);
      // How far its servos bend is no matter of the chain (sag.test.ts).
      expect(never.map(({ kind }) => kind)).toEqual(['sag']);
      const car = await check('car-off', 'car', '--ticks', '1000', '--chain', 'off');
      for (const kind of ['position', 'velocity', 'acceleration', 'fence'] as const) {
        expect(countOf(car, kind)).toBeGreaterThan(0);
      }
    },
    PATIENCE_MS,
  );

  // As few ticks as show it with room to spare: every second of these counts in CI. Start guard and limiter need more of
  // them: `npm run safety:million` leaves those out, tests/sim-time/stages-matter.test.ts shows them in little.
  it
    .runIf(IS_LONG)
    .each<[string, readonly string[], readonly ViolationKind[], number]>([
      ['car', ['shield'], ['fence'], 1000],
      ...FURTHER_WITHOUT,
    ])(
    '%s without %j breaks what these are there for',
    async (robot, stages, kinds, ticks) => {
      const without = stages.flatMap((stage) => ['--without', stage]);
      const checked = await check(`without-${robot}-${stages.join('-')}`, robot, '--ticks', String(ticks), ...without);
      expect(checked.code).toBe(1);
      for (const kind of kinds) expect(countOf(checked, kind), kind).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});

describe('what is wrong', () => {
  it.each<[string, string, RegExp]>([
    ['a robot that is not there', 'arm66', /arm66/],
    ['a file that is not there', 'nothing.yaml', /nothing\.yaml/],
    ['a file that is no robot', 'text.yaml', /text\.yaml:1:1/],
  ])(
    '%s is refused with 2 and its place',
    async (_, subject, message) => {
      writeFileSync(join(dir, 'text.yaml'), 'hello: 1\n');
      // Within this process; that one of its own ends by itself, the wrong folder below shows.
      const { code, stderr, stdout } = await reinHere(['safety', 'check', subject, '--out', join(dir, 'bad')], dir);
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/mistake in Rein|\n {4}at /);
      expect([code, stdout]).toEqual([2, '']);
    },
    PATIENCE_MS,
  );

  it('a folder that cannot be written is said before anything runs', async () => {
    writeFileSync(join(dir, 'file'), '');
    const { code, stderr } = await rein(['safety', 'check', 'arm6', '--out', join(dir, 'file', 'deeper')], dir);
    expect(stderr).toMatch(/file is a file, not a folder\n {2}→ give --out another folder/);
    expect(code).toBe(2);
  });
});
