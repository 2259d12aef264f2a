/** What the monitor's page says of who drives, and of what stopped the robot: by state and latch, each to whom it is said. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowserBecause, openBrowser } from '../support/browser.ts';
import { PageStage } from '../support/page-stage.ts';

let browser: Browser;
let stage: PageStage;
let [ada, guest]: Page[] = [];

beforeAll(async () => {
  if (noBrowserBecause !== undefined) return;
  stage = await PageStage.open();
  browser = await openBrowser();
  [ada, guest] = await Promise.all([browser.newPage(), browser.newPage()]);
  for (const page of [ada!, guest!]) await page.goto(stage.address);
  await ada!.fill('#name', 'Ada');
  await ada!.click('#sit');
  await ada!.waitForSelector('#leave');
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const badge = (page: Page): Promise<string | null> => page.textContent('#state');
const inControl = (page: Page): Promise<string | null> =>
  page.locator('.figures li').first().locator('strong').textContent();

describe.skipIf(noBrowserBecause !== undefined)('the badge', { timeout: 60_000 }, () => {
  it('says you to who drives alone', async () => {
    stage.frame({ state: 'active.human' });
    stage.status({ operator: { driving: 'Ada at the page', keys: '', by: { operator: 'browser', person: 'Ada' } } });
    await expect.poll(() => badge(ada!)).toBe('◆ you drive');
    await expect.poll(() => badge(guest!)).toBe('◆ Ada drives');
    expect([await inControl(ada!), await inControl(guest!)]).toEqual(['you', 'Ada']);
  });

  it('says who stopped the robot, and which button lets it go on, whatever the guard follows', async () => {
    const held = { kind: 'stopped', by: "the loss of the operator's page" } as const;
    stage.status({
      operator: { driving: 'Ada at the page, stopped', keys: '', held, by: { operator: 'browser', person: 'Ada' } },
    });
    for (const page of [ada!, guest!]) {
      await expect.poll(() => badge(page)).toBe("■ stopped by the loss of the operator's page");
      expect(await page.textContent('#held')).toBe("Stopped by the loss of the operator's page. Start lets it go on.");
      expect(await inControl(page)).toBe('nobody');
    }
    // Start is the one button, also of who has not sat down: the seat is taken with it.
    await ada!.click('#leave');
    await ada!.waitForSelector('#sit');
    stage.takeKinds();
    await ada!.click('.wanted-now');
    await expect.poll(() => stage.takeKinds()).toEqual(['start']);
  });

  it('says that the robot waits where nobody has decided anything yet', async () => {
    stage.frame({ state: 'active.policy' });
    stage.status({ operator: { driving: 'nobody', keys: '', prompt: 'Show 1 of 2' } });
    await expect.poll(() => badge(guest!)).toBe('○ waits');
    const network = { ageMs: 4, leaseMs: 250 };
    stage.status({ operator: { driving: 'nobody', keys: '', prompt: 'Show 1 of 2', network } });
    await expect.poll(() => inControl(ada!)).toBe('you');
    expect(await inControl(guest!)).toBe('nobody');
    stage.status({ operator: { driving: 'scripted operator', keys: '' } });
    await expect.poll(() => badge(guest!)).toBe('▶ scripted operator drives');
  });

  it('says that nobody drives where there is no policy, also behind a person who has', async () => {
    stage.frame({ state: 'active.policy' });
    stage.status({ policy: { version: 0, ageS: null, learnerVersion: 0, isAbsent: true } });
    for (const driving of ['nobody', 'you']) {
      stage.status({ operator: { driving, keys: '' } });
      await expect.poll(() => badge(guest!)).toBe('○ no driver: it stands');
    }
    const policy = guest!.locator('.figures li', { hasText: 'policy' }).locator('strong').first();
    expect(await policy.textContent()).toBe('none');
    stage.status({ policy: { version: 0, ageS: null, learnerVersion: 0 } });
  });

  it('says what is wrong, and when Start is worth pressing', async () => {
    stage.frame({ state: 'fault' });
    stage.status({ operator: { driving: 'nobody', keys: '', held: { kind: 'fault', by: 'A servo is hot.' } } });
    await expect.poll(() => badge(guest!)).toBe('▲ fault');
    expect(await guest!.textContent('#held')).toBe('A servo is hot. Once the cause is gone, Start lets it go on.');
  });

  it('says you to who drives from a second page of theirs', async () => {
    await ada!.click('#leave');
    await guest!.fill('#name', 'Ada');
    await guest!.click('#sit');
    await guest!.waitForSelector('#leave');
    stage.frame({ state: 'active.human' });
    const by = { operator: 'browser', person: 'Ada (2)' };
    stage.status({ operator: { driving: 'Ada (2) at the page', keys: '', by } });
    await expect.poll(() => badge(guest!)).toBe('◆ you drive');
    expect(await badge(ada!)).toBe('◆ Ada (2) drives');
  });
});
