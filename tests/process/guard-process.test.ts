import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GuardConfig, GuardLink } from '../../src/guard/index.ts';
import { isRunning } from '../../src/host/index.ts';
import type { Decider, GuardFrame, SafetyStateName } from '../../src/rows/index.ts';
import type { SupervisorEvent } from '../../src/session/supervisor.ts';
import { describeGuardLink } from '../contract/guard-link.contract.ts';
import { faultRow } from '../support/fault-row.ts';
import { guardReady } from '../support/guard-ready.ts';
import { IS_LONG } from '../support/long.ts';
import { mockAction, mockModel, mockSignals } from '../support/mock-guard.ts';

// Threads and processes run the compiled code: this version of Node cannot strip types.
const { GUARD_NODE_FLAGS, connectGuardLink } = (await dist(
  'guard/index.js',
)) as typeof import('../../src/guard/index.ts');
const { startWorkerGuard } = (await dist('guard/worker-link.js')) as typeof import('../../src/guard/worker-link.ts');
const { GuardSocketServer } = (await dist(
  'guard/link/socket-server.js',
)) as typeof import('../../src/guard/link/socket-server.ts');
const { Supervisor } = (await dist('session/supervisor.js')) as typeof import('../../src/session/supervisor.ts');

const LEASE_S = 0.2;
const guardModule = distPath('guard/guard-process.js');
const folder = mkdtempSync(join(tmpdir(), 'rein-guard-'));
const socketPath = join(folder, 'guard.sock');
const configPath = join(folder, 'guard.json');
const config: GuardConfig = {
  model: mockModel,
  action: mockAction,
  policyPeriodS: 0.1,
  driver: { name: 'mock', options: { signalNames: mockSignals } },
  socketPath,
  authority: 'node',
  realTimePriority: 'no',
};
/** The same where the test lets time pass. */
const stepped: GuardConfig = { ...config, timing: 'lock-step' };
const children: ChildProcess[] = [];

writeFileSync(configPath, JSON.stringify(config));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The guard's clock. */
const nowOf = (link: GuardLink) => () => (link.latest.tick + 1) / link.shape.controlHz;
describeGuardLink('worker thread', async () => {
  const link = await startWorkerGuard(stepped);
  return { link, nowS: nowOf(link), notify: (notice) => link.notify(notice) };
});

let shared: ChildProcess | undefined;
const sharedSocketPath = join(folder, 'shared.sock');
describeGuardLink('socket to a guard process', async () => {
  // One process for as long as it lives, at a standstill and without torque for each.
  shared ??= await startGuard({ ...stepped, socketPath: sharedSocketPath });
  const link = await connectGuardLink(sharedSocketPath);
  while (link.latest.state !== 'standby') {
    for (const kind of ['acknowledge', 'disable'] as const) await link.request({ kind });
    await link.advance(2);
  }
  return {
    link,
    nowS: nowOf(link),
    killGuard: () => {
      shared!.kill('SIGKILL');
      shared = undefined;
    },
  };
});
afterAll(() => shared?.kill('SIGKILL'));

describe('a guard whose node goes wrong', () => {
  let guard: Awaited<ReturnType<typeof startWorkerGuard>>;
  let server: Awaited<ReturnType<typeof GuardSocketServer.listen>>;
  let node: ChildProcess;
  const frames: Seen[] = [];

  beforeEach(async () => {
    frames.length = 0;
    guard = await startWorkerGuard(stepped);
    server = await GuardSocketServer.listen(guard, socketPath);
    guard.onFrame((frame) => frames.push(seen(frame)));
    node = start('fake-node.js', [socketPath, 'drive', String(LEASE_S)]);
    await once(node, 'message');
  });

  afterEach(async () => {
    node.kill('SIGKILL');
    await server.close();
    await guard.close();
  });

  faultRow(
    [2, 3],
    'process',
    'brakes within the lease when the node is frozen, holds, and stops for good',
    async () => {
      node.kill('SIGSTOP');
      await guard.advance(2 * guard.shape.controlHz);
      expect(guard.latest.state).toBe('stopped');
      expectBrakeWithinLease();
    },
  );

  it('brakes within the lease when the node is killed, holds, and serves the next node', async () => {
    node.kill('SIGKILL');
    await once(node, 'exit');
    await guard.advance(60);
    await until(() => guard.latest.state === 'ready');
    expectBrakeWithinLease();
    node = start('fake-node.js', [socketPath, 'drive', String(LEASE_S)]);
    await once(node, 'message');
    expect(guard.latest.state).toBe('active.policy');
  });

  /** By the guard's own stamps. */
  function expectBrakeWithinLease(): void {
    const lastFollowed = frames.findLastIndex((frame) => frame.decider === 'policy');
    const last = frames[lastFollowed]!;
    const accepted = frames.find((frame) => frame.commandSeq === last.commandSeq)!;
    expect(last.atS - accepted.atS).toBeLessThanOrEqual(LEASE_S);
    const after = frames.slice(lastFollowed);
    const steps = after.slice(1).map((frame, i) => Math.abs(frame.shoulderRad - after[i]!.shoulderRad));
    expect(steps.length).toBeGreaterThan(50);
    // Braking: no step is longer than the one before, up to the jitter of the period; then the reference stands.
    expect(steps.at(-1)).toBe(0);
    expect(steps.slice(40).every((step) => step === 0)).toBe(true);
    expect(frames.at(-1)!.violations).toBe(0);
  }
});

describe('a guard process', () => {
  it('goes down with its supervisor, however that dies', async () => {
    const parent = start('guard-parent.js', [guardModule, configPath]);
    const [{ pid }] = (await once(parent, 'message')) as [{ pid: number }];
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !isRunning(pid));
  });

  it('ends where its supervisor has gone while it opened the robot', async () => {
    const guard = fork(guardModule, [configPath], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    children.push(guard);
    guard.disconnect();
    expect(await once(guard, 'exit')).toEqual([0, null]);
  });

  it('says in one sentence that the robot does not answer, and ends with code 1', async () => {
    const absent = { ...config, driver: { name: 'mock', options: { faults: { seed: 1, ratio: { absent: 1 } } } } };
    const path = join(folder, 'absent.json');
    writeFileSync(path, JSON.stringify(absent));
    const guard = fork(guardModule, [path], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    children.push(guard);
    let said = '';
    guard.stderr!.on('data', (bytes) => {
      said += String(bytes);
    });
    const [code] = await once(guard, 'close');
    expect(code).toBe(1);
    expect(said).toContain('The mock robot is configured not to answer.');
    expect(said).not.toContain('    at ');
  });
});

describe('the supervisor', () => {
  it.runIf(IS_LONG)('starts a node that dies again, so often and no more, and then ends the guard', async () => {
    const { supervisor, events } = supervise('crash', 2);
    expect(await supervisor.run()).toBe(3);
    expect(events.filter((event) => event.kind === 'restarting')).toHaveLength(2);
    expect(events.at(-1)).toEqual({ kind: 'ended', process: 'guard', how: 'exit code 0', isExpected: true });
  });

  it('ends everything, the guard last, when the node is done', async () => {
    const { supervisor, events } = supervise('leave', 2);
    expect(await supervisor.run()).toBe(0);
    expect(events.filter((event) => event.kind === 'ended').map((event) => event.process)).toEqual(['node', 'guard']);
  });

  it('ends everything in order when it is asked to', async () => {
    const { supervisor, events, isMoving } = supervise('drive', 2);
    const code = supervisor.run();
    await until(() => isMoving());
    supervisor.stop();
    expect(await code).toBe(0);
    expect(events.filter((event) => event.kind === 'ended').map((event) => event.process)).toEqual(['node', 'guard']);
  });

  it('ends the node and reports failure when the guard dies', async () => {
    const { supervisor, events } = supervise('drive', 2);
    const code = supervisor.run();
    await until(() => supervisor.pids.node !== undefined);
    process.kill(supervisor.pids.guard!, 'SIGKILL');
    expect(await code).toBe(1);
    expect(events).toContainEqual({ kind: 'ended', process: 'guard', how: 'signal SIGKILL', isExpected: false });
    expect(supervisor.pids).toEqual({ guard: undefined, node: undefined });
  });
});

interface Seen {
  atS: number;
  state: SafetyStateName;
  decider: Decider;
  commandSeq: number;
  shoulderRad: number;
  violations: number;
}

function seen(frame: GuardFrame): Seen {
  const { state, decider, commandSeq, violations } = frame;
  return { atS: frame.robot.measuredAtS, state, decider, commandSeq, violations, shoulderRad: frame.referenceRad[0]! };
}

function supervise(mode: string, maxNodeRestarts: number) {
  const events: SupervisorEvent[] = [];
  let isMoving = false;
  const supervisor = new Supervisor({
    guard: { modulePath: guardModule, args: [configPath], nodeFlags: GUARD_NODE_FLAGS },
    node: { modulePath: supportPath('fake-node.js'), args: [socketPath, mode, String(LEASE_S)] },
    maxNodeRestarts,
    onEvent: (event) => events.push(event),
    onNodeMessage: () => {
      isMoving = true;
    },
  });
  return { supervisor, events, isMoving: () => isMoving };
}

async function startGuard(its: GuardConfig): Promise<ChildProcess> {
  const path = join(folder, 'shared.json');
  writeFileSync(path, JSON.stringify(its));
  const guard = fork(guardModule, [path], { env: { ...process.env, REIN_LOG: 'error' } });
  await guardReady(guard);
  return guard;
}

function start(name: string, args: readonly string[]): ChildProcess {
  const child = fork(supportPath(name), [...args]);
  children.push(child);
  return child;
}

async function until(condition: () => boolean): Promise<void> {
  const limit = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > limit) throw new Error('it did not happen within 60 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function supportPath(name: string): string {
  return fileURLToPath(new URL(`../support/${name}`, import.meta.url));
}

function distPath(path: string): string {
  return fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
}

async function dist(path: string): Promise<unknown> {
  return import(new URL(`../../dist/${path}`, import.meta.url).href);
}
