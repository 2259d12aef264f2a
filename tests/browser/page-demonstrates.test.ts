/** A person at the page of `rein sim`, which waits for them: shows the task to the end, answers a call for help, and is no longer waited for at the end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateName } from '../../src/rows/telemetry.ts';
import { noBrowserBecause, openBrowser, StreamWatcher } from '../support/browser.ts';
import { LiveRun, type Program } from '../support/live-run.ts';
import { TINY } from '../support/rein.ts';
import { until as eventually, insist } from '../support/until.ts';

/** Straight down is success: a wide hole below the tool, whose place is known. The policy is hardly trained, and needs help. */
const EASY = TINY.replace(
  'task:',
  `task:
  hole: { clearanceM: 0.003, spreadM: 0, yawSpreadRad: 0 }
  estimate: { errorM: 0, heightErrorM: 0, yawErrorRad: 0 }
  start: { spreadM: 0, heightM: 0.01, heightSpreadM: 0, yawSpreadRad: 0 }
  success: { depthM: 0.002 }
  help: { afterSteps: 3 }`,
)
  .replace('initialRate: 0.5', 'initialRate: 0')
  .replace('demonstrations: 4', 'demonstrations: 1')
  .replace('bcInitSteps: 100', 'bcInitSteps: 1')
  .replace('maxSteps: 30', 'maxSteps: 80');

const until = (condition: () => boolean, what: string): Promise<boolean> => eventually(condition, what, 60_000);

describe.skipIf(noBrowserBecause !== undefined)('a page beside a simulation that waits', { timeout: 240_000 }, () => {
  let run: LiveRun;
  let browser: Browser;
  let page: Page;
  let program: Program;
  let watcher: StreamWatcher;

  beforeAll(async () => {
    run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-shown-by-page-')));
    writeFileSync(join(run.folder, 'easy.yaml'), EASY);
    const options = ['--demonstrations', 'people', '--config', 'easy.yaml', '--steps', '5000', '--out', 'out'];
    program = run.start('sim', ...options, '--monitor', '127.0.0.1:0');
    await until(() => /monitor: http\S+/.test(program.said()), 'the address of the monitor');
    const address = /monitor: (http\S+)/.exec(program.said())![1]!;
    watcher = new StreamWatcher(address);
    browser = await openBrowser();
    page = await browser.newPage();
    await page.goto(address);
  }, 120_000);
  afterAll(async () => {
    watcher?.close();
    await browser?.close();
    await run?.end();
    if (run !== undefined) rmSync(run.folder, { recursive: true, force: true });
  });

  const phase = (): unknown => watcher.all('session').at(-1)?.['phase'];
  const promptNow = (): string => {
    const { operator } = (watcher.all('status').at(-1) ?? {}) as { operator?: { prompt?: string } };
    return operator?.prompt ?? '';
  };
  const isAsked = (words: string): boolean => promptNow().includes(words);

  it('has it shown by a person from the first key to success', async () => {
    await until(() => isAsked('Show 1 of 1'), 'the prompt');
    // It stands, and what the page shows is true all the same.
    const stood = watcher.frames.length;
    await until(() => watcher.frames.length > stood + 10, 'frames of a robot that stands');
    // A quick hand: the key goes down before the page has heard that it has the seat.
    const key = (type: string): string => `dispatchEvent(new KeyboardEvent('${type}', { code: 'KeyF', key: 'f' }))`;
    const driver = ({ operator }: Record<string, unknown>): string | undefined =>
      (operator as { by?: { operator: string } } | undefined)?.by?.operator;
    const takeOver = `document.querySelector('#take-over')?.click(); ${key('keyup')}; ${key('keydown')}`;
    const isShown = (): boolean => watcher.all('status').some((status) => driver(status) === 'browser');
    await insist(() => page.evaluate(takeOver), isShown, 'who shows it');
    // A page that the machine held up has lost control: its person takes over once more, and shows the rest.
    await insist(
      () => page.evaluate(takeOver),
      () => phase() === 'training',
      'the end of the demonstration',
    );
    // Taken over once more as it ended, they would drive in training.
    await page.evaluate(`${key('keyup')}; document.querySelector('#give-back')?.click()`);
  });

  it('has a call for help answered, and ends at once while it waits for the next answer', async () => {
    await until(() => isAsked('asks for help'), 'the call for help');
    const takeOver = async (): Promise<void> => {
      await page.click('#take-over');
      await page.keyboard.down('r');
    };
    await insist(takeOver, () => stateName(watcher.frame!) === 'active.human', 'the person driving');
    await page.keyboard.up('r');
    await page.click('#give-back');
    await until(() => !isAsked('asks for help'), 'the answer');
    await until(() => isAsked('asks for help'), 'the next call');
    program.child.kill('SIGTERM');
    expect(await program.exit).toBe(130);
    expect(run.journal('out').some(({ source }) => source === 'human_correct')).toBe(true);
    expect(
      run
        .journal('out')
        .filter(({ source }) => source === 'demo')
        .at(-1)?.terminated,
    ).toBe(true);
  });
});
