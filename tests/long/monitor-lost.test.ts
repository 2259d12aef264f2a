import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { savePolicy } from '../../bench/policy/steady-policy.ts';
import { stateName } from '../../src/rows/telemetry.ts';
import { noBrowserBecause, openBrowser, StreamWatcher } from '../support/browser.ts';
import { freeAddress } from '../support/free-port.ts';
import { LiveRun, MONITOR_TOKEN } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { until as eventually, insist } from '../support/until.ts';
import { Way } from '../support/way.ts';

const until = (condition: () => boolean, what: string): Promise<boolean> => eventually(condition, what, 60_000);
/** The longest that a page takes to try again, and what a busy machine adds, ms. */
const AGAIN_MS = 20_000;

let run: LiveRun;
let browser: Browser | undefined;

beforeAll(async () => {
  if (noBrowserBecause !== undefined) return;
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-lost-')));
  browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await run?.end();
  if (run !== undefined) rmSync(run.folder, { recursive: true, force: true });
});

/** A robot that its policy drives, and where its monitor is. */
async function robotWith(out: string, ...monitored: string[]): Promise<string> {
  const policy = await savePolicy(join(run.folder, `good-${out}`));
  const robot = run.start(
    ...['run', '--policy', policy, '--config', run.mockConfig(), '--out', out],
    ...['--start', 'now', ...monitored],
  );
  await until(() => /monitor: http\S+/.test(robot.said()), 'the address of the monitor');
  return /monitor: (http\S+)/.exec(robot.said())![1]!;
}

/** Starts the robot, also where a machine that was held up has stopped it. */
function goOn(watcher: StreamWatcher): Promise<void> {
  const isDriven = (): boolean => stateName(watcher.frame!) === 'active.policy';
  const start = async (): Promise<void> => {
    for (const kind of isDriven() ? [] : ['sit', 'start', 'leave']) watcher.ask({ kind });
  };
  return insist(start, isDriven, 'the policy driving again');
}

/** Waits until `page` shows that the policy drives. */
async function showsDriven(page: Page, watcher: StreamWatcher): Promise<void> {
  let isShown = false;
  const shown = page.waitForSelector('#state[data-state="active.policy"]', { timeout: 0 }).then(() => {
    isShown = true;
  });
  await insist(
    () => goOn(watcher),
    () => isShown,
    'a page of a robot that its policy drives',
  );
  await shown;
}

const hasStopped = (watcher: StreamWatcher): boolean => ['stopping', 'stopped'].includes(stateName(watcher.frame!));

describe.skipIf(noBrowserBecause !== undefined)('a page whose network is gone', { timeout: 180_000 }, () => {
  let address: string;
  let watcher: StreamWatcher;
  beforeAll(async () => {
    address = await robotWith('lost', ...run.monitored());
    watcher = new StreamWatcher(address, { token: MONITOR_TOKEN });
    await until(
      () => watcher.frame !== undefined && stateName(watcher.frame) === 'active.policy',
      'the policy driving',
    );
  }, 120_000);
  afterAll(() => watcher?.close());

  /** A page by a way of its own, that is told what the robot does; the robot is driven by its policy. */
  async function pageBy(way: Way): Promise<Page> {
    const page = await browser!.newPage();
    await page.goto(`${way.address}#token=${MONITOR_TOKEN}`);
    await showsDriven(page, watcher);
    return page;
  }

  it('says that it knows nothing of the robot, and since when, and knows it again once the network is back', async () => {
    const way = await Way.to(address);
    const page = await pageBy(way);
    way.cut();
    await page.waitForSelector('#state[data-state="quiet"]', { timeout: 10_000 });
    expect(await page.textContent('#state')).toMatch(/^✕ no news for \d+ s$/);
    await page.waitForSelector('#state:has-text("for 3 s")', { timeout: 10_000 });
    way.mend();
    await page.waitForSelector('#state[data-state="active.policy"]', { timeout: AGAIN_MS });
    expect(await page.locator('.not-sent').count()).toBe(0);
    await page.close();
    way.pullOut();
  });

  it('says loudly that a Stop was not sent, and sends it as soon as it is connected again', async () => {
    const way = await Way.to(address);
    const page = await pageBy(way);
    way.cut();
    await page.click('#stop');
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'Stop was NOT sent' }).waitFor({ timeout: 10_000 });
    expect(hasStopped(watcher)).toBe(false);
    way.mend();
    await alert.filter({ hasText: 'Stop was sent now' }).waitFor({ timeout: AGAIN_MS });
    await until(() => hasStopped(watcher), 'the stop');
    await page.close();
    way.pullOut();
    await goOn(watcher);
  });

  it.runIf(IS_LONG)('does so where the connection has ended, too', async () => {
    const way = await Way.to(address);
    const page = await pageBy(way);
    way.pullOut();
    await page.waitForSelector('#state[data-state="quiet"]', { timeout: 10_000 });
    await page.click('#stop');
    await page.getByRole('alert').filter({ hasText: 'Stop was NOT sent' }).waitFor({ timeout: 10_000 });
    await way.plugIn();
    await page.getByRole('alert').filter({ hasText: 'Stop was sent now' }).waitFor({ timeout: AGAIN_MS });
    await until(() => hasStopped(watcher), 'the stop');
    await page.close();
    way.pullOut();
    await goOn(watcher);
  });

  it('says of the processes which they are, and of the driver what it read', async () => {
    await goOn(watcher);
    const page = await browser!.newPage();
    await page.goto(`${address}?view=health#token=${MONITOR_TOKEN}`);
    await page.waitForSelector('.machine dd:has-text("readings")');
    const facts = (await page.textContent('.machine'))!;
    expect(facts).toMatch(/busno bus: [\d\u202f]+ readings, \d+ late, \d+ lost, \d+ references refused/);
    expect(facts).toMatch(
      /guardprocess \d+, tick [\d\u202f]+, (1 overrun|(?!1 )[\d\u202f]+ overruns), 0 limits broken/,
    );
    expect(facts).toMatch(/noderein run, process \d+, .*started again 0 of 3 times/);
    expect(facts).toMatch(/guardiannone: no bus/);
    expect(facts).toMatch(/monitora thread of process \d+/);
    await page.click('nav .tab:has-text("Live")');
    await page.waitForSelector('.figures li:has-text("ms left")');
    expect(await page.locator('.figures li', { hasText: 'lease' }).textContent()).toMatch(/\d+ ms leftof \d+ ms/);
    await page.close();
  });
});

describe.skipIf(noBrowserBecause !== undefined)("a learner's page", { timeout: 120_000 }, () => {
  it.runIf(IS_LONG)('says what the learner is, what it has, and where robots find it', async () => {
    const at = await freeAddress();
    const learner = run.start(
      ...['learn', '--task', 'insert', '--config', 'quick.yaml', '--out', 'learner'],
      ...['--bind', at, '--monitor', '127.0.0.1:0'],
    );
    await until(() => /monitor: http\S+/.test(learner.said()), 'the address of the monitor');
    const page = await browser!.newPage();
    await page.goto(`${/monitor: (http\S+)/.exec(learner.said())![1]!}?view=health`);
    await page.waitForSelector('.machine dt:has-text("replay")');
    const facts = (await page.textContent('.machine'))!;
    expect(facts).toMatch(/algorithm[a-z]+learnerprocess \d+, .*policy untrainedupdates0, /);
    expect(facts).toMatch(/replay0 of 200\u202f000 steps \(0\.0 %\), 0 demonstration stepsrobotsnone has joined/);
    expect(facts).toContain(`link${at}, 0 steps received, 0 sent again, 0 lost`);
    expect(await page.locator('.faults').count()).toBe(0);
    // It tells of itself without a robot: there is news, but for moments of a busy machine.
    await page.waitForSelector('#state', { state: 'detached' });
    await page.close();
  });
});

describe.skipIf(noBrowserBecause !== undefined)('a page without the token of a run', { timeout: 180_000 }, () => {
  let address: string;
  let watcher: StreamWatcher;
  beforeAll(async () => {
    address = await robotWith('guest', ...run.monitored());
    watcher = new StreamWatcher(address, { token: MONITOR_TOKEN });
    await until(
      () => watcher.frame !== undefined && stateName(watcher.frame) === 'active.policy',
      'the policy driving',
    );
  }, 120_000);
  afterAll(() => watcher?.close());

  it('stops the robot as a guest of this machine, and may do nothing else, whatever token of another run it shows', async () => {
    const pages = [await browser!.newPage(), await browser!.newPage()] as const;
    await pages[0].goto(address);
    await pages[1].goto(`${address}#token=of-another-run-0123456789`);
    for (const page of pages) {
      await showsDriven(page, watcher);
      await page.waitForSelector('#take-over:disabled');
    }
    await pages[1].click('#stop');
    await until(() => hasStopped(watcher), 'the stop');
    for (const page of pages) {
      await page.waitForSelector('#state[data-state="stopped"]');
      expect(await page.locator('.not-sent').count()).toBe(0);
      await page.close();
    }
  });
});
