/**
 * `npm run bench -- leader`: two emulated arms under `rein teleop`. Delay of the follower's goals on the bus behind the leader's joints,
 * their final deviation, and the time for which reading the leader blocks its thread.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadRobotFile } from '../../src/config/index.ts';
import { driverSpec } from '../../src/config/setup.ts';
import { quantile, ReinError, SystemClock } from '../../src/model/index.ts';
import { LeaderSource } from '../../src/session/leader-source.ts';
import type { Pose } from './arm-process.ts';
import { TwoArms } from './two-arms.ts';

const BIN = fileURLToPath(new URL('../../../bin/rein.js', import.meta.url));
const PATIENCE_S = 30;
const SAID_END = 2000;
const FIRST_MOTION_MS = 12_000;
const READS = 500;
const READ_EVERY_S = 0.02;
const OPENINGS = 10;
/** Motion of the hand, there and back: rad, in s. */
const WAY_RAD = 0.3;
const WAY_S = 1.5;
/** Goals this close to the ends of the motion are excluded, as the joint may have stood still, rad. */
const ENDS_RAD = 0.02;

export interface LeaderBenchResult {
  readonly rateHz: number;
  /** Delay from the leader's joint position to that goal on the follower's bus, ms. */
  readonly delayMs: Spread;
  /** Largest difference of any joint after both stood still, rad. */
  readonly standsOffRad: number;
  /** Time from unplugging the leader in motion to the last new goal, ms. */
  readonly stopMs: number;
  /** Time for which one read of the leader blocks its thread, and for which opening it does, ms. */
  readonly readMs: Spread;
  readonly openMs: Spread;
}

interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly count: number;
}

/** `rounds`: motions there and back. */
export async function leaderBench(rateHz: number, rounds: number): Promise<LeaderBenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-leader-bench-'));
  const arms = await TwoArms.open(folder);
  try {
    const { readMs, openMs } = await costsOf(arms);
    const { delayMs, standsOffRad, stopMs } = await driven(arms, folder, rateHz, rounds);
    return { rateHz, delayMs, standsOffRad, stopMs, readMs, openMs };
  } finally {
    await arms.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function leaderBenchText({ rateHz, delayMs, standsOffRad, stopMs, readMs, openMs }: LeaderBenchResult): string {
  return [
    `leader → goal on the follower's bus, ${rateHz} actions/s: ${textOf(delayMs)}`,
    `follower stands off by ${(1e3 * standsOffRad).toFixed(1)} mrad at most`,
    `the follower stands ${stopMs.toFixed(0)} ms after the leader is unplugged in motion`,
    `a read of the leader blocks its thread for ${textOf(readMs)}`,
    `opening it does for ${textOf(openMs)}`,
  ].join('\n');
}

function textOf({ p50, p99, max, count }: Spread): string {
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms (${count})`;
}

function spreadOf(values: readonly number[]): Spread {
  const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(values, q)) as [number, number, number];
  return { p50, p99, max, count: values.length };
}

/** Measures the leader alone, in this thread. */
async function costsOf(arms: TwoArms): Promise<Pick<LeaderBenchResult, 'readMs' | 'openMs'>> {
  const { robot } = loadRobotFile(arms.leader);
  const scenes = { scene: () => fail('a leader is in no scene'), surroundings: undefined };
  const spec = driverSpec(robot, { name: 'bench', signalNames: [] }, scenes);
  const [reads, openings]: [number[], number[]] = [[], []];
  for (let i = 0; i < OPENINGS; i++) {
    const leader = new LeaderSource(spec, robot);
    const startMs = performance.now();
    await leader.open();
    openings.push(performance.now() - startMs);
    for (let k = 0; k < READS / OPENINGS; k++) {
      const readMs = performance.now();
      leader.read();
      reads.push(performance.now() - readMs);
      await sleep(READ_EVERY_S * 1e3);
    }
    await leader.close();
  }
  return { readMs: spreadOf(reads), openMs: spreadOf(openings) };
}

async function driven(
  arms: TwoArms,
  folder: string,
  rateHz: number,
  rounds: number,
): Promise<Pick<LeaderBenchResult, 'delayMs' | 'standsOffRad' | 'stopMs'>> {
  const out = join(folder, 'out');
  const places = ['--robot', arms.robot, '--config', arms.config, '--out', out, '--operator', 'none'];
  const pace = ['--moves', 'joints', '--rate', String(rateHz), '--speed', '0.5', '--start', 'now'];
  const child = spawn(process.execPath, [BIN, 'teleop', ...places, ...pace], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // Status lines are reduced to their state.
    said += text.replace(/^\d+:\d\d (\w+) \|.*\n/gm, '$1\n');
  });
  try {
    await begin(arms, child, () => said);
    const delays: number[] = [];
    let standsOffRad = 0;
    for (let i = 0; i < rounds; i++) {
      for (const awayRad of [WAY_RAD, 0]) {
        await Promise.all([arms.seen('leader'), arms.seen('follower')]);
        await arms.lead({ shoulder_pan: awayRad, wrist_flex: -awayRad, gripper: -awayRad }, WAY_S);
        await sleep(700);
        const [leader, follower] = await Promise.all([arms.seen('leader'), arms.seen('follower')]);
        delays.push(...delaysMs(leader.poses, follower.goals));
        const [wanted, is] = [leader.poses.at(-1)!, follower.poses.at(-1)!];
        if (follower.goals.length < 2) fail(said.slice(-SAID_END));
        standsOffRad = Math.max(standsOffRad, ...wanted.jointsRad.map((rad, k) => Math.abs(rad - is.jointsRad[k]!)));
      }
    }
    return { delayMs: spreadOf(delays), standsOffRad, stopMs: await unpluggedMs(arms) };
  } finally {
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    await exit;
  }
}

async function unpluggedMs(arms: TwoArms): Promise<number> {
  void arms.lead({ shoulder_pan: 2 * WAY_RAD }, 2 * WAY_S);
  await sleep(WAY_S * 1e3);
  const atS = await arms.fault('leader', 'unplug');
  await sleep(WAY_S * 1e3);
  const lastS = (await arms.seen('follower')).goals.at(-1)?.atS ?? Number.NaN;
  if (!(lastS >= atS)) fail('the follower stood before the leader was unplugged, or never moved.');
  return 1e3 * (lastS - atS);
}

/** Resolves once the follower holds, the leader is there, and the clutch is closed. */
async function begin(arms: TwoArms, child: ChildProcess, said: () => string): Promise<void> {
  const clock = new SystemClock();
  const untilS = clock.nowS() + PATIENCE_S;
  while (!said().includes('running') || (await arms.seen('follower')).torqued === 0) {
    if (child.exitCode !== null || clock.nowS() > untilS) fail(said().slice(-SAID_END));
    await sleep(100);
  }
  // Each joint makes its first motion.
  await sleep(FIRST_MOTION_MS);
  arms.pedal('down');
  await sleep(500);
}

/** Delays of the first joint, which moves at constant speed: from the time when the leader was at a goal. */
function delaysMs(leader: readonly Pose[], goals: readonly Pose[]): number[] {
  const first = leader[0]!.jointsRad[0]!;
  const last = leader.at(-1)!.jointsRad[0]!;
  const [least, most] = [Math.min(first, last) + ENDS_RAD, Math.max(first, last) - ENDS_RAD];
  return goals.flatMap(({ atS, jointsRad: [rad = Number.NaN] }) => {
    if (!(rad > least && rad < most)) return [];
    const after = leader.findIndex(({ jointsRad }) => (jointsRad[0]! - rad) * (last - first) >= 0);
    const [a, b] = [leader[after - 1]!, leader[after]!];
    const share = (rad - a.jointsRad[0]!) / (b.jointsRad[0]! - a.jointsRad[0]!);
    return [1e3 * (atS - a.atS - share * (b.atS - a.atS))];
  });
}

function fail(why: string): never {
  throw new ReinError('environment', `The bench of the leader arm failed: ${why}`);
}
