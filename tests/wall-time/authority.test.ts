/** What stops a robot in real time ends in standing, however a node insists, until a person lets it go on. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { saveSteadyPolicy } from '../../bench/policy/steady-policy.ts';
import type { GuardAnswer, GuardRequest } from '../../src/core/index.ts';
import type { GuardConfig } from '../../src/guard/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { faultRow } from '../support/fault-row.ts';
import { guardReady } from '../support/guard-ready.ts';
import { childOf, LiveRun, type Program, until } from '../support/live-run.ts';
import { mockAction, mockModel, mockSignals } from '../support/mock-guard.ts';
import { tcpListeners } from '../support/tcp-listeners.ts';

const dist = (path: string): string => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
const { GUARD_NODE_FLAGS, connectGuardLink, createActionCommand } = (await import(
  dist('guard/index.js')
)) as typeof import('../../src/guard/index.ts');
const { startWorkerGuard } = (await import(
  dist('guard/worker-link.js')
)) as typeof import('../../src/guard/worker-link.ts');
const { GuardSocketServer } = (await import(
  dist('guard/link/socket-server.js')
)) as typeof import('../../src/guard/link/socket-server.ts');
const { SystemClock } = (await import(dist('core/index.js'))) as typeof import('../../src/core/index.ts');

const folder = mkdtempSync(join(tmpdir(), 'rein-authority-'));
const socketPath = join(folder, 'guard.sock');
const config: GuardConfig = {
  model: mockModel,
  action: mockAction,
  policyPeriodS: 0.1,
  driver: { name: 'mock', options: { signalNames: mockSignals } },
  socketPath,
  authority: 'supervisor',
  realTimePriority: 'try',
};
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Long enough for a node that insists to have asked for everything a dozen times. */
const INSISTS_MS = 1500;
const STANDING = ['ready', 'stopped', 'standby', 'fault', 'disconnected'];

describe('a robot whose node insists', { timeout: 60_000 }, () => {
  /** A guard in this process, and the node in one of its own. */
  async function guarded() {
    const link = await startWorkerGuard(config);
    const server = await GuardSocketServer.listen(link, socketPath, undefined, 'program');
    const startNode = (): ChildProcess => {
      const node = fork(fileURLToPath(new URL('../support/insisting-node.js', import.meta.url)), [socketPath]);
      children.push(node);
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
      await delay(INSISTS_MS);
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
      await until(() => robot.link.latest.state === 'stopped', 'the stop');
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
    await until(() => STANDING.includes(robot.link.latest.state), 'standing');
    const next = robot.startNode();
    await once(next, 'message');
    await robot.stands();
    await robot.letGoOn();
    await robot.moves();
    await robot.close();
  });
});

describe('a guard process', { timeout: 60_000 }, () => {
  let id = 0;

  /** As a supervisor does, on behalf of a person. */
  async function ask(guard: ChildProcess, kind: GuardRequest['kind']): Promise<GuardAnswer> {
    const asked = id++;
    const answered = new Promise<GuardAnswer>((resolve) => {
      const listen = (message: { kind: string; id?: number; answer?: GuardAnswer }): void => {
        if (message.kind !== 'answer' || message.id !== asked) return;
        guard.off('message', listen);
        resolve(message.answer!);
      };
      guard.on('message', listen);
    });
    guard.send({ id: asked, request: { kind } });
    return answered;
  }

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

  async function goOn(guard: ChildProcess): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      await ask(guard, 'acknowledge');
      await delay(40);
      await ask(guard, 'enable');
      if ((await ask(guard, 'permit')).ok) return;
    }
    throw new Error('it does not go on');
  }

  faultRow(24, 'process', 'that was held up stands when it goes on, until a person acts', async () => {
    const guard = await startGuard();
    const link = await connectGuardLink(socketPath);
    const clock = new SystemClock();
    const command = createActionCommand(link.shape.actions);
    const push = (): void => {
      Object.assign(command, { seq: command.seq + 1, decider: 'policy', issuedAtS: clock.nowS(), leaseS: 0.2 });
      command.action.fill(command.seq % 16 < 8 ? 0.5 : -0.5);
      link.send(command);
    };
    const driving = setInterval(push, 40);
    await goOn(guard);
    expect(await link.request({ kind: 'activate' })).toEqual({ ok: true });
    await until(() => link.latest.decider === 'policy', 'motion');
    guard.kill('SIGSTOP');
    await delay(400);
    guard.kill('SIGCONT');
    await until(() => link.latest.state === 'stopped', 'the stop');
    expect(faultsOf(link.latest.faultFlags).map(({ row }) => row)).toContain(24);
    for (const endMs = performance.now() + INSISTS_MS; performance.now() < endMs; ) {
      for (const kind of ['acknowledge', 'enable', 'permit', 'activate'] as const) {
        const answer = await link.request({ kind });
        expect(answer).toMatchObject({ ok: false, needs: 'person', reason: expect.stringContaining('only a person') });
      }
      await link.advance(5);
      expect(link.latest.state).toBe('stopped');
    }
    await goOn(guard);
    expect(await link.request({ kind: 'activate' })).toEqual({ ok: true });
    clearInterval(driving);
    await link.close();
  });

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

  it('lets no debugger in where guard and node are started', async () => {
    moving.child.kill('SIGUSR1');
    await delay(500);
    expect(tcpListeners(moving.child.pid!)).toEqual([]);
  });

  it('leaves a robot standing whose node was killed, and goes on at a key', async () => {
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
