/** What stops a robot ends in standing, however a node insists, until a person lets it go on. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { saveSteadyPolicy } from '../../bench/policy/steady-policy.ts';
import type { GuardConfig } from '../../src/guard/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { faultRow } from '../support/fault-row.ts';
import { guardReady } from '../support/guard-ready.ts';
import { childOf, LiveRun, type Program, until } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { mockAction, mockModel, mockSignals } from '../support/mock-guard.ts';
import { tcpListeners } from '../support/tcp-listeners.ts';

const dist = (path: string): string => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
const { GUARD_NODE_FLAGS, connectGuardLink } = (await import(
  dist('guard/index.js')
)) as typeof import('../../src/guard/index.ts');
const { startWorkerGuard } = (await import(
  dist('guard/worker-link.js')
)) as typeof import('../../src/guard/worker-link.ts');
const { GuardSocketServer } = (await import(
  dist('guard/link/socket-server.js')
)) as typeof import('../../src/guard/link/socket-server.ts');

const folder = mkdtempSync(join(tmpdir(), 'rein-authority-'));
const socketPath = join(folder, 'guard.sock');
const config: GuardConfig = {
  model: mockModel,
  action: mockAction,
  policyPeriodS: 0.1,
  driver: { name: 'mock', options: { signalNames: mockSignals } },
  socketPath,
  authority: 'supervisor',
  realTimePriority: 'no',
};
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A node that insists has asked for everything so often; and a guard's time after which it has stopped for a node that is silent. */
const INSISTS_TIMES = 12;
const SILENT_TICKS = 150;
/** So long does a run stand that nobody lets go on. */
const INSISTS_MS = 1500;
const STANDING = ['ready', 'stopped', 'standby', 'fault', 'disconnected'];

describe('a robot whose node insists', { timeout: 60_000 }, () => {
  /** A guard in this process, and the node in one of its own. */
  async function guarded() {
    const link = await startWorkerGuard({ ...config, timing: 'lock-step' });
    const server = await GuardSocketServer.listen(link, socketPath, undefined, 'program');
    let asked = 0;
    const startNode = (): ChildProcess => {
      const node = fork(fileURLToPath(new URL('../support/insisting-node.js', import.meta.url)), [socketPath]);
      children.push(node);
      node.on('message', () => {
        asked++;
      });
      return node;
    };
    const letGoOn = async (): Promise<void> => {
      for (let tries = 0; tries < 20; tries++) {
        for (const kind of ['acknowledge', 'enable'] as const) {
          await link.request({ kind }, 'person');
          await link.advance(2);
        }
        if ((await link.request({ kind: 'permit' }, 'person')).ok) return;
      }
      throw new Error(`it stays in ${link.latest.state}`);
    };
    const moves = (): Promise<void> => until(() => link.latest.state === 'active.policy', 'motion');
    /** Nothing moves while the node insists. */
    const stands = async (): Promise<void> => {
      const seen = new Set<string>();
      const leave = link.onFrame(({ state }) => seen.add(state));
      const enough = asked + INSISTS_TIMES;
      await until(() => asked >= enough, 'all that it asks for');
      leave();
      expect([...seen].filter((state) => !STANDING.includes(state))).toEqual([]);
    };
    const rows = (): number[] => faultsOf(link.latest.faultFlags).map(({ row }) => row);
    const close = async (): Promise<void> => {
      await server.close();
      await link.close();
    };
    return { link, startNode, letGoOn, moves, stands, rows, close };
  }

  faultRow(
    3,
    'process',
    'a node that hangs leaves a robot that stands when it goes on, until a person acts',
    async () => {
      const robot = await guarded();
      const node = robot.startNode();
      await robot.stands();
      await robot.letGoOn();
      await robot.moves();
      node.kill('SIGSTOP');
      await robot.link.advance(SILENT_TICKS);
      expect(robot.link.latest.state).toBe('stopped');
      expect(robot.rows()).toContain(3);
      node.kill('SIGCONT');
      await robot.stands();
      expect(robot.link.latest.state).toBe('stopped');
      await robot.letGoOn();
      await robot.moves();
      await robot.close();
    },
  );

  faultRow(25, 'process', 'a node that is killed is no leave for the next one, until a person acts', async () => {
    const robot = await guarded();
    const node = robot.startNode();
    await robot.letGoOn();
    await robot.moves();
    node.kill('SIGKILL');
    await once(node, 'exit');
    await robot.link.advance(SILENT_TICKS);
    expect(STANDING).toContain(robot.link.latest.state);
    const next = robot.startNode();
    await once(next, 'message');
    await robot.stands();
    await robot.letGoOn();
    await robot.moves();
    await robot.close();
  });
});

describe('a guard process', { timeout: 60_000 }, () => {
  async function startGuard(): Promise<ChildProcess> {
    const file = join(folder, 'guard.json');
    writeFileSync(file, JSON.stringify(config));
    const guard = fork(dist('guard/guard-process.js'), [file], {
      execArgv: [...GUARD_NODE_FLAGS],
      env: { ...process.env, REIN_LOG: 'error' },
    });
    children.push(guard);
    await guardReady(guard);
    return guard;
  }

  it('lets no debugger in on SIGUSR1', async () => {
    const guard = await startGuard();
    guard.kill('SIGUSR1');
    await delay(500);
    const link = await connectGuardLink(socketPath);
    await link.advance(5);
    expect(tcpListeners(guard.pid!)).toEqual([]);
    await link.close();
  });
});

describe('rein run', { timeout: 120_000 }, () => {
  const run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-leave-')));
  afterAll(async () => {
    await run.end();
    rmSync(run.folder, { recursive: true, force: true });
  });

  const name = 'robot';
  const askedOf = (): string => readFileSync(join(run.folder, name, 'guard.log'), 'utf8');
  const stateNow = (): string => run.motion(name).at(-1)!.state;
  let moving: Program;

  // A mock robot that a policy drives stands for a real one, which goes on after nothing by itself, and no operator reads keys in its node.
  beforeAll(async () => {
    const policy = await saveSteadyPolicy(run.folder);
    moving = run.start('run', '--policy', policy, '--config', run.mockConfig(), '--monitor', 'off', '--out', name);
    // Nothing moves after start-up until a person says start.
    await until(() => moving.said().includes('press c to continue.'), 'the sentence');
    await delay(INSISTS_MS);
    expect(run.journal(name)).toEqual([]);
    expect(run.motion(name).filter(({ state }) => state.startsWith('active'))).toEqual([]);
    moving.child.stdin!.write('c');
    await until(() => run.journal(name).length > 3, 'motion');
  }, 120_000);

  /** It stands for as long as a node insists; then `c` lets it move. */
  async function standsUntilC(): Promise<void> {
    const { length } = run.journal(name);
    await delay(INSISTS_MS);
    expect(run.journal(name)).toHaveLength(length);
    moving.child.stdin!.write('c');
    // A machine that was held up has stopped it once more: whoever is there presses again.
    const again = setInterval(() => {
      if (!stateNow().startsWith('active')) moving.child.stdin!.write('c');
    }, 5000);
    await until(() => run.journal(name).length > length + 3, 'motion again').finally(() => clearInterval(again));
  }

  it.runIf(IS_LONG)('lets no debugger in where guard and node are started', async () => {
    moving.child.kill('SIGUSR1');
    await delay(500);
    expect(tcpListeners(moving.child.pid!)).toEqual([]);
  });

  it.runIf(IS_LONG)('leaves a robot standing whose node was killed, and goes on at a key', async () => {
    process.kill(childOf(moving.child, 'node-process.js'), 'SIGKILL');
    await until(() => moving.said().includes('press c to continue'), 'the sentence');
    await standsUntilC();
  });

  it('stops at the space key, whether or not its node hears it, and stands until c', async () => {
    const said = moving.said().length;
    moving.child.stdin!.write(' ');
    await until(() => moving.said().slice(said).includes('press c to continue'), 'the sentence');
    expect(askedOf()).toContain('"request":"stop","answer":{"ok":true}');
    await standsUntilC();
    // Whoever says stop just after it means the newer word.
    moving.child.stdin!.write(' ');
    await until(() => STANDING.includes(stateNow()), 'standing');
    for (const pauseMs of [5, 60]) {
      moving.child.stdin!.write('c');
      await delay(pauseMs);
      moving.child.stdin!.write(' ');
      await delay(INSISTS_MS);
      expect([pauseMs, stateNow()]).toEqual([pauseMs, 'stopped']);
    }
    moving.child.stdin!.write('c');
    await until(() => stateNow() === 'active.policy', 'motion once more');
    // A node that hangs hears nothing: the guard is asked all the same.
    const asked = (): number => askedOf().split('"request":"stop"').length;
    const before = asked();
    const node = childOf(moving.child, 'node-process.js');
    process.kill(node, 'SIGSTOP');
    moving.child.stdin!.write(' ');
    await until(() => asked() > before, 'the stop');
    await until(() => STANDING.includes(stateNow()), 'standing');
    process.kill(node, 'SIGCONT');
    await delay(INSISTS_MS);
    expect(STANDING).toContain(stateNow());
  });
});
