import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BusListener } from '../../bench/stop-trials/bus-listener.ts';
import { type BusFrame, nowMs } from '../../bench/stop-trials/listener-messages.ts';
import { MOCK_FRAME } from '../../src/drivers/mock/mock-bus.ts';
import type { GuardConfig } from '../../src/guard/index.ts';
import { isRunning } from '../../src/host/index.ts';
import type { PowerRelay } from '../../src/model/index.ts';
import type { SupervisorEvent } from '../../src/session/supervisor.ts';
import { faultRow } from '../support/fault-row.ts';
import { IS_LONG } from '../support/long.ts';
import { mockAction, mockModel } from '../support/mock-guard.ts';
import { tcpListeners } from '../support/tcp-listeners.ts';
import { until as untilWithin } from '../support/until.ts';

// Threads and processes run the compiled code: this version of Node cannot strip types.
const { GUARD_NODE_FLAGS } = (await dist('guard/index.js')) as typeof import('../../src/guard/index.ts');
const { BusListener: Listener } = (await dist(
  'bench/stop-trials/bus-listener.js',
)) as typeof import('../../bench/stop-trials/bus-listener.ts');
const { Supervisor } = (await dist('session/supervisor.js')) as typeof import('../../src/session/supervisor.ts');

/** A machine may be busy: all that is not the bound itself has time. */
const until = (condition: () => boolean, what: string): Promise<boolean> => untilWithin(condition, what, 60_000);

let folder: string;
let busPath: string;
let bus: BusListener;
let supervisor: InstanceType<typeof Supervisor>;
let running: Promise<number>;
/** All that the bus has carried. */
let frames: readonly BusFrame[] = [];
const events: SupervisorEvent[] = [];

/** A supervised mock robot with a bus, whose node drives it to and fro. Resolves when it moves. */
async function drive(powerRelay?: PowerRelay): Promise<void> {
  const socketPath = join(folder, 'guard.sock');
  const config: GuardConfig = {
    model: { ...mockModel, ...(powerRelay === undefined ? {} : { powerRelay }) },
    action: mockAction,
    policyPeriodS: 0.1,
    driver: { name: 'mock', options: { busPath } },
    socketPath,
    authority: 'node',
    realTimePriority: 'try',
  };
  writeFileSync(join(folder, 'guard.json'), JSON.stringify(config));
  let isMoving = false;
  supervisor = new Supervisor({
    guard: {
      modulePath: path('../../dist/guard/guard-process.js'),
      args: [join(folder, 'guard.json')],
      nodeFlags: GUARD_NODE_FLAGS,
      errorsTo: openSync(join(folder, 'guard.log'), 'a'),
    },
    node: { modulePath: path('../support/fake-node.js'), args: [socketPath, 'drive', '0.2'] },
    maxNodeRestarts: 0,
    onEvent: (event) => events.push(event),
    onNodeMessage: () => {
      isMoving = true;
    },
  });
  running = supervisor.run();
  await Promise.race([until(() => isMoving, 'motion'), running]);
}

beforeEach(async () => {
  events.length = 0;
  folder = mkdtempSync(join(tmpdir(), 'rein-guardian-test-'));
  busPath = join(folder, 'bus');
  bus = await Listener.start(busPath);
  frames = bus.frames;
});

afterEach(async () => {
  for (const pid of [supervisor.pids.guard, supervisor.pids.guardian]) if (pid !== undefined) signal(pid, 'SIGCONT');
  supervisor.stop();
  await running.catch(() => undefined);
  await bus.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const stops = (): BusFrame[] => frames.filter(({ kind }) => kind === MOCK_FRAME.stop);
const busStops = () => events.filter((event) => event.kind === 'busStopped');
const moves = (since: number): boolean =>
  frames.slice(since).some(({ kind, valuesRad }, i, all) => {
    return kind === MOCK_FRAME.reference && i > 0 && valuesRad[0] !== all[i - 1]!.valuesRad[0];
  });

/** Where the machine does not let the listener go before others, its stamps are as late as the machine is busy, and say nothing. */
function expectWithin(mostMs: number, fromMs: number, toMs: number): void {
  if (bus.isRaised) expect(toMs - fromMs - bus.heldUpMs(fromMs, toMs)).toBeLessThanOrEqual(mostMs);
  else console.log(`skipped: a stop within ${mostMs} ms: this machine gives nobody a real-time priority`);
}

const logged = (): string => readFileSync(join(folder, 'guard.log'), 'utf8');

describe('a guard on a bus of its own', { timeout: 120_000 }, () => {
  it('is followed by stop frames within 50 ms when it is killed, and by nothing else', async () => {
    await drive();
    expect(stops()).toEqual([]);
    const killedAtMs = nowMs();
    signal(supervisor.pids.guard!, 'SIGKILL');
    await until(() => stops().length === 3, 'three stop frames');
    expect(await running).toBe(1);
    expectWithin(50, killedAtMs, stops()[2]!.atMs);
    expect(frames.slice(-3).map(({ kind }) => kind)).toEqual([4, 4, 4]);
    expect(busStops()).toMatchObject([{ by: 'guardian', cause: 'guardDied', repeats: 3 }]);
    expect(logged()).toContain('"name":"guardian"');
  });

  it.runIf(IS_LONG)('has power by the relay while its torque is on, and none once it is killed', async () => {
    const relay = join(folder, 'relay');
    writeFileSync(relay, '1');
    await drive({ kind: 'file', path: relay, closed: '1', open: '0' });
    expect(readFileSync(relay, 'utf8')).toBe('1');
    signal(supervisor.pids.guard!, 'SIGKILL');
    await running;
    expect(readFileSync(relay, 'utf8')).toBe('0');
    expect(busStops()).toHaveLength(1);
    expect(events.some(({ kind }) => kind === 'relayFailed')).toBe(false);
  });

  it.runIf(IS_LONG)('gets no torque by a relay that does not close, which is told', async () => {
    // What is written there is never read back.
    void drive({ kind: 'file', path: '/dev/null', closed: '1', open: '0' }).catch(() => undefined);
    await until(() => events.some((event) => event.kind === 'relayFailed'), 'a relay that failed');
    await until(() => logged().includes('ready'), 'the guard');
    expect(moves(0)).toBe(false);
  });

  it('is stopped when it is frozen, and drives no more when it thaws', async () => {
    await drive();
    const frozenAtMs = nowMs();
    signal(supervisor.pids.guard!, 'SIGSTOP');
    await until(() => stops().length === 3, 'three stop frames');
    expect(stops()[0]!.atMs - frozenAtMs).toBeGreaterThan(80);
    const before = frames.length;
    signal(supervisor.pids.guard!, 'SIGCONT');
    await until(() => frames.slice(before).some(({ kind }) => kind === MOCK_FRAME.torqueOff), 'torque off');
    // One reference may have been on its way to the bus when the guard was frozen.
    expect(frames.slice(before).filter(({ kind }) => kind === MOCK_FRAME.reference).length).toBeLessThanOrEqual(1);
    expect(stops()).toHaveLength(3);
    expectWithin(150, frozenAtMs, stops()[2]!.atMs);
    expect(busStops()).toMatchObject([{ by: 'guardian', cause: 'guardSilent', repeats: 3 }]);
  });

  faultRow(49, 'real-time', 'brakes, and stands, before it ends on SIGTERM', async () => {
    await drive();
    await until(() => moves(-5), 'references that move');
    const asked = frames.length;
    signal(supervisor.pids.guard!, 'SIGTERM');
    await running;
    const after = frames.slice(asked - 1);
    const last = after.findIndex(({ kind }) => kind === MOCK_FRAME.torqueOff);
    const sent = after.slice(0, last);
    const steps = sent.slice(1).map((frame, i) => Math.abs(frame.valuesRad[0]! - sent[i]!.valuesRad[0]!));
    // It was moving; it comes to a stand; and only then it lets go.
    expect(moves(asked - 5)).toBe(true);
    expect(last).toBeGreaterThan(1);
    // (A tick that was held up puts the reference back to where the arm is: by less than a hundredth of a step.)
    expect(steps.at(-1)).toBeLessThan(1e-5);
    expect(stops()).toEqual([]);
    expect(events).toContainEqual({ kind: 'ended', process: 'guard', how: 'exit code 0', isExpected: true });
  });

  it.runIf(IS_LONG)('ends in order without a stop frame', async () => {
    await drive();
    const guardian = supervisor.pids.guardian!;
    supervisor.stop();
    expect(await running).toBe(0);
    expect(stops()).toEqual([]);
    expect(busStops()).toEqual([]);
    expect(isRunning(guardian)).toBe(false);
  });

  it('brakes and holds, with power, while its guardian is away, and drives again with the next one', async () => {
    const relay = recordedRelay();
    await drive(relay.config);
    expect(relay.told()).toBe('0fc1');
    const first = supervisor.pids.guardian!;
    signal(first, 'SIGKILL');
    await until(() => logged().includes('is gone or frozen'), 'the notice');
    await until(() => supervisor.pids.guardian !== undefined && supervisor.pids.guardian !== first, 'another guardian');
    await until(() => /"state":"stopped"/.test(logged()), 'a standing robot');
    const standing = frames.length;
    await until(() => frames.length > standing + 20, 'references that hold');
    expect(moves(standing)).toBe(false);
    expect(stops()).toEqual([]);
    expect(events).toContainEqual({ kind: 'ended', process: 'guardian', how: 'signal SIGKILL', isExpected: false });
    // Never opened under the arm that is held.
    const told: string[] = [];
    await until(() => told.push(relay.told()) > 0 && told.at(-1) !== '', 'the next guardian at the relay');
    expect(told.at(-1)).toBe('c1');
    // A guard that the next one does not hear loses it.
    signal(supervisor.pids.guardian!, 'SIGKILL');
    signal(supervisor.pids.guard!, 'SIGSTOP');
    await until(() => relay.told().endsWith('0f'), 'the relay to open');
    relay.close();
  });

  it.runIf(IS_LONG)('brakes and holds while its guardian is frozen', async () => {
    await drive();
    signal(supervisor.pids.guardian!, 'SIGSTOP');
    await until(() => /"state":"stopped"/.test(logged()), 'a standing robot');
    expect(stops()).toEqual([]);
  });

  it('is stopped although everybody else is dead, by a guardian that no signal ends and no debugger gets into', async () => {
    await drive();
    const { guardian, guard, node } = supervisor.pids;
    const pipes = dirname(JSON.parse(readFileSync(`/proc/${guardian}/cmdline`, 'utf8').split('\0').at(-2)!).pulse);
    for (const kind of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTSTP', 'SIGUSR1'] as const) signal(guardian!, kind);
    const signalled = frames.length;
    await until(() => frames.length > signalled + 100, 'more motion');
    expect(stops()).toEqual([]);
    expect(tcpListeners(guardian!)).toEqual([]);
    signal(node!, 'SIGKILL');
    signal(guard!, 'SIGKILL');
    await until(() => stops().length === 3, 'three stop frames');
    await until(() => !isRunning(guardian!), 'the end of the guardian');
    await running;
    expect(busStops()).toMatchObject([{ by: 'guardian' }]);
    // It leaves nothing behind.
    expect(existsSync(pipes)).toBe(false);
  });

  it.runIf(IS_LONG)('is stopped by the supervisor where guardian and guard die together', async () => {
    await drive();
    signal(supervisor.pids.guardian!, 'SIGKILL');
    signal(supervisor.pids.guard!, 'SIGKILL');
    await until(() => stops().length === 3 && busStops().length > 0, 'three stop frames, and their report');
    expect(busStops()).toMatchObject([{ by: 'supervisor', cause: 'guardDied', repeats: 3 }]);
  });
});

describe('a guard whose bus nobody can watch', { timeout: 120_000 }, () => {
  it.runIf(IS_LONG)('does not start, and says why', async () => {
    rmSync(busPath);
    await expect(drive()).rejects.toThrow('The guard ended before it was ready');
    expect(logged()).toContain("The mock robot's bus cannot be opened");
  });
});

/** A relay board at a pipe, and what it was told since it was last asked: open is 0f, closed c1. */
function recordedRelay(): { config: PowerRelay; told: () => string; close: () => void } {
  const port = join(folder, 'relay-board');
  execFileSync('mkfifo', [port]);
  const fd = openSync(port, constants.O_RDWR | constants.O_NONBLOCK);
  const bytes = Buffer.alloc(64);
  const told = (): string => {
    try {
      return bytes.subarray(0, readSync(fd, bytes)).toString('hex');
    } catch {
      return ''; // Nothing since.
    }
  };
  return { config: { kind: 'serial', path: port, closed: 'c1', open: '0f' }, told, close: () => closeSync(fd) };
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (isRunning(pid)) process.kill(pid, name);
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

async function dist(file: string): Promise<unknown> {
  return import(new URL(`../../dist/${file}`, import.meta.url).href);
}
