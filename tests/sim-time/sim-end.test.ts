/** How a run ends before its time: asked to, or because a process died. Whatever happens, what was recorded is there. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadResolvedConfig } from '../../src/config/index.ts';
import { readJournal } from '../../src/link/index.ts';
import { loadReportData, writeReport } from '../../src/monitor/report.ts';
import { faultRow } from '../support/fault-row.ts';
import { IS_LONG } from '../support/long.ts';
import { endLeftovers, goesAway, Rein, TINY, transitionsOf } from '../support/rein.ts';
import { until } from '../support/until.ts';

/** An end in order takes a second, on a busy machine several; one that hangs would take the rest of the run. */
const SOON_MS = 40_000;
/** A busy machine is given time. */
const PATIENCE_MS = 60_000;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-end-'));
  writeFileSync(join(dir, 'short.yaml'), TINY.replace('demonstrations: 4', 'demonstrations: 1'));
  writeFileSync(join(dir, 'demos.yaml'), TINY.replace('demonstrations: 4', 'demonstrations: 4000'));
  writeFileSync(
    join(dir, 'judges.yaml'),
    TINY.replace('demonstrations: 4', 'demonstrations: 1').replace('episodes: 1', 'episodes: 10000'),
  );
});
afterAll(() => {
  endLeftovers();
  rmSync(dir, { recursive: true, force: true });
});

function start(overlay: string, out: string, ...args: string[]): Rein {
  const size = args.includes('--eval-episodes') ? [] : ['--eval-episodes', '1'];
  return new Rein(['sim', '--config', `${overlay}.yaml`, '--out', out, ...size, ...args], dir);
}

/** The run's folder is whole: journal, configuration, and a report can be made of it. Gives its training steps. */
async function expectWhole(out: string): Promise<number> {
  const folder = join(dir, out);
  const transitions = transitionsOf(folder);
  expect(loadResolvedConfig(join(folder, 'config.yaml')).task.name).toBe('insert');
  await writeReport(folder, await loadReportData(folder));
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/i);
  expect(transitions.length).toBeGreaterThan(0);
  return transitions.filter(({ source }) => source !== 'demo').length;
}

/** Waits until the run's journal has a step of its demonstrations or training: its lines tell of it up to a second later. */
async function recorded(out: string, what: 'demonstrations' | 'training'): Promise<void> {
  const isThere = (): boolean => {
    for (const { source } of readJournal(join(dir, out, 'journal'))) {
      if ((source === 'demo') === (what === 'demonstrations')) return true;
    }
    return false;
  };
  await until(() => existsSync(join(dir, out, 'journal')) && isThere(), `a step of ${out}'s ${what}`, PATIENCE_MS);
}

/** How the run ends when `signal` is sent at the moment that is waited for. */
async function interrupted(run: Rein, moment: () => Promise<void>, signal: NodeJS.Signals) {
  await run.printed(/demonstrations/);
  const learner = run.learnerPid;
  await moment();
  run.child.kill(signal);
  const sentMs = performance.now();
  const ended = await run.ended;
  return { ...ended, isSoon: performance.now() - sentMs < SOON_MS, isLearnerGone: await goesAway(learner, SOON_MS) };
}

const IN_ORDER = {
  code: 130,
  signal: null,
  isSoon: true,
  isLearnerGone: true,
  stderr: '',
  stdout: expect.stringMatching(
    /Stopping: [\s\S]*Ended by Ctrl\+C: the arm was stopped and the files are closed\.\n {2}report .*report\.html\n(?:.*rein export policy .*\n)? {2}files .*\n$/,
  ),
};

describe('Ctrl+C', () => {
  it.runIf(IS_LONG)('ends the demonstrations', async () => {
    const ended = await interrupted(start('demos', 'a'), () => recorded('a', 'demonstrations'), 'SIGINT');
    expect(ended).toEqual(IN_ORDER);
    // Nothing was trained.
    expect(ended.stdout).not.toContain('rein export policy');
    expect(await expectWhole('a')).toBe(0);
  });

  it.runIf(IS_LONG)('ends the training', async () => {
    const run = start('short', 'b', '--steps', '100000');
    expect(await interrupted(run, () => recorded('b', 'training'), 'SIGINT')).toEqual(IN_ORDER);
    expect(await expectWhole('b')).toBeGreaterThan(0);
  });

  it.runIf(IS_LONG)('or SIGTERM, ends a validation', async () => {
    // SIGTERM has the same effect.
    const run = start('judges', 'c');
    expect(await interrupted(run, () => run.printed(/validating/), 'SIGTERM')).toEqual(IN_ORDER);
    await expectWhole('c');
  });

  it.runIf(IS_LONG)('ends the evaluation', async () => {
    const run = start('short', 'd', '--steps', '1', '--eval-episodes', '100000');
    expect(await interrupted(run, () => run.printed(/evaluating [1-9]/), 'SIGINT')).toEqual(IN_ORDER);
    await expectWhole('d');
  });

  faultRow(49, 'process', 'ends at once when it comes twice', async () => {
    const run = start('short', 'e', '--steps', '100000');
    await recorded('e', 'training');
    const learner = run.learnerPid;
    run.child.kill('SIGINT');
    await run.printed(/Stopping/);
    run.child.kill('SIGINT');
    const ended = await run.ended;
    expect(ended, ended.stderr).toMatchObject({ code: 130, signal: null });
    expect(await goesAway(learner)).toBe(true);
    await expectWhole('e');
  });
});

describe.runIf(IS_LONG)('a reader that goes away', () => {
  it('ends the run in order, and not as if it had been done', async () => {
    const run = start('short', 'j', '--steps', '100000');
    await recorded('j', 'training');
    const learner = run.learnerPid;
    run.child.stdout?.destroy();
    expect(await run.ended).toMatchObject({ code: 130, signal: null, stderr: '' });
    expect(await goesAway(learner, SOON_MS)).toBe(true);
    expect(await expectWhole('j')).toBeGreaterThan(0);
  });
});

describe('a process that dies', () => {
  it.runIf(IS_LONG)(
    'is the learner: the run ends with one sentence that says so, and its journal is complete',
    async () => {
      const run = start('short', 'g', '--steps', '100000');
      await run.printed(/training \| steps [1-9]/);
      process.kill(run.learnerPid, 'SIGKILL');
      const ended = await run.ended;
      expect(ended).toMatchObject({ code: 1, signal: null });
      expect(ended.stderr).toMatch(/^rein: The learner process was ended by SIGKILL\.\n {2}→ .*journal.*\n$/);
      const steps = [...ended.stdout.matchAll(/training \| steps (\d+)/g)].map((match) => Number(match[1]));
      expect(await expectWhole('g')).toBeGreaterThanOrEqual(steps.at(-1)!);
    },
  );

  it.runIf(IS_LONG)('is the robot: the learner goes too, and what was recorded can be read', async () => {
    const run = start('short', 'h', '--steps', '100000');
    await recorded('h', 'training');
    const learner = run.learnerPid;
    run.child.kill('SIGKILL');
    await run.ended;
    expect(await goesAway(learner)).toBe(true);
    expect(await expectWhole('h')).toBeGreaterThan(0);
  });

  it.runIf(IS_LONG)('is the robot before it was ready: the learner goes too', async () => {
    const run = start('short', 'i');
    await run.printed(/preparing/);
    await expect.poll(() => run.learnerPid, { timeout: SOON_MS }).toBeGreaterThan(0);
    const learner = run.learnerPid;
    run.child.kill('SIGKILL');
    await run.ended;
    expect(await goesAway(learner)).toBe(true);
  });
});
