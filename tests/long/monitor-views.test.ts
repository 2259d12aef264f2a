import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRelabelling } from '../../src/record/index.ts';
import { decodeJson, encodeJson, type FrameView, kindOf, stateName } from '../../src/rows/telemetry.ts';
import { VELOCITY_LIMITED } from '../../src/safety/bits.ts';
import { STAGES } from '../../src/safety/chain-report.ts';
import { noBrowserBecause, openBrowser, StreamWatcher } from '../support/browser.ts';
import { LiveRun, SMALL_LEARNER } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { until as eventually, insist, TRY_MS } from '../support/until.ts';

const LONG = `task:
  demonstrations: 2
  estimate: { errorM: 0.0005, heightErrorM: 0.0002, yawErrorRad: 0.005 }
  training: { steps: 100000, minimumSteps: 100000 }
${SMALL_LEARNER}`;
/** A laptop's window, and a small phone's. */
const DESKTOP = { width: 1280, height: 800 } as const;
const PHONE = { width: 375, height: 667 } as const;

const until = (condition: () => boolean, what: string): Promise<boolean> => eventually(condition, what, 60_000);

let run: LiveRun;
let address: string;
let watcher: StreamWatcher;
let browser: Browser | undefined;
/** What pages said that they should not have, and where they asked. */
const complaints: string[] = [];
const asked = new Set<string>();

beforeAll(async () => {
  if (noBrowserBecause !== undefined) return;
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-views-')));
  writeFileSync(join(run.folder, 'long.yaml'), LONG);
  const robot = run.start(
    ...['sim', '--task', 'insert', '--config', 'long.yaml'],
    ...['--out', 'runs/now', '--monitor', '127.0.0.1:0'],
  );
  await until(() => /monitor: http\S+/.test(robot.said()), 'the address of the monitor');
  address = /monitor: (http\S+)/.exec(robot.said())![1]!;
  watcher = new StreamWatcher(address);
  await until(() => watcher.all('episode').length > 6 && watcher.all('diagnosis').length > 0, 'episodes and checks');
  cpSync(join(run.folder, 'runs/now/metrics.jsonl'), join(copyOf('earlier'), 'metrics.jsonl'));
  browser = await openBrowser('with 3-D');
}, 120_000);
afterAll(async () => {
  watcher?.close();
  await browser?.close();
  await run?.end();
  if (run !== undefined) rmSync(run.folder, { recursive: true, force: true });
});

function copyOf(name: string): string {
  const folder = join(run.folder, 'runs', name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function open(
  view: string,
  viewport: { readonly width: number; readonly height: number } = DESKTOP,
  prepare?: (page: Page) => Promise<void>,
): Promise<Page> {
  const page = await browser!.newPage({ viewport });
  await prepare?.(page);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${view}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${view}: ${error.message}`));
  page.on('request', (request) => asked.add(new URL(request.url()).host));
  await page.goto(`${address}?view=${view}`);
  await page.waitForSelector(`#view-${view} > *:not(.empty)`);
  return page;
}

/** Records of the run so far. */
function metrics(): Record<string, unknown>[] {
  const lines = readFileSync(join(run.folder, 'runs/now/metrics.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Of the list of episodes, as far as it is looked at here. */
interface Listed {
  readonly episode: number;
  readonly steps: number;
  readonly traced: number;
}

const isDriven = (): boolean => stateName(watcher.frame!) === 'active.human';

const newest = <T>(key: string): T => watcher.all('status').at(-1)?.[key] as T;

describe.skipIf(noBrowserBecause !== undefined)('a simulation that trains', { timeout: 120_000 }, () => {
  it('is taken over from the page, counts it as an intervention of that person, and goes on training', async () => {
    // The machine trains at full speed: 3-D would be drawn by the same CPU.
    const plain = await openBrowser();
    const page = await plain.newPage();
    await page.goto(address);
    await page.bringToFront();
    await page.fill('#name', 'Ada');
    let before = Number.POSITIVE_INFINITY;
    const drive = async (): Promise<void> => {
      await page.keyboard.up('a');
      if (watcher.isHeld) await page.click('#start');
      await page.click('#take-over');
      await eventually(isDriven, 'the person in control', TRY_MS).catch(() => undefined);
      before = watcher.frame!.referenceTcp[1]!;
      await page.keyboard.down('a');
    };
    const moves = (): boolean => isDriven() && watcher.frame!.referenceTcp[1]! - before > 0.002;
    await insist(drive, moves, 'the arm moving to the left');
    await page.keyboard.up('a');
    await page.click('#give-back');
    const segments = (): Record<string, unknown>[] =>
      metrics().filter(({ kind, operator }) => kind === 'segment' && operator === 'browser');
    await until(() => segments().length > 0, 'the record of the intervention');
    expect(segments()[0]).toMatchObject({ cause: 'tookOver', device: 'keyboard', person: 'Ada' });
    // A segment is written when it ends: its episode is the next that does.
    const after = (): Record<string, unknown>[] => {
      const records = metrics();
      return records.slice(records.findIndex(({ operator }) => operator === 'browser'));
    };
    await until(() => after().some(({ kind }) => kind === 'episode'), 'the end of its episode');
    expect(after().find(({ kind }) => kind === 'episode')!['interventions']).toBeGreaterThan(0);
    const [steps, updates] = [newest<number>('envSteps'), newest<number>('updates')];
    await until(() => newest<number>('envSteps') > steps + 50 && newest<number>('updates') > updates, 'more training');
    await plain.close();
  });
});

/** Counts the notes that a page plays, which nobody hears here. */
const FAKE_SOUND = `
  let notes = 0;
  const node = { connect: () => node, frequency: {}, start: () => { document.body.dataset.notes = String(++notes); }, stop: () => undefined };
  node.gain = { setValueAtTime: () => undefined, exponentialRampToValueAtTime: () => undefined };
  globalThis.AudioContext = class {
    currentTime = 0;
    resume() { return Promise.resolve(); }
    createOscillator() { return node; }
    createGain() { return node; }
  };
`;

/** Luminance of a page's ground, and how parts of it stand out from theirs (WCAG 2.2, relative luminance and contrast). */
const CONTRASTS = `(() => {
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (value) => (value <= 0.04045 * 255 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const groundOf = (element) => {
    const colour = numbers(getComputedStyle(element).backgroundColor);
    return colour.length === 4 && colour[3] === 0 ? groundOf(element.parentElement) : colour;
  };
  const contrastOf = (element) => {
    const pair = [numbers(getComputedStyle(element).color), groundOf(element)].map(luminance).sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  };
  const parts = ['main h2', '.soft', '.badge', '#stop', '.tab', '.tab[aria-current]', '.machine dt', '.machine dd', 'td .sign', 'th'];
  const contrasts = parts.map((part) => [part, contrastOf(document.querySelector(part))]);
  return { back: luminance(groundOf(document.body)), contrasts: Object.fromEntries(contrasts) };
})()`;

const EPISODE = {
  episode: 7,
  purpose: 'training',
  success: true,
  endedBy: 'success',
  returnSum: 1,
  interventions: 1,
  interventionSteps: 1,
  atMs: 0,
};

/** An episode as a trace has it, whose last step a person decides and the limiter changes. */
function traceOf(frames: readonly FrameView[]): unknown {
  const steps = frames.map((frame, i) => ({
    episode: 7,
    step: i,
    source: i === 0 ? 0 : 2,
    policyVersion: 1,
    reward: i,
    marginMin: 0.5,
    filterBits: i === 0 ? 0 : VELOCITY_LIMITED,
    observation: [],
    policyAction: [0.1, 0, 0, 0],
    humanAction: i === 0 ? [null] : [-0.5],
    executed: [0.2, 0, 0, 0],
    frame: {
      ...Object.fromEntries(
        Object.entries(frame).map(([key, value]) => [
          key,
          typeof value === 'number' ? value : [...(value as Float64Array)],
        ]),
      ),
      stageTicks: STAGES.map((name) => (i === 1 && name === 'limiter' ? 3 : 0)),
    },
  }));
  return { ...EPISODE, stepCount: steps.length, every: 1, steps };
}

describe.skipIf(noBrowserBecause !== undefined)(
  "the monitor's views of a running simulation",
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      // A simulation keeps real time for whoever has taken over: the machine has room for the browser then.
      const takeOver = async (): Promise<void> => {
        for (const kind of ['sit', 'takeOver']) {
          watcher.ask({ kind, shownAtS: watcher.frame!.sentAtS, device: 'keyboard' });
        }
      };
      await insist(takeOver, () => stateName(watcher.frame!) !== 'active.policy', 'the person in control');
    }, 60_000);

    it('draws the robot by its own shapes, and says what the safety chain does', async () => {
      const page = await open('live');
      await page.waitForSelector('canvas[data-shapes]:not([data-shapes="0"])');
      // One colour alone would be packed into much less.
      expect((await page.locator('.scene canvas').screenshot()).length).toBeGreaterThan(10_000);
      await page.check('#capsules');
      expect(await page.textContent('.figures')).toMatch(/in control.*margin.*policy.*learner/s);
      expect(await page.locator('.stages li').allTextContents()).toHaveLength(STAGES.length);
      expect(await page.textContent('.tank figcaption')).toMatch(/Energy tank: [\d.]+ J, \d+ % full/);
      expect(await page.textContent('.cameras')).toBe('No camera: this task observes none.');
      await page.close();
    });

    it('draws training figures, with those of a run beside it, smoothed', async () => {
      const page = await open('training');
      await page.waitForSelector('.chart canvas');
      const titles = await page.locator('.chart figcaption').allTextContents();
      expect(titles).toEqual(
        expect.arrayContaining(['Success', 'Return', 'Interventions', 'What there is to learn from']),
      );
      expect(await page.locator('.chart', { hasText: 'Return' }).locator('.u-series').count()).toBe(2);
      await page.click('#runs summary');
      await page.click('#runs input[value=earlier]');
      await page.waitForSelector('.chart .u-series:has-text("earlier: return")');
      await page.selectOption('#smoothing', '0.9');
      const over = page.locator('.chart', { hasText: 'Return' }).locator('.u-over');
      await over.hover({ position: { x: 1, y: 40 } });
      await page.waitForFunction("!document.querySelector('.chart .u-legend').textContent.includes('--')");
      await page.close();
    });

    it.runIf(IS_LONG)('lists the episodes of the trace, and plays one of them back', async () => {
      const page = await open('episodes');
      // The newest may be one that was cut at once.
      const wholeOnes = async (): Promise<readonly Listed[]> => {
        const listed = (await (await fetch(`${address}api/episodes`)).json()) as readonly Listed[];
        return listed.filter(({ steps, traced }) => steps > 3 && traced === steps);
      };
      await expect.poll(wholeOnes, { timeout: 60_000 }).not.toEqual([]);
      const { episode } = (await wholeOnes()).at(-1)!;
      await page.getByRole('button', { name: `Play back episode ${episode}`, exact: true }).click();
      await page.waitForSelector('.player canvas');
      expect(Number(await page.getAttribute('#scrubber', 'max'))).toBeGreaterThan(2);
      await page.waitForSelector('#decided-by:not(:empty)');
      await page.close();
    });

    it('plays an episode back, and says at each step who wanted what and what became of it', async () => {
      const page = await open('episodes', DESKTOP, async (made) => {
        await made.route('**/api/episodes?*', (route) =>
          route.fulfill({ json: [{ ...EPISODE, steps: 2, traced: 2 }] }),
        );
        await made.route('**/api/episodes/7', (route) => route.fulfill({ json: traceOf(watcher.frames.slice(-2)) }));
      });
      await page.click('button.look');
      await page.waitForSelector('.player canvas');
      await page.waitForSelector('#decided-by:text-is("policy")');
      expect(await page.locator('.wanted tbody tr').first().locator('td').allTextContents()).toEqual([
        '0.10',
        '–',
        '0.20',
      ]);
      await page.focus('#scrubber');
      await page.keyboard.press('ArrowRight');
      await page.waitForSelector('#decided-by:text-is("human_correct")');
      expect(await page.locator('.wanted tbody tr').first().locator('td').allTextContents()).toEqual([
        '0.10',
        '-0.50',
        '0.20',
      ]);
      expect(await page.textContent('.wanted')).toMatch(
        /velocityLimited: A joint would have moved too fast.*limiter: changed 3 ticks/s,
      );
      await page.close();
    });

    it.runIf(IS_LONG)(
      'relabels an episode as rein relabel does, takes it back, and not from a page that may only watch',
      async () => {
        const page = await open('episodes');
        await page.locator('tbody tr', { hasText: 'training' }).first().locator('.relabel-it').click();
        await page.click('.relabel .say:text-is("failure")');
        expect(await page.textContent('.relabel')).toContain('not for the learner that runs now');
        await page.click('#say-it');
        await page.waitForSelector('.said li');
        const [first] = readRelabelling(join(run.folder, 'runs/now')).all;
        expect(first).toMatchObject({ kind: 'outcome', success: false, epoch: 1 });
        expect(await page.textContent('.messages')).toContain('It counts wherever this run is learned from later.');
        await page.click('.said button');
        await page.waitForSelector('.said', { state: 'detached' });
        expect(readRelabelling(join(run.folder, 'runs/now')).all).toEqual([]);
        await page.goto('about:blank');
        await page.goto(`${address}?view=episodes#watch`);
        await page.waitForSelector('tbody tr:has-text("training")');
        expect(await page.locator('.relabel-it').count()).toBe(0);
        // Whoever asks all the same is refused.
        const visitor = new StreamWatcher(address, { watchOnly: true });
        await until(() => visitor.frames.length > 0, 'the stream');
        visitor.ask({ kind: 'relabel', episode: 0, as: 'drop' });
        await until(
          () => visitor.all('notice').some(({ line }) => String(line).includes('cannot relabel')),
          'the refusal',
        );
        visitor.close();
        expect(readRelabelling(join(run.folder, 'runs/now')).all).toEqual([]);
        await page.close();
      },
    );

    it('shows a banner and sounds when the robot asks for help, until it is muted, which is remembered', async () => {
      const asked = 'The robot asks for help: no progress for 30 steps.';
      const prepare = async (made: Page): Promise<void> => {
        await made.addInitScript(FAKE_SOUND);
        await made.routeWebSocket(/\/stream$/, (route) => {
          const server = route.connectToServer();
          route.send(Buffer.from(encodeJson('event', { level: 'warn', name: 'asksForHelp', row: 0, message: asked })));
          server.onMessage((data) => {
            const bytes = new Uint8Array(data as Buffer);
            const isStatus = kindOf(bytes) === 'status';
            const status = isStatus ? (decodeJson(bytes) as Record<string, object>) : {};
            const asks = { ...status, operator: { ...status['operator'], prompt: asked } };
            route.send(isStatus ? Buffer.from(encodeJson('status', asks)) : data);
          });
        });
      };
      const page = await open('health', DESKTOP, prepare);
      expect(await page.textContent('.help-wanted')).toContain(asked);
      expect(await page.locator('body[data-notes]').count()).toBe(0);
      await page.keyboard.press('Tab');
      await page.waitForSelector('body[data-notes]');
      await page.click('#sound');
      await page.reload();
      await page.waitForSelector('.help-wanted');
      expect(await page.getAttribute('#sound', 'aria-pressed')).toBe('false');
      await page.keyboard.press('Tab');
      expect(await page.locator('body[data-notes]').count()).toBe(0);
      await page.close();
    });

    it('says why it is not learning, by sign, word, evidence and remedy', async () => {
      const page = await open('why');
      const rows = page.locator('.rows > li');
      expect(await rows.count()).toBe((watcher.all('diagnosis').at(-1) as unknown as readonly unknown[]).length);
      const states = await rows.evaluateAll((all) => all.map((row) => row.dataset['state'] as string));
      const signs = await page.locator('.rows .sign').allTextContents();
      const words: Record<string, string> = {
        ok: '✓ ok',
        bad: '✗ bad',
        warn: '▲ doubtful',
        unknown: '? not known yet',
      };
      expect(signs).toEqual(states.map((state) => words[state]));
      await page.close();
    });

    it('lists faults as they are now, and what runs where', async () => {
      const page = await open('health');
      expect(await page.locator('.faults tbody tr').count()).toBeGreaterThan(30);
      expect(await page.textContent('#fault-1')).toContain('The policy outputs NaN or infinity');
      expect(await page.textContent('#fault-1 .sign')).toBe('✓ clear');
      expect(await page.textContent('.machine')).toMatch(/rein sim, process \d+.*node/s);
      await page.close();
    });

    it.runIf(IS_LONG)('keeps Stop in sight on a phone in every view, and nothing wider than it', async () => {
      const page = await open('health', PHONE);
      for (const tab of await page.locator('nav .tab').all()) {
        await tab.click();
        const view = await tab.textContent();
        await page.waitForSelector('main > *:not(.empty)');
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        const box = (await page.locator('#stop').boundingBox())!;
        expect([view, box.y >= 0 && box.y + box.height <= PHONE.height]).toEqual([view, true]);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect([view, width]).toEqual([view, PHONE.width]);
      }
      await page.close();
    });

    it('is reached by keys alone: the view first, then every button', async () => {
      const page = await open('why');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.className')).toBe('skip');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
      await page.focus('#stop');
      for (const name of ['space stops', '♪ on', 'Live', 'Training']) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.innerText')).toContain(name);
      }
      await page.keyboard.press('Enter');
      await page.waitForSelector('#view-training');
      await page.close();
    });

    it('follows the system in dark and light, also while it is open, and can be read in both', async () => {
      const page = await open('health');
      const backs: number[] = [];
      for (const colorScheme of ['light', 'dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const seen = await page.evaluate<{ back: number; contrasts: Record<string, number> }>(CONTRASTS);
        backs.push(seen.back);
        for (const [part, contrast] of Object.entries(seen.contrasts)) {
          // AA of WCAG 2.2, 1.4.3.
          expect([colorScheme, part, contrast >= 4.5, contrast]).toEqual([colorScheme, part, true, contrast]);
        }
      }
      const [light, dark, again] = backs;
      expect(light).toBeGreaterThan(0.8);
      expect(dark).toBeLessThan(0.05);
      expect(again).toBe(light);
      await page.close();
    });

    it('complains of nothing, and asks nobody but its own server', () => {
      expect(complaints).toEqual([]);
      expect([...asked]).toEqual([new URL(address).host]);
    });
  },
);
