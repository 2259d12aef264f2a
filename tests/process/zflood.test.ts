import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { createActionCommand } from '../../src/guard/index.ts';
import { commandNumbers, packCommand } from '../../src/guard/link/frames.ts';
import { encodeMessage } from '../../src/guard/link/wire.ts';
import { guardReady } from '../support/guard-ready.ts';
import { mockAction, mockModel } from '../support/mock-guard.ts';
import { until } from '../support/until.ts';

const guardModule = fileURLToPath(new URL('../../dist/guard/guard-process.js', import.meta.url));
it('flood', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-flood-'));
  const socketPath = join(folder, 'guard.sock');
  const options = { name: 'mock', options: {} };
  const config = { model: mockModel, action: mockAction, policyPeriodS: 0.1, driver: options, socketPath };
  writeFileSync(join(folder, 'guard.json'), JSON.stringify({ ...config, authority: 'node', realTimePriority: 'no' }));
  const guard = fork(guardModule, [join(folder, 'guard.json')], {
    execArgv: ['--require', '/work/wt/f/probe.cjs'],
    env: { ...process.env, REIN_LOG: 'fatal', PROBE_OUT: '/work/wt/f/out' },
  });
  await guardReady(guard);
  const S = Number(process.env['FS']);
  const t0 = performance.now();
  let next = 0;
  let cuts = 0;
  while (performance.now() - t0 < 1e3 * S) {
    await flood(connect(socketPath));
    cuts++;
    if (performance.now() - t0 > next) {
      const b = res(guard.pid!);
      if (process.env['GC']) guard.kill('SIGUSR2');
      await new Promise((r) => setTimeout(r, 300));
      console.log(
        JSON.stringify({ s: Math.round((performance.now() - t0) / 1e3), cuts, rss: b, after: res(guard.pid!) }),
      );
      next += 15e3;
    }
  }
  guard.kill('SIGKILL');
}, 1e6);
function res(pid: number) {
  return (4096 * Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])) / 1e6;
}
async function flood(socket: Socket): Promise<void> {
  const many = Buffer.concat(new Array<Uint8Array>(1000).fill(commandMessage()));
  let isCut = false;
  socket
    .on('error', () => undefined)
    .on('close', () => {
      isCut = true;
    });
  socket.on('connect', () => socket.write(many)).on('drain', () => socket.write(many));
  socket.resume();
  await until(() => isCut, 'the end', 20_000);
}
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
  return encodeMessage(3, new Uint8Array(row.buffer));
}
