/** A person at the keyboard of `rein run`: shows the task, changes speed, marks, stops and lets the robot go on. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { counted } from '../../src/model/index.ts';
import { parseMetrics } from '../../src/record/index.ts';
import { freeAddress } from '../support/free-port.ts';
import { LiveRun, mockArm6, SMALL_LEARNER, until } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { runInTerminal, type TerminalResult, type TerminalStep, whyNoTerminal } from '../support/pty.ts';
import { REIN } from '../support/rein.ts';

const why = whyNoTerminal();
if (why !== undefined) console.log(`skipped: a person at rein run: ${why}`);

/** Straight down is success: a wide hole below the tool, whose place is known. */
const EASY = `
task:
  demonstrations: 4
  hole: { clearanceM: 0.003, spreadM: 0, yawSpreadRad: 0 }
  estimate: { errorM: 0, heightErrorM: 0, yawErrorRad: 0 }
  start: { spreadM: 0, heightM: 0.03, heightSpreadM: 0, yawSpreadRad: 0 }
  success: { depthM: 0.002 }
${SMALL_LEARNER}`;
const CTRL_C = '\x03';

let run: LiveRun;
beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-person-')));
  writeFileSync(join(run.folder, 'easy.yaml'), EASY);
});
afterEach(async () => {
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

/** `rein run` at a terminal of 140 columns. */
function atTerminal(args: readonly string[], steps: readonly TerminalStep[]): Promise<TerminalResult> {
  const out = ['--operator', 'keyboard', '--monitor', 'off', '--out', join(run.folder, 'robot')];
  const command = ['env', '-C', run.folder, 'NO_COLOR=1', 'TERM=xterm', 'COLUMNS=140', process.execPath, REIN, 'run'];
  return runInTerminal([...command, ...args, ...out], steps, 120);
}

/** All steps came, Ctrl+C ended it, and the terminal is as before. */
function expectDone(result: TerminalResult): void {
  // What was painted again is in the output again: each line once.
  const lines = [...new Set(result.output.split(/\r?\n/))];
  expect(result.missing, lines.join('\n').slice(-6000)).toBeNull();
  expect(result).toMatchObject({ timedOut: false, exitCode: 130, echo: { before: true, after: true } });
}

/**
 * A task that people judge, on an arm without surroundings that moves as it is told. So few steps a second that a busy machine does
 * not end an episode before its mark: a lease lasts two steps.
 */
function writeJudged(): void {
  const file = (path: string): string => readFileSync(new URL(`../../config/${path}`, import.meta.url), 'utf8');
  writeFileSync(join(run.folder, 'arm.yaml'), mockArm6());
  const task = file('tasks/reach-judged.yaml').replace('robot: arm6-ros', `robot: ${join(run.folder, 'arm.yaml')}`);
  const judged = task.replace('name: reach-judged', 'name: judged').replace('policyHz: 10', 'policyHz: 2');
  expect(judged).toContain('policyHz: 2');
  writeFileSync(join(run.folder, 'judged.yaml'), judged);
}

/** The node of the run in this test's folder; -1 while there is none. */
function nodePid(): number {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
  const isNode = (pid: number): boolean => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return command.includes('node-process.js') && command.includes(run.folder);
    } catch {
      // It ended meanwhile.
      return false;
    }
  };
  return pids.find(isNode) ?? -1;
}

describe.skipIf(why !== undefined)('a person at rein run', { timeout: 240_000 }, () => {
  it('is asked for demonstrations, gives one up, shows one at the speed that was chosen, and skips the rest', async () => {
    const address = await freeAddress();
    const learning = run.start(
      'learn',
      '--task',
      'insert',
      '--config',
      'easy.yaml',
      '--bind',
      address,
      '--out',
      'learner',
    );
    await until(() => learning.said().includes('robots connect with'), 'the learner');
    const result = await atTerminal(
      ['--task', 'insert', '--config', 'easy.yaml', '--learner', address],
      [
        { expect: 'Show 1 of 4' },
        { send: 't' },
        { expect: 'speed 50 %' },
        { send: '[' },
        { expect: 'speed 35 %' },
        { send: ']' },
        { expect: 'speed 50 %' },
        { send: ']' },
        { expect: 'speed 75 %' },
        { send: ']' },
        { expect: 'speed 100 %' },
        { send: '[' },
        { expect: 'speed 75 %' },
        { send: '[' },
        { expect: 'speed 50 %' },
        { send: '[' },
        { expect: 'speed 35 %' },
        // Up is no insertion: this one is given up.
        { hold: 'r', delayS: 0.3, times: 10, periodS: 0.04 },
        { send: 'n' },
        { expect: 'Not kept: it was given up' },
        { sleepS: 0.8 },
        // However many steps a busy machine makes of it.
        { hold: 'f', until: 'Show 2 of 4', delayS: 0.3, periodS: 0.04 },
        { sleepS: 0.5 },
        { send: '\r' },
        { expect: ' steps.' },
        { expect: 'Rein · training' },
        { send: 'm' },
        { expect: 'marked as a success. Ignored: task insert judges success itself.' },
        { send: '?' },
        { expect: 't take over  g give back  space stop  c continue after a stop' },
        { expect: 'm/n success/failure  b go back the way it came  ? help  Ctrl+C quit' },
        { expect: '[/] slower/faster' },
        { send: CTRL_C },
      ],
    );
    expectDone(result);
    expect(result.output).toContain('Driving: you');
    expect(result.output).toMatch(/to go +-?[\d.]+/);
    const shown = run.journal('robot').filter(({ source }) => source === 'demo');
    expect(shown.length).toBeGreaterThan(2);
    const whole = shown.filter(({ terminated }) => terminated).length;
    expect(whole).toBeGreaterThanOrEqual(1);
    expect(result.output).toContain(`${counted(whole, 'demonstration')}, ${shown.length} steps.`);
    const moved = shown.map(({ humanAction }) => humanAction[2]!).filter((z) => z !== 0);
    expect(moved).not.toEqual([]);
    expect(moved.filter((z) => z > 0)).toEqual([]);
    // The speed factor that was chosen, of the whole action.
    expect(Math.min(...shown.map(({ humanAction }) => humanAction[2]!))).toBeCloseTo(-0.35);
    const { records } = parseMetrics(readFileSync(join(run.folder, 'robot', 'metrics.jsonl'), 'utf8'));
    expect(records.filter((r) => r.kind === 'episode' && r.purpose === 'demonstration')).toHaveLength(whole);
    await until(
      () => learning.said().includes(`${shown.length} demonstration steps`),
      'the demonstrations at the learner',
    );
  });

  it.runIf(IS_LONG)('judges episodes with m and n where people judge, and learns from it what success is', async () => {
    writeJudged();
    const result = await atTerminal(
      ['--task', 'judged.yaml', '--start', 'now'],
      [
        { expect: 'Rein · running' },
        { send: 't' },
        { expect: 'Driving: you' },
        { hold: 'w', delayS: 0.3, times: 10, periodS: 0.04 },
        { send: 'm' },
        { expect: 'is marked as a success.' },
        // A person drove: nothing goes on before they say so.
        { expect: 'press c to continue' },
        { send: 'c' },
        { expect: 'The robot may move.' },
        { send: 't' },
        { expect: 'Driving: you' },
        { hold: 'w', delayS: 0.3, times: 10, periodS: 0.04 },
        { send: 'n' },
        { expect: 'is marked as a failure.' },
        { sleepS: 1 },
        { send: CTRL_C },
      ],
    );
    expectDone(result);
    expect(result.output).not.toContain('changes nothing');
    const decided = run.journal('robot').filter(({ terminated }) => terminated);
    expect(decided.map(({ reward }) => reward)).toEqual([1, 0]);
    expect(decided[0]!.source).toMatch(/^human/);
    const { records } = parseMetrics(readFileSync(join(run.folder, 'robot', 'metrics.jsonl'), 'utf8'));
    const episodes = records.flatMap((r) => (r.kind === 'episode' && r.cutBy === undefined ? [r.success] : []));
    expect(episodes).toEqual([true, false]);
  });

  it.runIf(IS_LONG)('sees that a stop stays, goes on with c, and with c again where the node was killed', async () => {
    writeJudged();
    const typed = atTerminal(
      ['--task', 'judged.yaml', '--start', 'now'],
      [
        { expect: 'Rein · running' },
        { send: 't' },
        { expect: 'Driving: you' },
        { send: ' ' },
        { expect: 'Driving: you, stopped' },
        // Stopped, motion keys move nothing.
        { hold: 'w', delayS: 0.3, times: 20, periodS: 0.04 },
        { sleepS: 0.5 },
        { expect: 'Driving: you, stopped' },
        { send: 'c' },
        // Whoever drove before drives again, until they give the arm back. Then the policy's node is killed: see below.
        { expect: 'Driving: you   ' },
        { send: 'g' },
        { expect: 'press c to continue' },
        { sleepS: 1 },
        { send: 'c' },
        { expect: 'The robot may move.' },
        { send: 't' },
        { expect: 'Driving: you' },
        { send: CTRL_C },
      ],
    );
    await until(() => run.journal('robot').some(({ source }) => source.startsWith('human')), 'the stop');
    await until(() => run.journal('robot').findLast(() => true)?.source === 'policy', 'going on');
    process.kill(nodePid(), 'SIGKILL');
    const result = await typed;
    expectDone(result);
    const helped = run.journal('robot').filter(({ source }) => source.startsWith('human'));
    expect(helped.every(({ humanAction }) => humanAction.every((value) => value === 0))).toBe(true);
  });
});
