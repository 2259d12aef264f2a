/** A person at the terminal of a running `rein sim`: takes over, moves, stops, gives back; and what is recorded of it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseMetrics, type RunSummary } from '../../src/record/index.ts';
import type { Transition } from '../../src/rows/index.ts';
import { IS_LONG } from '../support/long.ts';
import { runInTerminal, type TerminalResult, type TerminalStep, whyNoTerminal } from '../support/pty.ts';
import { REIN, Rein, TINY, transitionsOf } from '../support/rein.ts';

const why = whyNoTerminal();
if (why !== undefined) console.log(`skipped: rein sim at a terminal: ${why}`);

/** Nothing but marks says what a success is, and nobody shows it. */
const JUDGED = readFileSync(new URL('../../config/tasks/reach.yaml', import.meta.url), 'utf8')
  .replace(/^success:\n(?: .*\n)*/m, 'success: { byMarks: true }\n')
  .replace(/^demonstrat.*\n/gm, '');
const SMALL = `learner: { actorHidden: [32, 32], criticHidden: [32, 32], batchSize: 32 }\n`;

/** With the scripted operator out of the way, every intervention is the person's; an episode is long enough to take part in. */
const ALONE = TINY.replace('initialRate: 0.5', 'initialRate: 0').replace('maxSteps: 30', 'maxSteps: 80');
const SHOW_CURSOR = '\x1b[?25h';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-keys-'));
  writeFileSync(join(dir, 'alone.yaml'), ALONE);
  writeFileSync(join(dir, 'tiny.yaml'), TINY);
  writeFileSync(join(dir, 'judged.yaml'), JUDGED);
  writeFileSync(join(dir, 'small.yaml'), SMALL);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function atTerminal(
  out: string,
  config: string,
  steps: number,
  keys: readonly TerminalStep[],
): Promise<TerminalResult> {
  const options = ['--config', join(dir, config), '--steps', String(steps), '--eval-episodes', '1', '--monitor', 'off'];
  const command = [process.execPath, REIN, 'sim', ...options, '--out', join(dir, out)];
  return runInTerminal(['env', 'NO_COLOR=1', 'TERM=xterm', ...command], keys, 40);
}

describe.skipIf(why !== undefined)('a person who judges in rein sim', () => {
  const options = ['--task', './judged.yaml', '--config', 'small.yaml', '--steps', '20', '--eval-episodes', '1'];

  it.runIf(IS_LONG)(
    'marks episodes as they see them, in training and evaluation, in real time, and finds the terminal as before',
    async () => {
      const command = ['sh', '-c', `cd '${dir}' && exec "$@"`, 'sh', process.execPath, REIN, 'sim', ...options];
      const end = 'judged by people: no policy was validated';
      const keys = [
        { expect: 'Rein · training' },
        { send: '?' },
        { expect: 't take over' },
        { hold: 'm', until: end, delayS: 0.5, periodS: 0.5 },
      ];
      const out = ['--out', 'judged', '--json', 'judged.json', '--monitor', 'off'];
      const ended = await runInTerminal(['env', 'NO_COLOR=1', 'TERM=xterm', ...command, ...out], keys, 60);
      expect(ended, ended.output).toMatchObject({ missing: null, timedOut: false, exitCode: 0 });
      // The terminal is as before when the run ends by itself.
      expect(ended.echo).toMatchObject({ before: true, after: true });
      expect(ended.output.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(ended.output.lastIndexOf('\x1b[?25l'));
      const summary: RunSummary = JSON.parse(readFileSync(join(dir, 'judged.json'), 'utf8'));
      expect(summary).toMatchObject({ judged_by: 'people', success_rate: 1, eval_episodes: 1 });
      const steps = transitionsOf(join(dir, 'judged'));
      const done = steps.filter(({ terminated }) => terminated);
      expect(done.length).toBeGreaterThan(1);
      expect(new Set(done.map(({ reward }) => reward))).toEqual(new Set([1]));
      // Ten steps a second, and a mark every half of one.
      expect(steps.length / done.length).toBeLessThan(15);
    },
    90_000,
  );

  it('is needed: without terminal and monitor it is refused', async () => {
    const ended = await new Rein(['sim', ...options, '--monitor', 'off', '--out', 'nobody'], dir).ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('is judged by people: this command has no operator to mark episodes');
    expect(existsSync(join(dir, 'nobody'))).toBe(false);
  }, 30_000);
});

describe.skipIf(why !== undefined)('a person at the terminal of rein sim', () => {
  let result: TerminalResult;
  let person: Transition[];
  let wallS: number;

  beforeAll(async () => {
    const startMs = performance.now();
    result = await atTerminal('driven', 'alone.yaml', 1e6, [
      { expect: 'Driving: policy' },
      { expect: 'Rein · training' },
      { send: 't' },
      { expect: 'Driving: you' },
      { sleepS: 0.5 },
      { hold: 'w', delayS: 0.4, times: 25, periodS: 0.04 },
      { sleepS: 0.7 },
      { send: ' ' },
      { expect: 'stopped' },
      { sleepS: 3 },
      { send: 'g' },
      { expect: 'Driving: policy' },
      // An episode in which the person had a part has to end before it is counted; the line of the one before may be still to come.
      { more: 2, of: '"kind":"episode"', in: join(dir, 'driven', 'metrics.jsonl') },
      { send: '\x03' },
      { expect: 'Ended by Ctrl+C' },
    ]);
    wallS = (performance.now() - startMs) / 1e3;
    person = transitionsOf(join(dir, 'driven')).filter(({ source }) => source.startsWith('human'));
  }, 60_000);

  it('ends in order with Ctrl+C as a key, and finds the terminal as before', () => {
    expect(result).toMatchObject({ missing: null, timedOut: false, exitCode: 130 });
    expect(result.echo).toMatchObject({ before: true, after: true });
    expect(result.output.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(result.output.lastIndexOf('\x1b[?25l'));
  });

  it('is recorded as correcting, with the actions of the keys', () => {
    expect(new Set(person.map(({ source }) => source))).toEqual(new Set(['human_correct']));
    const forward = person.filter(({ humanAction }) => humanAction.some((value) => value !== 0));
    for (const { humanAction } of forward) expect([...humanAction]).toEqual([0.5, 0, 0, 0]);
    expect(forward.length).toBeGreaterThan(5);
    expect(person.length).toBeGreaterThan(forward.length + 5);
  });

  it('moves the arm as the keys say, and leaves it still when no key is held or a stop was asked for', () => {
    const executed = person.map(({ executed }) => executed[0]!);
    const moved = person.flatMap(({ humanAction }, i) => (humanAction[0] === 0.5 ? [executed[i]!] : []));
    // The first step speeds up and a wall may end it; in between a step is a step.
    expect(moved.filter((x) => Math.abs(x - 0.5) < 0.1).length).toBeGreaterThan(moved.length / 3);
    for (const { humanAction, executed: done } of person.slice(-4)) {
      expect([...humanAction]).toEqual([0, 0, 0, 0]);
      for (const value of done) expect(Math.abs(value)).toBeLessThan(0.05);
    }
  });

  it('is recorded for a second of a stop only: to stand still is nothing to learn from', () => {
    const lastMove = person.findLastIndex(({ humanAction }) => humanAction[0] !== 0);
    // 0.7 s before the stop, and a second of it, with room for a slow machine.
    expect(person.length - lastMove).toBeLessThan(25);
  });

  it('is given real time: ten steps a second, not as many as the machine can do', () => {
    expect(person.length).toBeLessThan(10 * wallS);
  });

  it('is counted in the metrics', () => {
    const { records } = parseMetrics(readFileSync(join(dir, 'driven', 'metrics.jsonl'), 'utf8'));
    const episodes = records.flatMap((record) => (record.kind === 'episode' ? [record] : []));
    expect(episodes.reduce((sum, { interventionSteps }) => sum + interventionSteps, 0)).toBe(person.length);
    expect(episodes.reduce((sum, { interventions }) => sum + interventions, 0)).toBeGreaterThan(0);
  });

  it.runIf(IS_LONG)('is no reason to be suspended for a job in the background, which has no keys', async () => {
    const options = `--config ${join(dir, 'tiny.yaml')} --steps 1 --eval-episodes 1 --monitor off --out ${join(dir, 'job')}`;
    // A job that is stopped ends the wait too, with 128 and the number of its signal.
    const script = `set -m; '${process.execPath}' '${REIN}' sim ${options} & wait $!; echo "ended with $?"; kill -9 $! 2>/dev/null`;
    const ended = await runInTerminal(['env', 'TERM=xterm', 'bash', '-c', script], [{ expect: 'ended with' }], 40);
    expect(ended).toMatchObject({ missing: null, timedOut: false });
    expect(ended.output).toContain('ended with 1');
    expect(ended.output).toContain('rein: target missed');
  });
});
