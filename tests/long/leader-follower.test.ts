/** Two emulated arms at serial ports: a person leads one, and the other follows under `rein teleop`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Pose } from '../../bench/leader/arm-process.ts';
import type { TwoArms } from '../../bench/leader/two-arms.ts';
import { stateName } from '../../src/rows/telemetry.ts';
import { noBrowserBecause, openBrowser, StreamWatcher } from '../support/browser.ts';
import { LiveRun, MONITOR_TOKEN, type Program } from '../support/live-run.ts';
import { until as eventually } from '../support/until.ts';

/** Compiled, as the processes of the arms are. */
const { TwoArms: Arms } = (await import(
  new URL('../../dist/bench/leader/two-arms.js', import.meta.url).href
)) as typeof import('../../bench/leader/two-arms.ts');

/** A busy machine lets emulated servos answer late: a slow tick waits for them. */
const CONTROL_HZ = 20;
const TRY_MS = 5000;
/** Each joint is tried before anything else moves. */
const FIRST_MOTION_MS = 25_000;
const TRIES = 8;
/** Counts, and a dead band of the servos. */
const NEAR_RAD = 0.03;

let run: LiveRun;
let arms: TwoArms;
let program: Program;
let watcher: StreamWatcher;
let address: string;

beforeAll(async () => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-leader-test-')));
  arms = await Arms.open(run.folder, CONTROL_HZ);
  const places = ['--robot', arms.robot, '--config', arms.config, '--out', 'out', '--operator', 'none'];
  program = run.start('teleop', ...places, '--moves', 'joints', '--speed', '0.5', '--start', 'now', ...run.monitored());
  await eventually(() => /monitor: http\S+/.test(program.said()), 'the monitor', 60_000);
  address = /monitor: (http\S+)/.exec(program.said())![1]!;
  watcher = new StreamWatcher(address, { token: MONITOR_TOKEN });
  await eventually(() => watcher.frame !== undefined, 'a frame', 60_000);
}, 120_000);
afterAll(async () => {
  watcher?.close();
  await run.end();
  await arms?.close();
  rmSync(run.folder, { recursive: true, force: true });
});

const state = (): string => stateName(watcher.frame!);
const joint = (pose: Pose, name: string): number => pose.jointsRad[arms.jointNames.indexOf(name)]!;

/** Somebody at the monitor presses Start, until the robot stands ready. */
async function goOn(): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    for (const kind of ['sit', 'start', 'leave']) watcher.ask({ kind });
    const isReady = eventually(() => state().startsWith('active'), 'the robot ready', FIRST_MOTION_MS);
    if (await isReady.then(() => true).catch(() => false)) return;
  }
  throw new Error(`the robot stays ${state()}: ${program.said().slice(-2000)}`);
}

/** The clutch is closed where leader and follower are. A busy machine may have stopped the robot. */
async function closeClutch(): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    arms.pedal('up');
    if (!state().startsWith('active')) await goOn();
    await sleep(200);
    arms.pedal('down');
    const isHeld = eventually(() => state() === 'active.human', 'the leader in control', TRY_MS);
    if (await isHeld.then(() => true).catch(() => false)) return;
  }
  throw new Error(`nobody is in control: ${state()}`);
}

async function standsAt(): Promise<Pose> {
  await sleep(300);
  return (await arms.seen('follower')).poses.at(-1)!;
}

/** Largest change of any goal among `goals`, rad. */
function movedRad(goals: readonly Pose[]): number {
  return Math.max(
    0,
    ...goals.flatMap(({ jointsRad }) => jointsRad.map((rad, i) => Math.abs(rad - goals[0]!.jointsRad[i]!))),
  );
}

it('moves the follower with the leader while the clutch is closed, from wherever both are', async () => {
  await goOn();
  await eventually(() => program.said().includes('Leader arm so101-leader'), 'the leader', TRY_MS);
  await standsAt();
  // Without a clutch it leads nobody.
  await arms.lead({ shoulder_pan: 0.4, elbow_flex: 0.2 }, 0.5);
  expect(movedRad((await arms.seen('follower')).goals)).toBe(0);

  const way = { shoulder_pan: -0.3, wrist_flex: 0.2, gripper: -0.25 };
  for (let tries = 1; ; tries++) {
    await closeClutch();
    await arms.lead({ shoulder_pan: 0.4, elbow_flex: 0.2 }, 0);
    const from = await standsAt();
    if (tries === 1) expect(movedRad((await arms.seen('follower')).goals)).toBeLessThan(0.01);
    await arms.lead({ shoulder_pan: 0.1, elbow_flex: 0.2, wrist_flex: 0.2, gripper: -0.25 }, 1.5);
    await sleep(400);
    const at = await standsAt();
    const went = Object.keys(way).map((name) => joint(at, name) - joint(from, name));
    const isThere = Object.values(way).every((rad, i) => Math.abs(went[i]! - rad) < NEAR_RAD);
    if (isThere) break;
    if (tries === TRIES) expect(went).toEqual(Object.values(way));
    arms.pedal('up');
    await arms.lead({ shoulder_pan: 0.4, elbow_flex: 0.2 }, 1);
  }
  expect(watcher.all('intervention').at(-1)).toMatchObject({ isActive: true, operator: 'leader', decidedBy: 'human' });
}, 240_000);

it('stops the follower when the leader is unplugged, and it stays until a person lets it go on', async () => {
  let from: Pose;
  for (let tries = 1; ; tries++) {
    await closeClutch();
    await arms.lead({}, 1.5);
    from = await standsAt();
    const led = arms.lead({ shoulder_pan: 0.6 }, 3);
    await sleep(1000);
    const { poses } = await arms.seen('follower');
    // It goes along, and then its leader is gone.
    if (joint(poses.at(-1)!, 'shoulder_pan') - joint(from, 'shoulder_pan') > 0.05) break;
    expect(tries).toBeLessThan(TRIES);
    await led;
    arms.pedal('up');
    await arms.lead({ shoulder_pan: 0.1 }, 1);
  }
  const unpluggedAtS = await arms.fault('leader', 'unplug');
  await sleep(2500);
  const { goals, poses } = await arms.seen('follower');
  expect(joint(poses.at(-1)!, 'shoulder_pan') - joint(from, 'shoulder_pan')).toBeLessThan(0.4);
  // A tenth of a second until it counts as lost, two steps that a command lasts, and the brake; the hand went on for 2 s.
  expect(goals.at(-1)!.atS - unpluggedAtS).toBeLessThan(1);
  expect(program.said()).toContain('The leader arm was in control and can no longer be read');

  await arms.fault('leader', 'plug');
  await arms.lead({ shoulder_pan: 0.3 }, 1);
  await sleep(2000);
  arms.pedal('up');
  await sleep(300);
  arms.pedal('down');
  await standsAt();
  await arms.lead({ shoulder_pan: 0.5 }, 0.7);
  expect(movedRad((await arms.seen('follower')).goals)).toBe(0);

  for (let tries = 1; ; tries++) {
    await goOn();
    await closeClutch();
    const before = await standsAt();
    await arms.lead({ shoulder_pan: 0.5 - 0.1 * tries }, 0.7);
    const went = joint(await standsAt(), 'shoulder_pan') - joint(before, 'shoulder_pan');
    if (Math.abs(went + 0.1) < NEAR_RAD) break;
    expect(tries).toBeLessThan(TRIES);
  }
}, 240_000);

it.skipIf(noBrowserBecause !== undefined)(
  'gives way to a page of the monitor, which stops it',
  async () => {
    await closeClutch();
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`${address}#token=${MONITOR_TOKEN}`);
      await page.bringToFront();
      await page.waitForSelector('#take-over');
      await page.click('#sit');
      await page.waitForSelector('#leave');
      const byPage = (): boolean => watcher.all('intervention').at(-1)?.['operator'] === 'browser';
      for (let tries = 0; tries < TRIES && !byPage(); tries++) {
        if (!state().startsWith('active')) await page.click('#start');
        await page.click('#take-over');
        await eventually(byPage, 'the page in control', TRY_MS).catch(() => undefined);
      }
      expect(byPage()).toBe(true);
      await page.click('#stop');
      await eventually(() => !state().startsWith('active'), 'the stop', 4 * TRY_MS);
      await standsAt();
      await arms.lead({ shoulder_pan: -0.3 }, 0.7);
      expect(movedRad((await arms.seen('follower')).goals)).toBe(0);
    } finally {
      await browser.close();
    }
  },
  120_000,
);
