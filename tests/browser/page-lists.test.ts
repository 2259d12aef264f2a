/** Long runs on the monitor's page: all episodes can be found and looked at, and curves begin where the run did. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowserBecause, openBrowser } from '../support/browser.ts';
import { PageStage } from '../support/page-stage.ts';

const EPISODES = 10_000;
let folder: string;
let browser: Browser;
let stage: PageStage;
let page: Page;

const lines = (count: number, line: (i: number) => object): string =>
  Array.from({ length: count }, (_, i) => `${JSON.stringify(line(i))}\n`).join('');

function writeRun(name: string, seed: number, episodes: number): void {
  const place = join(folder, 'runs', name);
  mkdirSync(place, { recursive: true });
  const episode = {
    kind: 'episode',
    purpose: 'training',
    steps: 10,
    interventions: 0,
    interventionSteps: 0,
    returnSum: 1,
  };
  const metrics = lines(episodes, (i) => ({ ...episode, success: i > 5, envStep: 10 * (i + 1), tS: i }));
  writeFileSync(join(place, 'metrics.jsonl'), metrics);
  writeFileSync(
    join(place, 'metrics-learner.jsonl'),
    lines(2 * episodes, (i) => ({ kind: 'update', criticLoss: 1 / (i + 1), envStep: 5 * i, tS: i })),
  );
  writeFileSync(
    join(place, 'config.yaml'),
    `seed: ${seed}\ntask:\n  name: insert\nlearner:\n  utd: ${seed < 2 ? 4 : 8}\n`,
  );
}

/** As the trace tells of them: each third failed, each fifth had help, each seventh was cut. */
const listed = (episode: number) => ({
  episode,
  purpose: 'training',
  success: episode % 3 !== 0,
  endedBy: episode % 3 !== 0 ? 'success' : episode % 7 === 0 ? 'a person paused the run' : 'time limit',
  steps: 12,
  traced: 12,
  returnSum: 1,
  interventions: 0,
  interventionSteps: episode % 5 === 0 ? 3 : 0,
  atMs: 1000 * episode,
  recordedAs: { epoch: 0, episode },
});

const step = (i: number) => ({
  episode: 60,
  step: i,
  source: 0,
  policyVersion: 1,
  reward: 0,
  marginMin: 0.5,
  filterBits: 0,
  observation: [],
  policyAction: [0, 0, 0, 0],
  humanAction: [],
  executed: [0, 0, 0, 0],
});

beforeAll(async () => {
  if (noBrowserBecause !== undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'rein-lists-'));
  writeRun('now', 0, EPISODES);
  writeRun('alike', 1, 50);
  writeRun('other', 2, 50);
  stage = await PageStage.open({ folder: join(folder, 'runs/now') });
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.route('**/api/episodes?*', (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('from'));
    return route.fulfill({ json: Array.from({ length: EPISODES }, (_, i) => listed(i)).slice(from) });
  });
  await page.route('**/api/episodes/60', (route) =>
    route.fulfill({
      json: { ...listed(60), stepCount: 12, every: 1, steps: Array.from({ length: 12 }, (_, i) => step(i)) },
    }),
  );
  await page.route('**/api/relabels', (route) =>
    route.fulfill({ json: [{ id: 1, text: 'number 1: episode 0:60 is a failure', of: { epoch: 0, episode: 60 } }] }),
  );
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await stage?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const listedOnPage = async (): Promise<[string | null, number]> => [
  await page.textContent('#listed'),
  await page.locator('tbody tr').count(),
];

describe.skipIf(noBrowserBecause !== undefined)('a run of 10 000 episodes', { timeout: 60_000 }, () => {
  it('lists all of them, a page at a time', async () => {
    await page.goto(`${stage.address}?view=episodes`);
    await expect.poll(listedOnPage).toEqual(['1 to 100 of 10000', 100]);
    await page.click('button:text-is("Older")');
    expect(await listedOnPage()).toEqual(['101 to 200 of 10000', 100]);
    await page.click('button:text-is("Oldest")');
    expect((await page.locator('tbody tr').last().locator('td').first().textContent())!).toBe('0');
  });

  it.each([
    ['failures', '3334'],
    ['with help', '2000'],
    ['cut', '477'],
    ['relabelled', '1'],
  ])('lists %s alone', async (name, count) => {
    await page.selectOption('#filter', name);
    await expect.poll(() => page.textContent('#listed')).toMatch(new RegExp(`of ${count}, of all 10000$`));
  });

  it('shows what was relabelled, and brings what is played back and relabelled to where people look', async () => {
    const row = page.locator('tr.relabelled');
    expect(await row.textContent()).toContain('episode 0:60 is a failure');
    await page.selectOption('#filter', 'failures');
    await page.click('button:text-is("Oldest")');
    await page.getByRole('button', { name: 'Play back episode 60', exact: true }).click();
    await page.waitForSelector('.player:focus');
    expect(await page.locator('.player h2').boundingBox()).toMatchObject({ y: expect.closeTo(100, -2) });
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.scrubber output:text-is("step 1")');
    await page.keyboard.press('ArrowLeft');
    await page.waitForSelector('.scrubber output:text-is("step 0")');
    await page.getByRole('button', { name: 'Relabel episode 60', exact: true }).click();
    await page.waitForSelector('.relabel:focus');
  });

  it('is drawn from its first step to its last, over one axis, and says how closely', async () => {
    await page.click('.tab:has-text("Training")');
    await page.waitForSelector('.chart canvas');
    await expect.poll(() => page.getAttribute('.chart [role=img]', 'aria-label')).toMatch(/last 20 1, /);
    const spans = page.locator('.chart [role=img]');
    const ends = new Set(await spans.evaluateAll((all) => all.map((each) => each.getAttribute('data-span'))));
    expect([...ends]).toEqual([`0 to ${10 * EPISODES}`]);
    expect(await page.textContent('#resolution')).toMatch(/at most 400 points/);
    expect(await page.locator('.u-marker[style*="svg"]').count()).toBeGreaterThan(0);
  });

  it('is compared with others, whose task, seed and outcome are said, and what they were asked for differently', async () => {
    await page.click('#runs summary');
    expect(await page.textContent('#runs label:has-text("other")')).toMatch(/other insert, seed 2, not ended/);
    for (const name of ['alike', 'other']) await page.click(`#runs input[value=${name}]`);
    await page.click('#differences summary');
    await expect.poll(() => page.textContent('#differences tbody')).toBe('learner.utd448seed012');
    await page.click('#by-seed');
    await page.waitForSelector('.chart .u-series:has-text("this run and 1 of other seeds: return")');
    await page.waitForSelector('.chart .u-series:has-text("other: return")');
  });
});
