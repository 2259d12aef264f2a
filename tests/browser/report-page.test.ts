/** A report in a browser, as a file: its charts and episodes are drawn with nothing but what is in it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { renderReport } from '../../src/monitor/report/report.ts';
import type { MetricRecord } from '../../src/record/index.ts';
import { noBrowserBecause, openBrowser } from '../support/browser.ts';
import { IS_LONG } from '../support/long.ts';

const EPISODES = 12;
const COUNT = 20;

/** An arm that goes down, and a peg between two walls. */
function reportPage(): string {
  const frames = Array.from({ length: COUNT }, (_, i) =>
    Float32Array.from([
      ...[0, 0, 0, 1, 0, 0, 0],
      ...[0.28, 0, 0.05, 1, 0, 0, 0],
      ...[0.32, 0, 0.05, 1, 0, 0, 0],
      ...[0.3, 0, 0.16 - 0.004 * i, 1, 0, 0, 0],
    ]),
  );
  const grey = [0.5, 0.5, 0.5, 1];
  const geoms = [
    { type: 'plane', sizeM: [1, 1, 0.1], rgba: grey, name: 'floor' },
    { type: 'box', sizeM: [0.008, 0.05, 0.05], rgba: grey, name: 'wall' },
    { type: 'box', sizeM: [0.008, 0.05, 0.05], rgba: grey, name: 'wall2' },
    { type: 'box', sizeM: [0.01, 0.01, 0.03], rgba: [1, 0.5, 0, 1], name: 'peg' },
  ];
  const recording = { caption: 'Last episode', success: true, geoms, frames, frameS: 0.04, successDepthM: 0.01 };
  const records = Array.from({ length: EPISODES }, (_, i) => ({
    kind: 'episode',
    purpose: 'training',
    tS: 4 * i,
    envStep: 40 * i,
    episode: i,
    success: i % 3 > 0,
    steps: 40,
    returnSum: 1,
    interventions: 0,
    interventionSteps: 0,
    filterShare: 0.1,
  })) as unknown as MetricRecord[];
  return renderReport({
    runId: 'r',
    summary: null,
    configText: 'a: 1\n',
    records,
    skippedLines: 0,
    recordings: [recording],
  });
}

describe.skipIf(noBrowserBecause !== undefined)('a report', () => {
  let folder: string;
  let browser: Browser;
  /** What the page said that it should not have, and what it asked for. */
  let complaints: string[] = [];
  const opened: Page[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rein-report-page-'));
    writeFileSync(join(folder, 'report.html'), reportPage());
    browser = await openBrowser('with 3-D');
  }, 60_000);
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.context().close();
    complaints = [];
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(from: Browser, options = {}): Promise<Page> {
    const page = await (await from.newContext(options)).newPage();
    opened.push(page);
    const address = pathToFileURL(join(folder, 'report.html')).href;
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (request.url() !== address && !request.url().startsWith('data:')) complaints.push(request.url());
    });
    await page.goto(address);
    return page;
  }

  it('draws charts with values under the cursor, and an episode that plays, without a network', async () => {
    const page = await open(browser);
    await page.waitForSelector('.plot canvas');
    const chart = page.locator('figure[aria-label="Success"]');
    await chart.locator('.u-over').hover();
    await page.waitForFunction(
      `!document.querySelector('figure[aria-label="Success"] .u-legend').textContent.includes('--')`,
    );
    expect(await chart.locator('[role=img]').getAttribute('aria-label')).toMatch(/^Success\. all, last 20, /);
    const frame = page.locator('input[aria-label=Frame]');
    expect(await frame.getAttribute('max')).toBe(String(COUNT - 1));
    await expect.poll(async () => Number(await frame.inputValue()), { timeout: 30_000 }).toBeGreaterThan(0);
    await page.locator('.scrubber button').click();
    await frame.fill('3');
    await expect.poll(() => page.textContent('.scrubber output')).toBe('0.1 of 0.8 s');
    expect((await page.locator('.stage canvas').screenshot()).length).toBeGreaterThan(10_000);
    // The tip's way so far, and the depth that counts as success.
    expect((await page.getAttribute('.closeup polyline', 'points'))!.split(' ')).toHaveLength(4);
    expect(await page.textContent('.closeup text')).toBe('success');
    expect(complaints).toEqual([]);
  }, 90_000);

  it.runIf(IS_LONG)(
    'has the last frame on paper and no bar, and charts in the colours of paper, also from a dark screen',
    async () => {
      const page = await open(browser, { reducedMotion: 'reduce', colorScheme: 'dark' });
      await page.waitForSelector('.still', { state: 'attached' });
      expect(await gridLight(page)).toBeLessThan(100);
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('.still').isVisible()).toBe(true);
      expect(await page.locator('.scrubber').isVisible()).toBe(false);
      expect((await page.locator('.still').screenshot()).length).toBeGreaterThan(5000);
      await expect.poll(() => gridLight(page)).toBeGreaterThan(200);
    },
    60_000,
  );

  /** How bright the lines between which the first chart draws are, 0 to 255: what it has most of. */
  async function gridLight(page: Page): Promise<number> {
    return page.evaluate(`(() => {
      const canvas = document.querySelector('.plot canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const counts = new Array(256).fill(0);
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) counts[data[i + 1]]++;
      return counts.indexOf(Math.max(...counts));
    })()`);
  }

  it('is read without JavaScript', async () => {
    const page = await open(browser, { javaScriptEnabled: false });
    expect(await page.textContent('noscript')).toMatch(/^What is drawn needs JavaScript/);
    expect(await page.textContent('figure[aria-label="Success"]')).toContain('all, last 20, without help over');
    expect(await page.textContent('h1')).toBe('8 of 12 training episodes succeeded');
  }, 60_000);

  it('says what is missing where a browser has no 3-D, and draws its charts', async () => {
    const flat = await openBrowser('without 3-D');
    try {
      const page = await open(flat);
      await page.waitForSelector('.plot canvas');
      await page.waitForSelector('text=This browser draws no 3-D (WebGL). All else of the page works.');
    } finally {
      await flat.close();
    }
  }, 60_000);
});
