import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { savePolicy } from '../../bench/policy/steady-policy.ts';
import { SystemClock } from '../../src/model/index.ts';
import { stateName } from '../../src/rows/telemetry.ts';
import { noBrowserBecause, openBrowser, StreamWatcher } from '../support/browser.ts';
import { LiveRun, MONITOR_TOKEN, type Program } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { until as eventually, insist, TRY_MS } from '../support/until.ts';
import { Way } from '../support/way.ts';

/** Lease of a page's commands, then one policy step, then the brake from what a page moves by, s. */
const HOLDS_AFTER_S = 0.25 + 0.1 + 0.1;

/** A busy machine is given time. */
const until = (condition: () => boolean, what: string): Promise<boolean> => eventually(condition, what, 40_000);

let run: LiveRun;
let robot: Program;
let address: string;
let watcher: StreamWatcher;
let browser: Browser | undefined;

beforeAll(async () => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-monitor-')));
  const policy = await savePolicy(join(run.folder, 'good'));
  const config = run.mockConfig();
  // An episode that ends under a person's hand leaves the robot `ready`, whatever the page does.
  writeFileSync(config, readFileSync(config, 'utf8').replace('task: {', 'task: { maxSteps: 10000,'));
  robot = run.start('run', '--policy', policy, '--config', config, '--out', 'robot', ...run.monitored());
  await until(() => /monitor: http\S+/.test(robot.said()), 'the address of the monitor');
  address = /monitor: (http\S+)/.exec(robot.said())![1]!;
  watcher = new StreamWatcher(address, { token: MONITOR_TOKEN });
  // Nothing moves after start-up until a person says start.
  const asksFor = (words: string): boolean =>
    (watcher.all('status').at(-1)?.['operator'] as { prompt?: string } | undefined)?.prompt?.includes(words) === true;
  await until(() => asksFor('or Start at the page'), 'the sentence');
  expect(state()).toBe('standby');
  for (const kind of ['sit', 'start', 'leave']) watcher.ask({ kind });
  await until(() => state() === 'active.policy', 'the policy driving');
  await until(() => !asksFor('Start'), 'the sentence gone');
  if (noBrowserBecause === undefined) browser = await openBrowser();
}, 120_000);
afterAll(async () => {
  watcher?.close();
  await browser?.close();
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

/** Nobody sits at the robot any more. */
afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
  await until(() => watcher.all('operators').at(-1)?.['holder'] === '', 'the free seat');
  // Whatever a test that failed has left.
  if (state() === 'active.policy') return;
  for (const kind of ['sit', 'start', 'leave']) watcher.ask({ kind });
  await until(() => state() === 'active.policy', 'the policy driving again');
});

async function openPage(at = address, words = ''): Promise<Page> {
  const page = await browser!.newPage();
  await page.goto(`${at}#token=${MONITOR_TOKEN}${words}`);
  await page.bringToFront();
  await page.waitForSelector('#take-over');
  return page;
}

it('is watched by whoever is on this machine, with no token or a stale one, and moved by none of them', async () => {
  for (const hello of [{}, { token: MONITOR_TOKEN.slice(1) }]) {
    const guest = new StreamWatcher(address, hello);
    await until(() => guest.all('operators').length > 0 && guest.frames.length > 0, 'a guest');
    expect(guest.all('operators').at(-1)).toMatchObject({ right: 'watch' });
    guest.ask({ kind: 'sit' });
    await until(
      () => guest.all('notice').some(({ line }) => String(line).includes('shows the robot only')),
      'the refusal',
    );
    guest.close();
  }
});

const state = (): string => stateName(watcher.frame!);

/** Presses Start, from the seat. */
async function start(page: Page): Promise<void> {
  if (await page.isVisible('#sit')) await page.click('#sit');
  await page.waitForSelector('#leave');
  await page.click('#start');
}

/** A page that was too late for its lease has stopped the robot, which stands until somebody presses Start. */
async function startWhereItStands(page: Page): Promise<void> {
  if (state().startsWith('active') && !watcher.isHeld) return;
  await start(page);
  await eventually(() => state() === 'active.policy', 'the policy driving again', TRY_MS).catch(() => undefined);
}

/** The page takes over and moves along x, to where there is room. Resolves to the key that is held. */
async function drive(page: Page): Promise<string> {
  let [before, key] = [0, 'w'];
  const begin = async (): Promise<void> => {
    await page.keyboard.up(key);
    await startWhereItStands(page);
    await page.click('#take-over');
    await eventually(() => state() === 'active.human', 'the person in control', TRY_MS).catch(() => undefined);
    before = watcher.frame!.referenceTcp[0]!;
    key = before > watcher.frames[0]!.referenceTcp[0]! ? 's' : 'w';
    await page.keyboard.down(key);
  };
  const moves = (): boolean => state() === 'active.human' && Math.abs(watcher.frame!.referenceTcp[0]! - before) > 0.002;
  await insist(begin, moves, 'the arm moving');
  return key;
}

/** On the clock that stamps the robot's frames: the machine's. */
const nowS = (): number => new SystemClock().nowS();

/** When the reference moved last, s after `sinceS`. */
function movedUntilS(sinceS: number): number {
  let last = 0;
  const { frames } = watcher;
  for (let i = 1; i < frames.length; i++) {
    const [a, b] = [frames[i - 1]!.referenceTcp, frames[i]!.referenceTcp];
    if ([0, 1, 2].some((k) => Math.abs(a[k]! - b[k]!) > 1e-6)) last = Math.max(last, frames[i]!.sentAtS - sinceS);
  }
  return last;
}

/** How far the reference went along x since frame `from`, m. Where it was put elsewhere, for a new episode, it did not go. */
function wentForwardM(from: number): number {
  let sum = 0;
  const { frames } = watcher;
  for (let i = Math.max(1, from); i < frames.length; i++) {
    const step = [0, 1, 2].map((k) => frames[i]!.referenceTcp[k]! - frames[i - 1]!.referenceTcp[k]!);
    if (step.every((way) => Math.abs(way) < 0.003)) sum += step[0]!;
  }
  return Math.abs(sum) < 1e-6 ? 0 : sum;
}

/** Carries the phone with its clutch held until the reference went 5 mm. Where the page was too late for its lease the clutch is taken anew. */
async function carry(page: Page, where: 'forward' | 'back'): Promise<void> {
  const from = watcher.frames.length;
  const sign = where === 'forward' ? 1 : -1;
  await page.evaluate(`phone.speed = ${-0.002 * sign}`);
  const isThere = (): boolean => sign * wentForwardM(from) > 0.005;
  for (let tried = 0; tried < 10 && !isThere(); tried++) {
    if (state() !== 'active.human' || watcher.isHeld) await page.click('#start');
    await page.evaluate("press('selectend'); press('selectstart')");
    await eventually(isThere, 'the arm moving', 3000).catch(() => undefined);
  }
  expect(isThere()).toBe(true);
}

/** Half a second of frames. */
async function aMoment(): Promise<void> {
  const from = watcher.frames.length;
  await until(() => watcher.frames.length > from + 25, 'frames');
}

/** Waits until the robot has stood for most of a second, beyond `HOLDS_AFTER_S`; the policy did not take over by itself. */
async function staysHeld(): Promise<void> {
  await nextFrames(65);
  const last = watcher.frames.slice(-40);
  expect(last.filter((frame) => stateName(frame) === 'active.policy')).toEqual([]);
  const [first] = last;
  for (const { referenceTcp } of last) {
    expect(Math.max(...referenceTcp.map((value, i) => Math.abs(value - first!.referenceTcp[i]!)))).toBeLessThan(1e-6);
  }
}

async function nextFrames(count: number): Promise<void> {
  const from = watcher.frames.length;
  await until(() => watcher.frames.length > from + count, `${count} frames`);
}

/** A person at a page that is seated lets the robot go on. */
async function goOn(page: Page): Promise<void> {
  await insist(
    () => start(page),
    () => state() === 'active.policy',
    'the policy driving again',
  );
  await page.click('#leave');
}

/** A phone whose place in the room, and whose finger, scripts move: `navigator.xr` as a browser that tracks it has it. */
const FAKE_PHONE = `
  const phone = { x: 0, y: 0, z: 0, speed: 0 };
  setInterval(() => { phone.z += phone.speed; }, 20);
  const finger = { targetRayMode: 'screen', targetRaySpace: {}, profiles: [] };
  const transform = () => ({ position: { ...phone }, orientation: { x: 0, y: 0, z: 0, w: 1 } });
  const frame = { getViewerPose: () => ({ transform: transform(), emulatedPosition: false }) };
  class Session extends EventTarget {
    visibilityState = 'visible';
    inputSources = [];
    updateRenderState() {}
    async requestReferenceSpace() { return new EventTarget(); }
    requestAnimationFrame(draw) { setTimeout(() => this.isOver || draw(0, frame), 15); }
    async end() { this.isOver = true; this.dispatchEvent(new Event('end')); }
  }
  const session = new Session();
  const xr = { isSessionSupported: async (mode) => mode === 'immersive-ar', requestSession: async () => session };
  Object.defineProperty(navigator, 'xr', { value: xr });
  globalThis.XRWebGLLayer = class {};
  HTMLCanvasElement.prototype.getContext = () => ({ bindFramebuffer() {}, clearColor() {}, clear() {} });
  globalThis.phone = phone;
  globalThis.press = (type) => session.dispatchEvent(Object.assign(new Event(type), { inputSource: finger }));
`;

describe.skipIf(noBrowserBecause !== undefined)('a robot and its operators in browsers', { timeout: 180_000 }, () => {
  it('is taken over by keys, moves by them, and goes back to its policy when it is given back', async () => {
    const page = await openPage();
    const driveAndGiveBack = async (): Promise<void> => {
      await page.keyboard.up(await drive(page));
      await page.click('#give-back');
    };
    await insist(driveAndGiveBack, () => state() === 'active.policy', 'the policy driving again');
    const reports = watcher.all('intervention');
    expect(reports[0]).toMatchObject({ isActive: true, operator: 'browser', decidedBy: 'human' });
    await until(
      () => watcher.all('intervention').some(({ isActive }) => isActive === false),
      'the end of the intervention',
    );
    expect(run.journal('robot').some(({ source }) => source === 'human_correct')).toBe(true);
    // What the page said is kept: of the base's directions, and then of the tool's.
    const said = (): string => readFileSync(join(run.folder, 'robot/operator-browser.jsonl'), 'utf8');
    expect(said()).toMatch(/"kind":"takeOver","device":"keyboard"/);
    expect(said()).not.toContain('"frame":"tool"');
    await page.selectOption('#directions', 'tool');
    await until(() => said().includes('"frame":"tool"'), 'the choice of the tool');
    await page.close();
  });

  it.runIf(IS_LONG)('follows a phone while a finger holds the clutch, and not without', async () => {
    const page = await browser!.newPage();
    await page.addInitScript(FAKE_PHONE);
    await page.goto(`${address}#token=${MONITOR_TOKEN}`);
    await page.click('#sit');
    await page.click('#track');
    await page.waitForSelector('.over-camera:not([hidden])');
    // Away from the person is forward.
    await carry(page, 'forward');
    await page.evaluate("press('selectend')");
    await aMoment();
    const from = watcher.frames.length;
    await aMoment();
    expect(wentForwardM(from)).toBe(0);
    // Taken up far from where it was let go of.
    await carry(page, 'back');
    await page.evaluate("press('selectend')");
    await page.click('#track');
    await page.click('#give-back');
    await until(() => state() === 'active.policy', 'the policy driving again');
    await page.close();
  });

  it.runIf(IS_LONG)('refuses a second operator while the first is there', async () => {
    const first = await openPage();
    await first.click('#sit');
    await first.waitForSelector('#leave');
    const second = await openPage();
    const from = watcher.frames.length;
    await second.click('#take-over');
    await second.waitForSelector('.messages .for-you');
    expect(await second.textContent('.messages')).toContain('operates the robot');
    await nextFrames(20);
    expect(watcher.frames.slice(from).map(stateName)).not.toContain('active.human');
    await first.click('#leave');
    await first.close();
    await second.close();
  });

  it.runIf(IS_LONG)('holds when the tab is closed in motion, and the policy does not take over by itself', async () => {
    const page = await openPage();
    await drive(page);
    const closing = page.close();
    // The seat is free as soon as the server knows of the end.
    await until(() => watcher.all('operators').at(-1)?.['holder'] === '', 'the free seat');
    const closedAtS = nowS();
    await closing;
    await staysHeld();
    expect(movedUntilS(closedAtS)).toBeLessThan(HOLDS_AFTER_S);
    const next = await openPage();
    await goOn(next);
    await next.close();
  });

  it('holds when the page freezes in motion', async () => {
    const page = await openPage();
    const key = await drive(page);
    // Longer than the seat's lease nothing of the page runs; what it was sent meanwhile it answers afterwards, all at once.
    const frozenMs = await page.evaluate<number>(
      '(() => { const at = Date.now(); while (Date.now() < at + 1400); return at; })()',
    );
    const frozenAtS = nowS() - (Date.now() - frozenMs) / 1e3;
    await staysHeld();
    expect(movedUntilS(frozenAtS)).toBeLessThan(HOLDS_AFTER_S);
    await page.keyboard.up(key);
    // It has lost the seat meanwhile, and takes it again.
    await goOn(page);
  });

  it('holds when the network between them goes away in motion', async () => {
    const way = await Way.to(address);
    const page = await openPage(way.address);
    await drive(page);
    const cutAtS = nowS();
    way.cut();
    await staysHeld();
    expect(movedUntilS(cutAtS)).toBeLessThan(HOLDS_AFTER_S);
    await page.close();
    way.pullOut();
    const next = await openPage();
    await until(() => watcher.all('operators').at(-1)?.['holder'] === '', 'the free seat');
    await goOn(next);
    await next.close();
  });

  it('goes on where there is no policy to go back to, and says so', async () => {
    for (const kind of ['sit', 'rollbackPolicy', 'leave']) watcher.ask({ kind });
    const isSaid = (): boolean => watcher.all('notice').some(({ line }) => String(line).includes('no earlier weights'));
    await until(isSaid, 'the sentence');
    // Between two episodes it is ready for a moment; nobody presses Start here.
    await until(() => state() === 'active.policy', 'the policy driving on');
  });

  it.runIf(IS_LONG)('goes on while strangers flood its monitor, and who operates it is heard', async () => {
    const memoryMb = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${robot.child.pid}/status`, 'utf8'))![1]) / 1024;
    const before = memoryMb();
    const from = watcher.frames.length;
    const { host, port } = new URL(address);
    const strangers = Array.from({ length: 300 }, () => createConnection(Number(port), '127.0.0.1'));
    for (const stranger of strangers) stranger.on('error', () => undefined);
    const hello = JSON.stringify({ kind: 'hello', token: MONITOR_TOKEN });
    const floods = [hello, hello, 'nobody', 'nobody'].map(
      (first) =>
        new Promise<void>((resolve) => {
          const flood = new WebSocket(`ws://${host}/stream`);
          flood.on('error', () => resolve());
          flood.on('close', () => resolve());
          flood.on('open', () => {
            flood.send(first);
            for (let i = 0; i < 5000; i++) flood.send(i % 2 === 0 ? '{"kind":"start"}' : Buffer.alloc(4000));
          });
        }),
    );
    await Promise.all(floods);
    await until(() => watcher.frames.length > from + 25, 'half a second of frames');
    expect(memoryMb() - before).toBeLessThan(100);
    expect(watcher.frame!.violations).toBe(0);
    // Output that is no terminal, and may be kept.
    expect(robot.said()).not.toContain(MONITOR_TOKEN);
    watcher.ask({ kind: 'stop' });
    await until(() => state() === 'stopped' || state() === 'stopping', 'the stop');
    for (const stranger of strangers) stranger.destroy();
  });

  it.runIf(IS_LONG)('is stopped from a page that may only watch', async () => {
    const page = await openPage(address, '&watch');
    await page.waitForSelector('#take-over:disabled');
    await page.click('#stop');
    await until(() => state() === 'stopped' || state() === 'stopping', 'the stop');
    await staysHeld();
    await page.close();
    const next = await openPage();
    await next.click('#sit');
    await next.waitForSelector('#leave');
    await insist(
      () => next.click('#reset'),
      () => state() !== 'stopped' && state() !== 'stopping',
      'the acknowledgement',
    );
    // A reset moves nothing: start does.
    await staysHeld();
    await goOn(next);
    await next.close();
  });
});
