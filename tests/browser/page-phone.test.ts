/** The monitor's page on a phone and in small windows: what moves the robot, what is seen of it and Stop are on one screen. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowserBecause, openBrowser } from '../support/browser.ts';
import { PageStage } from '../support/page-stage.ts';

let browser: Browser;
let stage: PageStage;
let page: Page;

beforeAll(async () => {
  if (noBrowserBecause !== undefined) return;
  stage = await PageStage.open();
  const tool = {
    positionM: [0.4, 0, 0.3],
    forceN: 0,
    jointsM: [
      [0, 0, 0],
      [0, 0, 0.4],
      [0.4, 0, 0.3],
    ],
  };
  stage.status({ tool });
  browser = await openBrowser();
  page = await (
    await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  ).newPage();
  await page.route('**/api/episodes?*', (route) =>
    route.fulfill({
      json: [
        {
          episode: 0,
          purpose: 'training',
          success: true,
          endedBy: 'success',
          steps: 9,
          traced: 9,
          returnSum: 1,
          interventions: 0,
          interventionSteps: 0,
          atMs: 0,
        },
      ],
    }),
  );
  await page.goto(stage.address);
  await page.click('#sit');
  await page.waitForSelector('.pad');
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

/** Parts of the page that lie on the first screen, wholly. */
async function onScreen(...parts: string[]): Promise<string[]> {
  const { width, height } = page.viewportSize()!;
  const boxes = await Promise.all(parts.map((part) => page.locator(part).first().boundingBox()));
  return parts.filter((_, i) => {
    const box = boxes[i];
    return box != null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
  });
}

describe.skipIf(noBrowserBecause !== undefined)('a phone', { timeout: 60_000 }, () => {
  it('has picture, sticks, take-over and Stop on one screen, all tabs in a line, and nothing beside it', async () => {
    const parts = ['.scene', '.pad >> nth=0', '.pad >> nth=1', '#take-over', '#stop', '.tab >> nth=0', '.tab >> nth=4'];
    await page.evaluate('scrollTo(0, 0)');
    expect(await onScreen(...parts)).toEqual(parts);
    expect(await page.locator('.keys').isVisible()).toBe(false);
    const heights = await page
      .locator('.tab')
      .evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(50);
  });

  it.each(['Live', 'Training', 'Why', 'Episodes', 'Health'])(
    'scrolls nothing of %s sideways; it has a heading, and what may scroll is reached by keys',
    async (title) => {
      await page.click(`.tab:has-text("${title}")`);
      await page.waitForSelector(`main[id="view-${title.toLowerCase()}"] > *`);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(await page.locator('h1').count()).toBe(1);
      expect(await page.locator('.scroll:not([tabindex="0"])').count()).toBe(0);
    },
  );

  it('shows episodes as cards, each figure with its name', async () => {
    await page.click('.tab:has-text("Episodes")');
    const cell = page.locator('tbody td[data-head=steps]');
    await cell.waitFor();
    const style = "getComputedStyle(document.querySelector('td[data-head=steps]'), '::before').content";
    expect(await page.evaluate(style)).toBe('"steps"');
    expect(await onScreen('tbody td[data-head=at]')).toHaveLength(1);
  });

  it('goes back to the view before', async () => {
    await page.click('.tab:has-text("Live")');
    await page.click('.tab:has-text("Health")');
    await page.goBack();
    await page.waitForSelector('#view-live');
    await page.goForward();
    await page.waitForSelector('#view-health');
  });

  it('draws the arm as lines where there is no WebGL, and says so beside no legend', async () => {
    await page.click('.tab:has-text("Live")');
    expect(await page.textContent('.flat')).toContain('This browser draws no 3-D (WebGL)');
    expect(await page.locator('.flat polyline').first().getAttribute('points')).toBe('0,0 0,-0.4 0.4,-0.3');
    expect(await page.locator('.scene .legend').count()).toBe(0);
  });

  it('says when something was said, and keeps nothing of before it was opened at the top', async () => {
    stage.say('notice', { line: 'Said now.', atMs: Date.now() - 86_400_000 });
    await page.waitForSelector('.messages p:has-text("Said now.")');
    // Of another day.
    expect(await page.textContent('.messages time')).toMatch(/\d+\/\d+\/\d+/);
    await page.reload();
    await page.waitForSelector('.figures');
    expect(await page.locator('.messages p').count()).toBe(0);
    await page.click('.tab:has-text("Health")');
    await page.waitForSelector('.log li:has-text("Said now.")');
  });
});

describe.skipIf(noBrowserBecause !== undefined)('a window of 1024 by 768', { timeout: 60_000 }, () => {
  it('leaves the bars of the safety chain four letters at least', async () => {
    const small = await browser.newPage({ viewport: { width: 1024, height: 768 } });
    stage.frame({ stageTicks: new Float64Array(9).fill(123_456) });
    await small.goto(stage.address);
    await small.waitForSelector('.stages li');
    const widths = await small
      .locator('.stages meter')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(4 * 15);
    expect(await small.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await small.close();
  });
});
