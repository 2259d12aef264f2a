/** The guard's ROS half as real processes, on a ROS graph in memory: what happens when each of them dies, hangs or lies. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GuardConfig } from '../../src/guard/index.ts';
import { isRunning } from '../../src/host/index.ts';
import { SystemClock } from '../../src/model/index.ts';
import type { GuardAnswer, GuardNotice } from '../../src/rows/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { actConclusively, HELD_UP_S } from '../support/conclusive.ts';
import { rosOptions } from '../support/fake-ros-link.ts';
import { faultRow } from '../support/fault-row.ts';
import { HeldUp, heldUpS, type Span } from '../support/held-up.ts';
import { IS_LONG } from '../support/long.ts';
import { mockAction, mockModel } from '../support/mock-guard.ts';
import { compileRosHalf } from '../support/ros-memory/compile.ts';
import { tcpListeners } from '../support/tcp-listeners.ts';
import { until } from '../support/until.ts';

// Threads and processes run the compiled code: this version of Node cannot strip types.
const dist = '../../dist/guard';
const { startWorkerGuard } = (await import(
  `${dist}/worker-link.js`
)) as typeof import('../../src/guard/worker-link.ts');
const { createActionCommand } = (await import(
  `${dist}/link/frames.js`
)) as typeof import('../../src/guard/link/frames.ts');

const processes = { ...(await compileRosHalf()), rosArguments: [] };
const clock = new SystemClock();
const LEASE_S = 0.6;
const FRESHNESS_MS = 150;
let folder: string;

/** A folder that the processes which are started from now on work in. */
function openFolder(): void {
  folder = mkdtempSync(join(tmpdir(), 'rein-half-'));
  process.env['REIN_TEST_FOLDER'] = folder;
}

// Processes that end may write a last line meanwhile.
const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

describe('a guard whose robot is behind ROS', () => {
  type Guard = Awaited<ReturnType<typeof startWorkerGuard>>;
  let guard: Guard;
  let notices: GuardNotice[] = [];

  // One for all: what one of these does to it is over before the next.
  beforeAll(async () => {
    openFolder();
    const config: GuardConfig = {
      model: mockModel,
      action: mockAction,
      policyPeriodS: 0.1,
      // Six times the usual: these tests are about what happens, and a busy machine must not happen first.
      driver: { name: 'ros', options: rosOptions(mockModel, 'position', { freshnessMs: FRESHNESS_MS }), processes },
      socketPath: '',
      authority: 'node',
      realTimePriority: 'try',
    };
    guard = await startWorkerGuard(config);
    guard.onNotice((notice) => notices.push(notice));
  });

  beforeEach(async () => {
    for (const name of ['mode', 'acted', 'no-stopper']) rmSync(join(folder, name), { force: true });
    await comeBack(guard);
    for (const name of ['stops.log', 'commands.log', 'held-up.log']) rmSync(join(folder, name), { force: true });
    notices = [];
    await push(guard, 2);
  });

  afterAll(async () => {
    await guard.close();
    removeFolder();
  });

  it('follows commands', async () => {
    const before = Array.from(guard.latest.robot.positionRad);
    await push(guard, 10);
    expect([guard.latest.state, guard.latest.faultFlags]).toEqual(['active.policy', 0]);
    expect(guard.latest.robot.positionRad[5]! - before[5]!).toBeGreaterThan(0.01);
    expect(guard.latest.violations).toBe(0);
  });

  it.runIf(IS_LONG)('has a bridge and a stopper that let no debugger in on SIGUSR1', async () => {
    const { bridge, stopper } = guard.rosPids!;
    await actConclusively(
      async () => {
        await comeBack(guard);
        for (const pid of [bridge!, stopper!]) process.kill(pid, 'SIGUSR1');
        await push(guard, 10);
      },
      // A bridge that the machine keeps silent is lost for that.
      () => !rows(guard).includes(10),
    );
    expect([bridge!, stopper!].flatMap(tcpListeners)).toEqual([]);
    expect([guard.latest.state, guard.latest.faultFlags]).toEqual(['active.policy', 0]);
    // Neither has ended by it, nor started anew.
    expect(guard.rosPids).toEqual({ bridge, stopper });
  });

  faultRow(
    [10, 25],
    'real-time',
    'stops past a bridge that is killed, and moves nothing before acknowledge and enable',
    async () => {
      const bridge = guard.rosPids!.bridge!;
      const { ownMs } = await firstStop(() => process.kill(bridge, 'SIGKILL'), bridge);
      expect(ownMs).toBeLessThan(50);
      await until(() => logOf('stops.log').length >= 3, 'more than one stop');
      await until(() => guard.latest.state === 'fault', 'it to happen');
      expect(rows(guard)).toContain(10);
      // It comes back by itself, and hears no command.
      await until(() => notices.some(({ message }) => message.includes('is back')), 'it to happen');
      expect(notices.filter(({ level }) => level === 'error').map(({ row }) => row)).toContain(25);
      const commands = logOf('commands.log').length;
      await push(guard, 5);
      expect(logOf('commands.log')).toHaveLength(commands);
      expect(await guard.request({ kind: 'enable' })).toMatchObject({ ok: false });
      await granted(guard, 'acknowledge');
      await move(guard);
      await push(guard, 5);
      expect(logOf('commands.log').length).toBeGreaterThan(commands);
    },
  );

  faultRow(10, 'real-time', 'stops past a bridge that hangs, which obeys nothing old when it goes on', async () => {
    const { bridge } = guard.rosPids!;
    const hungAtS = clock.nowS();
    process.kill(bridge!, 'SIGSTOP');
    await until(() => logOf('stops.log').length >= 3, 'it to happen');
    // Twice the freshness, and what a tick and a busy machine add.
    expect(logOf('stops.log')[0]!.atS - hungAtS).toBeLessThan((2 * FRESHNESS_MS + 100) / 1000);
    await until(
      () => guard.latest.state === 'fault',
      `a fault, but it is ${guard.latest.state} ${guard.latest.faultFlags}`,
    );
    expect(rows(guard)).toContain(10);
    const commands = logOf('commands.log').length;
    await push(guard, 5);
    process.kill(bridge!, 'SIGCONT');
    await push(guard, 10);
    // It was told to stop meanwhile, and does: it holds where the joints are, and follows nothing.
    const after = logOf('commands.log').slice(commands);
    for (const { numbers } of after) expect(numbers).toEqual(after[0]!.numbers);
  });

  it.each(['silent', 'late'])('row 10: brakes, then stops, when joint states are %s', async (mode) => {
    writeFileSync(join(folder, 'mode'), mode);
    await keepPushing(guard, () => guard.latest.state === 'fault' || guard.latest.state === 'stopping');
    await until(() => guard.latest.state === 'fault', 'it to happen');
    expect(rows(guard)).toContain(10);
    expect(guard.latest.violations).toBe(0);
  });

  faultRow(
    11,
    'real-time',
    'takes garbage between the messages for what it is, and a bridge that sends little else for broken',
    async () => {
      writeFileSync(join(folder, 'mode'), 'garbage');
      await keepPushing(guard, () => guard.latest.state === 'fault');
      expect(rows(guard)).toContain(10);
      expect(guard.latest.robot.positionRad.every(Number.isFinite)).toBe(true);
      expect(guard.latest.violations).toBe(0);
    },
  );

  it.runIf(IS_LONG)(
    'goes to fault when it was stopped past a tick that was held up, although it only held',
    async () => {
      await guard.request({ kind: 'stop' });
      await until(() => guard.latest.state === 'stopped', 'it to stand');
      await granted(guard, 'acknowledge');
      await until(() => guard.latest.state === 'ready', 'it to hold');
      writeFileSync(join(folder, 'acted'), '');
      await until(() => guard.latest.state === 'fault', 'a fault');
      expect(rows(guard)).toContain(10);
    },
  );

  it('row 25: brakes and holds when what can only stop has died and is not back within a second', async () => {
    writeFileSync(join(folder, 'no-stopper'), '');
    const killedAtS = clock.nowS();
    process.kill(guard.rosPids!.stopper!, 'SIGKILL');
    const isSaid = (): boolean => notices.some(({ level, row }) => level === 'error' && row === 25);
    const limitMs = performance.now() + 60_000;
    while (!(isSaid() && guard.latest.state === 'stopped') && performance.now() < limitMs) {
      // A busy machine may have held a tick up, which stops the robot: it is let hold again, and then stopped for what is tried here.
      if (guard.latest.state === 'stopped') await guard.request({ kind: 'acknowledge' });
      await push(guard, 1);
    }
    expect(clock.nowS() - killedAtS).toBeGreaterThan(1);
    expect([guard.latest.state, guard.latest.violations]).toEqual(['stopped', 0]);
    const said = notices.filter(({ level, row }) => level === 'error' && row === 25);
    expect(said.map(({ message }) => message)).toEqual([expect.stringContaining('brakes and holds')]);
    rmSync(join(folder, 'no-stopper'));
    // Once it is back, the robot may go on: how soon is the machine's.
    const readyByMs = performance.now() + 60_000;
    while (guard.latest.state !== 'ready' && performance.now() < readyByMs) {
      if (guard.latest.state === 'stopped') await granted(guard, 'acknowledge');
      await guard.advance(50);
    }
    expect(guard.latest.state).toBe('ready');
  });

  it('says why it cannot be enabled', async () => {
    await guard.request({ kind: 'stop' });
    await until(() => guard.latest.state === 'stopped', 'it to happen');
    await guard.request({ kind: 'disable' });
    writeFileSync(join(folder, 'no-stopper'), '');
    process.kill(guard.rosPids!.stopper!, 'SIGKILL');
    // That it is back from the test before may still be on its way.
    const isItsEnd = ({ message }: GuardNotice): boolean =>
      message.includes('ROS stopper') && !message.includes('back');
    await until(() => notices.some(isItsEnd), 'its end');
    // A busy machine may have held a tick up.
    await guard.request({ kind: 'acknowledge' });
    expect(await guard.request({ kind: 'enable' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('ROS stopper is not ready'),
    });
  });
});

describe('the process that can only stop', () => {
  let guard: ChildProcess;
  let others: readonly number[] = [];

  beforeEach(openFolder);
  afterEach(removeFolder);
  // They write to the folder until they end.
  afterEach(async () => {
    guard.kill('SIGKILL');
    await until(() => !others.some(isRunning), 'the end of its processes');
  });

  faultRow(
    25,
    'real-time',
    "stops the robot within 50 ms of the guard's death, and holds where the joints are",
    async () => {
      let delay: StopDelay = { rawMs: Number.NaN, ownMs: Number.NaN, blindMs: Number.NaN };
      await actConclusively(
        async () => {
          for (const name of ['stops.log', 'held-up.log']) rmSync(join(folder, name), { force: true });
          const pids = await startHalf(1);
          delay = await firstStop(() => guard.kill('SIGKILL'), guard.pid!);
          await until(() => logOf('stops.log').length >= 6, 'all stops');
          await until(() => !isRunning(pids.stopper) && !isRunning(pids.bridge), 'it to happen');
        },
        () => delay.rawMs - delay.ownMs < 1e3 * HELD_UP_S && delay.blindMs < 1e3 * HELD_UP_S,
      );
      console.log(`guard dead → first stop, and less what the machine held up: ${delay.rawMs} (${delay.ownMs}) ms`);
      expect(delay.ownMs).toBeLessThan(50);
      for (const { numbers } of logOf('stops.log')) expect(numbers).toEqual([...mockModel.homeRad]);
    },
    240_000,
  );

  faultRow(24, 'real-time', 'stops the robot when the guard is frozen for 100 ms', async () => {
    let delay: StopDelay = { rawMs: Number.NaN, ownMs: Number.NaN, blindMs: Number.NaN };
    await actConclusively(
      async () => {
        for (const name of ['stops.log', 'held-up.log']) rmSync(join(folder, name), { force: true });
        await startHalf(1);
        delay = await firstStop(() => guard.kill('SIGSTOP'));
        await until(() => logOf('stops.log').length >= 6, 'it to happen');
        guard.kill('SIGKILL');
        await until(() => !others.some(isRunning), 'the end of its processes');
      },
      // One that is held up before it is frozen is stopped for that.
      () => delay.rawMs > 0 && delay.rawMs - delay.ownMs < 1e3 * HELD_UP_S,
    );
    const afterMs = delay.rawMs;
    // Its newest sign of life was up to a tick before, and what a busy machine held it up.
    expect(afterMs).toBeGreaterThan(65);
    expect(afterMs).toBeLessThan(160);
  });

  it('does nothing when there is nothing to stop', async () => {
    const pids = await startHalf(0);
    guard.kill('SIGKILL');
    await until(() => !isRunning(pids.stopper) && !isRunning(pids.bridge), 'both to end');
    expect(logOf('stops.log')).toEqual([]);
    // Nor does anything of it stay on the disk.
    expect(readdirSync(folder).filter((name) => name.startsWith('rein-ros-'))).toEqual([]);
  });

  it('ends with the guard and not with a signal that a service manager sends to all', async () => {
    const pids = await startHalf(1);
    process.kill(pids.stopper, 'SIGTERM');
    process.kill(pids.bridge, 'SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([isRunning(pids.stopper), isRunning(pids.bridge)]).toEqual([true, true]);
    expect(logOf('stops.log')).toEqual([]);
    guard.kill('SIGKILL');
    await until(() => logOf('stops.log').length >= 6, 'it to happen');
  });

  /** Resolves when both processes are ready and hear pulses of `kind`. */
  async function startHalf(kind: 0 | 1): Promise<{ bridge: number; stopper: number }> {
    const options = JSON.stringify({ model: mockModel, options: rosOptions(mockModel), ...processes });
    const env = { ...process.env, TMPDIR: folder };
    guard = fork(support('ros-half-guard.js'), [options, String(kind)], { env });
    for (;;) {
      const [message] = (await once(guard, 'message')) as [{ ready?: { bridge: number; stopper: number } }];
      if (message.ready === undefined) continue;
      others = [message.ready.bridge, message.ready.stopper];
      // It has to have heard one.
      await new Promise((resolve) => setTimeout(resolve, 100));
      return message.ready;
    }
  }
});

interface Logged {
  readonly atS: number;
  readonly numbers: readonly number[];
}

function logOf(name: string): readonly Logged[] {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [atS, ...numbers] = line.split(' ').map(Number);
    return { atS: atS!, numbers };
  });
}

type WorkerGuard = Awaited<ReturnType<typeof startWorkerGuard>>;

async function move(guard: WorkerGuard): Promise<void> {
  await granted(guard, 'enable');
  await guard.advance(2);
  expect(await guard.request({ kind: 'activate' })).toEqual({ ok: true });
  await push(guard, 2);
}

/** Whatever became of it: it moves again, once its processes are back. */
async function comeBack(guard: WorkerGuard): Promise<void> {
  const endMs = performance.now() + 30_000;
  for (let answer: GuardAnswer = { ok: false, reason: '' }; !answer.ok; ) {
    if (performance.now() > endMs) throw new Error(`it does not come back: ${guard.latest.state}, ${answer.reason}`);
    for (const kind of ['acknowledge', 'enable'] as const) {
      await guard.request({ kind });
      await guard.advance(5);
    }
    answer = await guard.request({ kind: 'activate' });
  }
}

/**
 * From a kill to the first stop, ms: as it was, and less what the machine kept this process, or the one that stops, from running. Of a process that
 * dies, from its end: the machine takes a large process away in its own time, and its pipes with it.
 */
interface StopDelay {
  readonly rawMs: number;
  readonly ownMs: number;
  /** For so long, before that, this process could not have seen the end. */
  readonly blindMs: number;
}

/** Its files are closed: a zombie, or gone. */
function isDead(pid: number): boolean {
  try {
    return /\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

async function firstStop(kill: () => void, dying?: number): Promise<StopDelay> {
  const here: Span[] = [];
  const heldUp = new HeldUp((span) => here.push(span));
  try {
    const killedAtS = clock.nowS();
    kill();
    while (dying !== undefined && !isDead(dying)) await sleep(1);
    const fromS = dying === undefined ? killedAtS : clock.nowS();
    await until(() => logOf('stops.log').length > 0, 'a stop');
    heldUp.look();
    const { atS } = logOf('stops.log')[0]!;
    const there = logOf('held-up.log').map(({ atS: sinceS, numbers: [toS] }) => ({ fromS: sinceS, toS: toS! }));
    const longestS = Math.max(heldUpS(here, fromS, atS), heldUpS(there, fromS, atS));
    const rawMs = Math.max(0, atS - fromS) * 1e3;
    return { rawMs, ownMs: rawMs - longestS * 1e3, blindMs: heldUpS(here, killedAtS, fromS) * 1e3 };
  } finally {
    heldUp.stop();
  }
}

/** Asks until it is granted: joint states may have to come first. */
async function granted(guard: WorkerGuard, kind: 'acknowledge' | 'enable'): Promise<void> {
  let said = await guard.request({ kind });
  for (let i = 0; i < 50 && !said.ok; i++) {
    await guard.advance(10);
    said = await guard.request({ kind });
  }
  expect(said).toEqual({ ok: true });
}

const command = createActionCommand(mockAction.dimensions.length);

async function push(guard: WorkerGuard, steps: number): Promise<void> {
  for (let i = 0; i < steps; i++) {
    command.seq++;
    command.decider = 'policy';
    command.issuedAtS = clock.nowS();
    command.leaseS = LEASE_S;
    command.action.fill(0.2);
    guard.send(command);
    await guard.advance(10);
  }
}

async function keepPushing(guard: WorkerGuard, isDone: () => boolean): Promise<void> {
  const limitMs = performance.now() + 60_000;
  while (!isDone() && performance.now() < limitMs) await push(guard, 1);
}

function rows(guard: WorkerGuard): readonly number[] {
  return faultsOf(guard.latest.faultFlags).map((fault) => fault.row);
}

function support(name: string): string {
  return fileURLToPath(new URL(`../support/${name}`, import.meta.url));
}
