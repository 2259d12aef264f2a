/** A guard process that a peer floods: it is cut off, and costs no memory. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createActionCommand, GUARD_NODE_FLAGS } from '../../src/guard/index.ts';
import { commandNumbers, packCommand } from '../../src/guard/link/frames.ts';
import { MessageBudget } from '../../src/guard/link/message-budget.ts';
import { encodeMessage } from '../../src/guard/link/wire.ts';
import { faultRow } from '../support/fault-row.ts';
import { guardReady } from '../support/guard-ready.ts';
import { mockAction, mockModel } from '../support/mock-guard.ts';
import { until } from '../support/until.ts';

const heapTold = fileURLToPath(new URL('../support/heap-told.cjs', import.meta.url));
const guardModule = fileURLToPath(new URL('../../dist/guard/guard-process.js', import.meta.url));
/** `npm run evidence` floods for as long as row 32 says; a test run has not the time. */
const FLOOD_S = Number(process.env['REIN_FLOOD_S'] ?? 2);
/** Messages a control tick that a node may send in the long run, and what counts as too many. */
const MAY_PER_TICK = 4;
const TOO_MANY_PER_TICK = 6;
const COMMAND = 3;
/** Fewer connections would leave less than row 32 promises, also with the socket of each kept, about 0.9 KB of heap. */
const LEAST_CUTS = 1500;

describe('a guard that is flooded', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-flood-'));
  const socketPath = join(folder, 'guard.sock');
  let guard: ChildProcess;

  beforeAll(async () => {
    const options = { name: 'mock', options: {} };
    const config = { model: mockModel, action: mockAction, policyPeriodS: 0.1, driver: options, socketPath };
    writeFileSync(join(folder, 'guard.json'), JSON.stringify({ ...config, authority: 'node', realTimePriority: 'no' }));
    guard = fork(guardModule, [join(folder, 'guard.json')], {
      execArgv: [...GUARD_NODE_FLAGS, '--require', heapTold],
      env: { ...process.env, REIN_LOG: 'fatal', REIN_HEAP_TOLD: join(folder, 'heap') },
    });
    await guardReady(guard);
  });
  /** What is left on the guard's heap once its garbage is collected, bytes. */
  async function heapLeftBytes(): Promise<number> {
    const told = (): string[] =>
      (existsSync(join(folder, 'heap')) ? readFileSync(join(folder, 'heap'), 'utf8') : '').split('\n');
    const before = told().length;
    guard.kill('SIGUSR2');
    await until(() => told().length > before, 'the bytes of its heap');
    return Number(told().at(-2));
  }
  afterAll(() => {
    guard.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  faultRow(
    32,
    'process',
    `a peer that floods for ${FLOOD_S} s and comes again fills no memory, and is cut off each time`,
    async (promised) => {
      expect(FLOOD_S).toBeLessThanOrEqual(promised('floodS'));
      const before = residentBytes(guard.pid!);
      const endMs = performance.now() + 1e3 * FLOOD_S;
      let cuts = 0;
      let growthBytes = 0;
      let heapBytes = 0;
      while (performance.now() < endMs || cuts < LEAST_CUTS) {
        await flood(connect(socketPath));
        cuts++;
        if (cuts === promised('keptFromCut')) heapBytes = await heapLeftBytes();
        // All along, and not only in the end: what was freed by then was there.
        growthBytes = Math.max(growthBytes, residentBytes(guard.pid!) - before);
      }
      const keptBytes = (await heapLeftBytes()) - heapBytes;
      const found = { seconds: FLOOD_S, promisedS: promised('floodS'), cuts, growthBytes, keptBytes };
      console.log(`flood: ${JSON.stringify(found)}`);
      expect(growthBytes).toBeLessThan(promised('growthBytes'));
      expect(keptBytes).toBeLessThan(promised('keptBytes'));
      // It still serves the next that asks.
      const socket = connect(socketPath);
      const [bytes] = (await once(socket, 'data')) as [Uint8Array];
      expect(bytes.length).toBeGreaterThan(16);
      socket.destroy();
    },
    1e3 * FLOOD_S + 60_000,
  );

  faultRow(
    [32],
    'process',
    'a peer that sends slowly, but more than it may, is cut off as well; one that may is not',
    async () => {
      const perS = MAY_PER_TICK * mockModel.controlHz;
      // What may come at once is spent after twice a second's worth of what is too much.
      const slow = await atPace(connect(socketPath), TOO_MANY_PER_TICK, 4 * perS * (TOO_MANY_PER_TICK / MAY_PER_TICK));
      expect(slow.isCut).toBe(true);
      const good = await atPace(connect(socketPath), MAY_PER_TICK - 1, 2 * perS);
      expect(good.isCut).toBe(false);
    },
  );
});

describe('what a peer may say', () => {
  faultRow(32, 'fake', 'four messages a tick in the long run, a second of that at once, and not one more', () => {
    const budget = new MessageBudget(mockModel.controlHz, 0);
    const perS = 4 * mockModel.controlHz;
    let taken = 0;
    for (let i = 0; i < 50_000; i++) if (budget.take(10 + i * 1e-4)) taken++;
    expect(taken).toBeGreaterThan(6 * perS - 3);
    expect(taken).toBeLessThanOrEqual(6 * perS);
  });
});

/** Writes as many commands as the socket takes, until the guard has had enough. */
async function flood(socket: Socket): Promise<void> {
  const many = Buffer.concat(new Array<Uint8Array>(1000).fill(commandMessage()));
  socket.on('error', () => undefined);
  socket.on('connect', () => socket.write(many)).on('drain', () => socket.write(many));
  socket.resume();
  await new Promise((cutOff) => socket.once('close', cutOff));
}

/** Sends commands at a pace until it is cut off, or has sent `most`. */
async function atPace(socket: Socket, perTick: number, most: number): Promise<{ isCut: boolean; messages: number }> {
  const message = commandMessage();
  let isCut = false;
  let messages = 0;
  socket
    .on('error', () => undefined)
    .on('close', () => {
      isCut = true;
    });
  socket.resume();
  await once(socket, 'connect');
  const beganMs = performance.now();
  const pace = setInterval(() => {
    // By the clock for a pace that is too fast: a machine that holds this process up makes it no slower. Else by the tick: no burst.
    const due = ((performance.now() - beganMs) / 1e3) * mockModel.controlHz * perTick;
    const now = perTick > MAY_PER_TICK ? due - messages : perTick;
    for (let i = 0; i < now && !isCut; i++, messages++) socket.write(message);
  }, 1e3 / mockModel.controlHz);
  try {
    await until(() => isCut || messages >= most, 'the end of the connection, or of what was to be said', 40_000);
  } finally {
    clearInterval(pace);
    socket.destroy();
  }
  return { isCut, messages };
}

/** A command as any. */
function commandMessage(): Uint8Array {
  const shape = {
    joints: 6,
    signals: 0,
    actions: mockAction.dimensions.length,
    controlHz: 100,
    timing: 'real-time',
  } as const;
  const row = new Float64Array(commandNumbers(shape));
  packCommand(row, 0, createActionCommand(shape.actions));
  return encodeMessage(COMMAND, new Uint8Array(row.buffer));
}

function residentBytes(pid: number): number {
  return 4096 * Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
}
