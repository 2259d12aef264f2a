/** Keys at the monitor's page: what moves the robot ends where the key is let go of, and space stops it from everywhere. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowserBecause, openBrowser } from '../support/browser.ts';
import { PageStage, RELEASED_MS } from '../support/page-stage.ts';
import { insist } from '../support/until.ts';

let browser: Browser;
let stage: PageStage;
let page: Page;
let cdp: CDPSession;

/** One page for all: what is tried is keys. */
beforeAll(async () => {
  if (noBrowserBecause !== undefined) return;
  stage = await PageStage.open();
  browser = await openBrowser();
  page = await browser.newPage();
  await page.goto(stage.address);
  await page.waitForSelector('#take-over:not([disabled])');
  cdp = await page.context().newCDPSession(page);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

function key(type: 'keyDown' | 'keyUp', code: string, prints: string, modifiers = 0): Promise<void> {
  const windowsVirtualKeyCode = code.charCodeAt(3);
  return cdp
    .send('Input.dispatchKeyEvent', { type, code, key: prints, modifiers, windowsVirtualKeyCode })
    .then(() => undefined);
}

const KEYS = ['KeyW', 'KeyS', 'KeyA', 'KeyD', 'KeyR', 'KeyF', 'KeyQ', 'KeyE'] as const;
const [ALT, META, SHIFT] = [1, 4, 8] as const;
/** What is pressed while the key is down, and what the key prints then. */
const MEANWHILE = [
  { name: 'nothing', prints: 'd' },
  { name: 'Shift', code: 'ShiftLeft', sign: 'Shift', modifiers: SHIFT, prints: 'D' },
  { name: 'AltGr', code: 'AltRight', sign: 'AltGraph', modifiers: 0, prints: 'ð' },
  { name: 'Option', code: 'AltLeft', sign: 'Alt', modifiers: ALT, prints: '∂' },
  // macOS says of no key that it goes up meanwhile.
  { name: 'Meta', code: 'MetaLeft', sign: 'Meta', modifiers: META, prints: undefined },
  { name: 'another layout', prints: 'в' },
] as const;

describe.skipIf(noBrowserBecause !== undefined)('keys at the page', { timeout: 60_000 }, () => {
  it('move the robot while they are down, and not 100 ms longer, whatever else is pressed', async () => {
    await page.click('#take-over');
    await expect.poll(() => stage.motions).toBeGreaterThan(0);
    const still: string[] = [];
    for (const code of KEYS) {
      for (const meanwhile of MEANWHILE) {
        const press = async (): Promise<void> => {
          // A page that the machine held up has lost its seat.
          if ((await page.locator('#leave').count()) === 0) await page.click('#take-over');
          await key('keyDown', code, 'd');
        };
        await insist(press, () => stage.isMoving, `motion by ${code}`);
        const modifier = 'code' in meanwhile ? meanwhile : undefined;
        if (modifier !== undefined) await key('keyDown', modifier.code, modifier.sign, modifier.modifiers);
        if (meanwhile.prints !== undefined) await key('keyUp', code, meanwhile.prints, modifier?.modifiers);
        await page.waitForTimeout(RELEASED_MS);
        if (stage.isMoving) still.push(`${code}, ${meanwhile.name}`);
        if (modifier !== undefined) await key('keyUp', modifier.code, modifier.sign);
        await key('keyUp', code, 'd');
      }
    }
    expect(still).toEqual([]);
  });

  it.each(['Space', 'Escape'])(
    '%s stops from every view, whatever has the focus, and presses no button',
    async (stopKey) => {
      await page.click('.tab:has-text("Live")');
      stage.takeKinds();
      for (const place of ['#start', '#take-over', '#stop', '#sound', '#speed', '#capsules', '.tab', '#keys summary']) {
        if ((await page.locator(place).count()) === 0) continue;
        await page.locator(place).first().focus();
        await page.keyboard.press(stopKey);
        await expect.poll(() => stage.takeKinds(), { message: place }).toEqual(['stop']);
      }
      for (const title of ['Training', 'Why', 'Episodes', 'Health']) {
        await page.click(`.tab:has-text("${title}")`);
        await page.keyboard.press(stopKey);
        await expect.poll(() => stage.takeKinds(), { message: title }).toEqual(['stop']);
      }
    },
  );

  it('write a name with blanks in its field', async () => {
    await page.click('.tab:has-text("Live")');
    if ((await page.locator('#leave').count()) > 0) await page.click('#leave');
    await page.fill('#name', '');
    stage.takeKinds();
    await page.locator('#name').pressSequentially('Ada L');
    expect(await page.inputValue('#name')).toBe('Ada L');
    expect(stage.takeKinds()).toEqual([]);
  });

  it('are not pressed again by Enter where a button moved the robot: the focus has left it', async () => {
    await page.click('#take-over');
    await page.waitForSelector('#start:not([disabled])');
    for (const id of ['start', 'give-back', 'take-over']) {
      await page.click(`#${id}`);
      expect(await page.evaluate('document.activeElement.id'), id).toBe('');
    }
  });

  it('reach Stop at the second Tab', async () => {
    await page.reload();
    await page.waitForSelector('#stop');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('stop');
  });

  it('stand in a list of the page', async () => {
    await page.click('#keys summary');
    expect(await page.textContent('#keys dl')).toMatch(/space Esc.*stop the robot.*W S.*x, more and less/);
  });
});
