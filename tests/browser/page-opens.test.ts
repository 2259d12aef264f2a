/** The monitor's page where something of it is missing: what a browser stores, its script, or a view. Stop is always there. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowserBecause, openBrowser } from '../support/browser.ts';
import { PageStage } from '../support/page-stage.ts';

const token = 'an-operators-token-123456';
let browser: Browser;
let stage: PageStage;

beforeAll(async () => {
  if (noBrowserBecause !== undefined) return;
  stage = await PageStage.open({ token, guests: 'watch' });
  browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

async function stops(page: Page, act: () => Promise<unknown>): Promise<void> {
  stage.takeKinds();
  await act();
  await expect.poll(() => stage.takeKinds()).toEqual(['stop']);
  await page.context().close();
}

describe.skipIf(noBrowserBecause !== undefined)('the page', { timeout: 60_000 }, () => {
  it('opens where the browser stores nothing, and operates', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, 'localStorage', {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    });
    await page.goto(`${stage.address}#token=${token}`);
    await page.fill('#name', 'Ada');
    await page.click('#take-over');
    await expect.poll(() => stage.asked.find(({ kind }) => kind === 'takeOver')).toMatchObject({ by: 'Ada' });
    await page.click('#sound');
    await stops(page, () => page.click('#stop'));
  });

  it.each([
    ['is still on its way', (page: Page) => page.route('**/main.js', () => undefined)],
    ['is there, and its style sheet still on its way', (page: Page) => page.route('**/main.css', () => undefined)],
    ['is missing', (page: Page) => page.route('**/main.js', (route) => route.abort())],
    [
      'fails',
      (page: Page) =>
        page.route('**/main.js', (route) =>
          route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("broken")' }),
        ),
    ],
  ])('stops the robot by its button and by space where its script %s', async (_, spoil) => {
    for (const act of [(page: Page) => page.click('#stop'), (page: Page) => page.keyboard.press('Space')]) {
      const page = await (await browser.newContext()).newPage();
      await spoil(page);
      await page.goto(`${stage.address}#token=${token}`, { waitUntil: 'commit' });
      await page.waitForSelector('#first-stop');
      await stops(page, async () => {
        await act(page);
        await page.waitForSelector('#first-stop p:text-is("Stop was sent.")');
      });
    }
  });

  it('stops the robot where no script may run at all', async () => {
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(stage.address);
    await stops(page, async () => {
      await page.click('#stop');
      await page.waitForSelector('body:has-text("Stop sent to the robot.")');
    });
  });

  it('is compressed, and asked for anew only where it has changed', async () => {
    const script = await fetch(`${stage.address}main.js`, { headers: { 'accept-encoding': 'gzip' } });
    const packed = Number(script.headers.get('content-length'));
    expect(packed).toBeLessThan(0.4 * (await script.arrayBuffer()).byteLength);
    const again = await fetch(`${stage.address}main.js`, { headers: { 'if-none-match': script.headers.get('etag')! } });
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
  });
});
