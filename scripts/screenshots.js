/**
 * Images of the monitor's views, and of a report, for the documents: a simulated run on a desktop, light and dark, and on a phone, into
 * `docs/images`. Takes three minutes and Chromium (apt install chromium, or CHROMIUM=path); images are as of the last time that this
 * script was run.
 *
 * node scripts/build.js && node scripts/screenshots.js [PART OF A NAME]
 */
import './node-version.js';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'docs/images');
const MOST_BYTES = 200_000;
/** Two runs of the same task, for comparison. */
const SETTINGS = 'task:\n  training: { steps: 100000, minimumSteps: 100000 }\n';
const EARLIER_MS = 25_000;
const LEARNS_MS = 45_000;

const DESKTOP = { viewport: { width: 1280, height: 820 } };
const DARK = { ...DESKTOP, colorScheme: 'dark' };
const PHONE = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true };

const SHOTS = [
  { name: 'monitor-live', view: 'live', at: DESKTOP, before: picture },
  { name: 'monitor-training', view: 'training', at: DESKTOP, before: compare },
  { name: 'monitor-why', view: 'why', at: DESKTOP },
  { name: 'monitor-episodes', view: 'episodes', at: DESKTOP, before: playBack },
  { name: 'monitor-health', view: 'health', at: DESKTOP },
  { name: 'monitor-live-dark', view: 'live', at: DARK, before: picture },
  { name: 'monitor-training-dark', view: 'training', at: DARK, before: charts },
  { name: 'monitor-why-dark', view: 'why', at: DARK },
  { name: 'monitor-episodes-dark', view: 'episodes', at: DARK, before: playBack },
  { name: 'monitor-health-dark', view: 'health', at: DARK },
  { name: 'monitor-live-phone', view: 'live', at: PHONE, before: takeOver },
  { name: 'monitor-training-phone', view: 'training', at: PHONE, before: charts },
  { name: 'monitor-why-phone', view: 'why', at: PHONE },
  { name: 'monitor-episodes-phone', view: 'episodes', at: PHONE, before: playBack },
  { name: 'monitor-health-phone', view: 'health', at: PHONE },
];

/** Part of the names of the images to take; empty for all. */
const only = process.argv[2] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'rein-screenshots-'));
writeFileSync(join(folder, 'long.yaml'), SETTINGS);
mkdirSync(out, { recursive: true });
const running = new Set();
let browser;
try {
  const earlier = await start('earlier', 1);
  await delay(EARLIER_MS);
  earlier.child.kill();
  await earlier.ended;
  const run = await start('insert', 2);
  await delay(LEARNS_MS);
  browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  for (const shot of SHOTS) if (shot.name.includes(only)) await take(run.address, shot);
  run.child.kill();
  await run.ended;
  if ('report'.includes(only)) await report('runs/insert');
} finally {
  await browser?.close();
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Starts a run; resolves with its process and address once its monitor answers. */
async function start(name, seed) {
  const args = ['sim', '--task', 'insert', '--seed', seed, '--config', 'long.yaml', '--out', `runs/${name}`];
  const child = spawn(process.execPath, [join(root, 'bin/rein.js'), ...args, '--monitor', '127.0.0.1:0'], {
    cwd: folder,
  });
  running.add(child);
  const ended = new Promise((resolve) => child.once('close', resolve)).then(() => running.delete(child));
  let said = '';
  const address = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        said += data;
        const found = /monitor: (http\S+)/.exec(said);
        if (found !== null) resolve(found[1]);
      });
    }
    child.once('close', () => reject(new Error(`The run has ended: ${said}`)));
  });
  return { child, ended, address };
}

async function take(address, { name, view, at, before }) {
  const context = await browser.newContext(at);
  const page = await context.newPage();
  await page.goto(`${address}?view=${view}`);
  await page.waitForSelector(`#view-${view} > *:not(.empty)`, { timeout: 60_000 });
  await before?.(page);
  await shoot(page, name);
  await context.close();
}

async function shoot(page, name) {
  const path = join(out, `${name}.png`);
  await page.screenshot({ path });
  const { size } = statSync(path);
  console.log(`${name}.png, ${Math.round(size / 1000)} kB`);
  if (size > MOST_BYTES) throw new Error(`${name}.png is larger than ${MOST_BYTES / 1000} kB`);
}

/** Takes the images of the report of a finished run. */
async function report(run) {
  const made = spawn(process.execPath, [join(root, 'bin/rein.js'), 'report', run], { cwd: folder });
  await new Promise((resolve) => made.once('close', resolve));
  for (const [name, at] of [
    ['report', DESKTOP],
    ['report-dark', DARK],
    ['report-phone', PHONE],
  ]) {
    const context = await browser.newContext(at);
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, run, 'report.html')).href);
    await page.locator('#learning').evaluate((heading) => heading.scrollIntoView());
    await shoot(page, name);
    await context.close();
  }
}

async function picture(page) {
  await page.waitForSelector('canvas[data-shapes]:not([data-shapes="0"])', { timeout: 60_000 });
  await page.waitForSelector('.tank canvas');
  await delay(6000);
}

async function charts(page) {
  await page.waitForSelector('.chart canvas', { timeout: 60_000 });
  await delay(1000);
}

async function compare(page) {
  await charts(page);
  await page.selectOption('#smoothing', '0.6');
  await page.click('#runs summary');
  await page.click('#runs input');
  await page.click('#runs summary');
  await delay(4000);
}

/** Shows the middle of an episode. Fails if the trace has none. */
async function playBack(page) {
  await page.locator('button.look').first().click({ timeout: 60_000 });
  await page.waitForSelector('canvas[data-shapes]:not([data-shapes="0"])', { timeout: 60_000 });
  const scrubber = page.locator('#scrubber');
  await scrubber.fill(String(Math.floor(Number(await scrubber.getAttribute('max')) / 2)));
  await delay(1500);
}

async function takeOver(page) {
  await page.waitForSelector('canvas[data-shapes]:not([data-shapes="0"])', { timeout: 60_000 });
  const driven = page.locator('.pads');
  // A machine that trains, and renders this page in software, may be too late once.
  for (let tried = 0; tried < 20 && (await driven.count()) === 0; tried++) {
    await page.click('#take-over');
    await delay(3000);
  }
  await driven.waitFor();
  await page.locator('.pads').scrollIntoViewIfNeeded();
  await delay(1500);
}

function findChromium() {
  const found = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
    (path) => path !== '' && existsSync(path),
  );
  if (found === undefined) throw new Error('No Chromium is installed (apt install chromium, or set CHROMIUM).');
  return found;
}
