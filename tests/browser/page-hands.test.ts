/** Hands at the monitor's page other than at keys: a gamepad, and a finger on a stick of the screen. What the page asks for is judged, 50 times a second. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noBrowserBecause, openBrowser } from '../support/browser.ts';
import { PageStage, RELEASED_MS } from '../support/page-stage.ts';
import { until } from '../support/until.ts';

/** A gamepad of standard mapping, which scripts press. */
const FAKE_PAD = `
  const pad = { id: 'Test pad', connected: true, mapping: 'standard', axes: [0, 0, 0, 0] };
  pad.buttons = Array.from({ length: 17 }, () => ({ pressed: false }));
  navigator.getGamepads = () => [pad];
  globalThis.pad = pad;
`;

/** A gamepad whose layout the browser does not know. */
const STRANGE_PAD = `
  const pad = { id: 'Strange pad', connected: true, mapping: '', axes: [0, 0], buttons: [] };
  navigator.getGamepads = () => [null, pad];
  globalThis.pad = pad;
`;

let browser: Browser;
let stage: PageStage;

beforeAll(async () => {
  if (noBrowserBecause === undefined) browser = await openBrowser();
}, 60_000);
afterAll(() => browser?.close());
beforeEach(async () => {
  if (noBrowserBecause === undefined) stage = await PageStage.open();
});
afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
  await stage?.close();
});

async function openPage(script = '', options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  const page = await browser.newPage(options);
  await page.addInitScript(script);
  await page.goto(stage.address);
  await page.waitForSelector('#take-over:not([disabled])');
  return page;
}

/** The page has asked for control, and gets it. */
async function isGivenControl(device: string): Promise<void> {
  await expect.poll(() => stage.asked.at(-1)).toMatchObject({ kind: 'takeOver', device });
  stage.frame({ state: 'active.human' });
}

/** It asks for no motion, and goes on so for ten messages. */
async function isStill(): Promise<void> {
  await expect.poll(() => stage.isMoving).toBe(false);
  for (let k = 0; k < 10; k++) {
    const seen = stage.motions;
    await until(() => stage.motions > seen, 'a message');
    expect(stage.isMoving).toBe(false);
  }
}

describe.skipIf(noBrowserBecause !== undefined)('hands at the page', { timeout: 60_000 }, () => {
  it('take over by the button of a gamepad that enables, move by its sticks while it is down, and give back', async () => {
    const page = await openPage(FAKE_PAD);
    await page.evaluate('pad.axes[0] = -1');
    await page.evaluate('pad.buttons[4].pressed = true');
    await isGivenControl('Test pad');
    await expect.poll(() => stage.motion[1]).toBeGreaterThan(0.3);
    expect(stage.isEnabled).toBe(true);
    await page.evaluate('pad.axes[0] = 0.5');
    await expect.poll(() => stage.motion[1]).toBeLessThan(-0.1);
    // The stick alone moves nothing.
    await page.evaluate('pad.buttons[4].pressed = false');
    await isStill();
    stage.takeKinds();
    await page.evaluate('pad.buttons[9].pressed = true');
    await expect.poll(() => stage.takeKinds()).toContain('giveBack');
  });

  it('stop by a gamepad while no frame comes, and do nothing else by it', async () => {
    const page = await openPage(FAKE_PAD);
    stage.fallSilent();
    await expect.poll(() => page.textContent('#state')).toContain('no news');
    stage.takeKinds();
    await page.evaluate('pad.buttons[4].pressed = pad.buttons[0].pressed = true');
    await page.evaluate('pad.buttons[1].pressed = true');
    await expect.poll(() => stage.asked.map(({ kind }) => kind)).toContain('stop');
    expect(new Set(stage.takeKinds())).toEqual(new Set(['stop']));
  });

  it('move nothing by a gamepad whose layout the browser does not know, and are told what to do', async () => {
    const page = await openPage(STRANGE_PAD);
    await page.click('#take-over');
    await expect.poll(() => stage.takeKinds()).toContain('takeOver');
    stage.frame({ state: 'active.human' });
    await page.waitForSelector('#unknown-pad');
    expect(await page.textContent('#unknown-pad')).toMatch(
      /does not know the layout of Strange pad.*--operator gamepad/s,
    );
    await page.evaluate('pad.axes[0] = -1; pad.buttons[4] = { pressed: true }');
    await isStill();
    expect(stage.takeKinds()).not.toContain('takeOver');
    await page.evaluate("pad.mapping = 'standard'; pad.axes = [0, 0, 0, 0]");
    await page.waitForSelector('#unknown-pad', { state: 'detached' });
  });

  it('move by a finger on a stick of the screen while it is there', async () => {
    const page = await openPage('', { hasTouch: true, viewport: { width: 420, height: 900 } });
    const finger = await page.context().newCDPSession(page);
    const stick = page.locator('.pad').first();
    await page.click('#take-over');
    stage.frame({ state: 'active.human' });
    const by = { operator: 'browser', person: await page.inputValue('.person input') };
    stage.status({ operator: { driving: 'a person at the page', keys: '', by } });
    await stick.scrollIntoViewIfNeeded();
    const touch = async (type: 'touchStart' | 'touchMove', left: number): Promise<void> => {
      const { x, y, width, height } = (await stick.boundingBox())!;
      const touchPoints = [{ x: x + width * (0.5 - 0.4 * left), y: y + height / 2 }];
      await finger.send('Input.dispatchTouchEvent', { type, touchPoints });
    };
    await touch('touchStart', 0);
    await isStill();
    for (const left of [1, -1]) {
      await touch('touchMove', left);
      await expect.poll(() => left * stage.motion[1]!).toBeGreaterThan(0.3);
    }
    await expect.poll(() => page.textContent('.hands')).toContain('You drive, by touch.');
    stage.takeKinds();
    await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.waitForTimeout(RELEASED_MS);
    expect(stage.isMoving).toBe(false);
    await isStill();
    // Letting go keeps control.
    expect(stage.isEnabled).toBe(true);
    expect(stage.takeKinds()).toEqual([]);
  });

  it.each([
    ['with its view', "document.querySelector('nav button:last-child').click()"],
    ['with the seat', "document.querySelector('#leave').click()"],
  ])('let go of a stick of the screen that goes %s while a finger is on it', async (_, leave) => {
    const page = await openPage('', { hasTouch: true, viewport: { width: 420, height: 900 } });
    const finger = await page.context().newCDPSession(page);
    const stick = page.locator('.pad').first();
    await page.click('#take-over');
    await page.waitForSelector('#leave');
    stage.frame({ state: 'active.human' });
    await stick.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await stick.boundingBox())!;
    const touch = (left: number) => [{ x: x + width * (0.5 - 0.4 * left), y: y + height / 2 }];
    await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: touch(0) });
    await finger.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: touch(1) });
    await expect.poll(() => stage.isMoving).toBe(true);
    await page.evaluate(leave);
    await page.waitForSelector('.pad', { state: 'detached' });
    await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.waitForTimeout(RELEASED_MS);
    if (leave.includes('#leave')) await page.click('#take-over');
    await isStill();
  });
});
