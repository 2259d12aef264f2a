/** Crowds of greedy connections: their cost is bounded, and operators are served beside them. */
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StreamWatcher } from '../../../tests/support/browser.ts';
import { selfSigned } from '../../../tests/support/certificate.ts';
import { until } from '../../../tests/support/until.ts';
import { encodeJson } from '../../rows/index.ts';
import { encodeNumbers, FRAME_LAYOUT, type FrameView } from '../../rows/telemetry.ts';
import { limitReading } from './answers.ts';
import { MonitorServer } from './server.ts';

const token = 'an-operators-token-123456';
const MIB = 2 ** 20;
let folder: string;
let server: MonitorServer;
let port: number;
let sockets: Socket[];
let pages: StreamWatcher[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rein-monitor-crowd-'));
  writeFileSync(join(folder, 'index.html'), '<p>page</p>');
  writeFileSync(join(folder, 'metrics.jsonl'), `"${'x'.repeat(1000)}"\n`.repeat(1000));
  sockets = [];
  pages = [];
  server = new MonitorServer({
    place: { host: '127.0.0.1', port: 0, token, guests: 'watch' },
    pages: folder,
    onRequest: () => undefined,
  });
  port = await server.listen();
  server.publish(encodeJson('run', { folder }));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const page of pages) page.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Connection that sends `text` and may be read; it keeps what it received. */
function caller(text: string, from = '127.0.0.1'): { readonly socket: Socket; said: string } {
  const one = { socket: connect({ port, host: '127.0.0.1', localAddress: from }), said: '' };
  one.socket.on('error', () => undefined);
  one.socket.on('data', (data) => {
    one.said += data;
  });
  one.socket.write(text);
  sockets.push(one.socket);
  return one;
}

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}\r\n`;
}

async function operator(): Promise<StreamWatcher> {
  const page = new StreamWatcher(`http://127.0.0.1:${port}/`, { token });
  pages.push(page);
  await until(() => page.all('operators').length > 0, 'a page that is let in');
  return page;
}

const { scalars, arrays } = FRAME_LAYOUT;
const EMPTY = Object.fromEntries([...scalars.map((key) => [key, 0]), ...arrays.map((key) => [key, []])]);

/**
 * Publishes `count` frames and waits for each; returns the most bytes queued in the server meanwhile, and the process's
 * memory outside the heap.
 */
async function shows(
  page: StreamWatcher,
  count: number,
): Promise<{ readonly waiting: number; readonly beside: number }> {
  let [waiting, beside] = [0, 0];
  for (let sentAtS = 1; sentAtS <= count; sentAtS++) {
    server.publish(encodeNumbers(FRAME_LAYOUT, { ...(EMPTY as unknown as FrameView), sentAtS }));
    await until(() => page.frame?.sentAtS === sentAtS, `frame ${sentAtS}`);
    waiting = Math.max(waiting, server.waitingBytes);
    beside = Math.max(beside, process.memoryUsage().external);
  }
  return { waiting, beside };
}

it.each([
  ['four connections that ask 300 times each', 4, 300],
  ['150 connections that ask 10 times each', 150, 10],
])('%s for a file and read nothing cost so much and no more, and pages get their frames', async (_, callers, times) => {
  const ann = await operator();
  const before = process.memoryUsage().external;
  for (let i = 0; i < callers; i++) caller(get('/api/files/metrics').repeat(times)).socket.pause();
  const { waiting, beside } = await shows(ann, 100);
  expect(waiting).toBeLessThan(17 * MIB);
  // Includes memory not yet collected.
  expect(beside - before).toBeLessThan(256 * MIB);
});

it('who may operate reads files beside guests who fill the room for theirs', async () => {
  // The kernel also buffers some megabytes for each.
  const fill = (): void => {
    for (let i = 0; i < 40; i++) caller(get('/api/files/metrics').repeat(10)).socket.pause();
  };
  fill();
  // On a slow machine responses are cut off as unread before enough of them wait.
  const again = setInterval(fill, 4000);
  await until(() => server.waitingBytes > 15 * MIB, 'answers that wait', 60_000).finally(() => clearInterval(again));
  const guest = caller(get('/api/files/metrics'));
  await until(() => guest.said.includes(' 503 '), 'the refusal');
  expect(guest.said).toContain('Too many answers wait to be read');
  const ann = caller(get('/api/files/metrics', `authorization: Bearer ${token}\r\n`));
  await until(() => ann.said.includes(' 200 ') && ann.said.length > 9e5, 'the file');
});

it('an answer that is not read in time is cut off, and later the longer it is', () => {
  vi.useFakeTimers();
  try {
    const answers = [0, 6 * MIB].map((bytes) => {
      const answer = Object.assign(new EventEmitter(), { destroy: vi.fn() });
      limitReading(answer as unknown as ServerResponse, bytes);
      return answer;
    });
    const cut = (): number[] => answers.map(({ destroy }) => destroy.mock.calls.length);
    vi.advanceTimersByTime(9_000);
    expect(cut()).toEqual([0, 0]);
    vi.advanceTimersByTime(2_000);
    expect(cut()).toEqual([1, 0]);
    vi.advanceTimersByTime(100_000);
    expect(cut()).toEqual([1, 1]);
  } finally {
    vi.useRealTimers();
  }
});

it('requests that are sent without waiting are answered in their order', async () => {
  const one = caller(`${get('/api/files/metrics')}${get('/api/relabels')}${get('/nowhere')}`);
  await until(() => one.said.includes(' 404 '), 'the last answer');
  expect([...one.said.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, code]) => code)).toEqual(['200', '200', '404']);
});

it('300 connections that asked once and then rest keep nobody out', async () => {
  const resting = Array.from({ length: 300 }, () => caller(get('/')));
  const isOver = ({ said, socket }: (typeof resting)[number]): boolean => said.includes(' 200 ') || socket.closed;
  await until(() => resting.every(isOver), 'their answers');
  await operator();
  const page = caller(get('/'));
  await until(() => page.said.includes(' 200 '), 'the page');
});

it('connections over TLS are bounded alike', async () => {
  await server.close();
  const tls = selfSigned();
  const place = { host: '127.0.0.1', port: 0, token, tls };
  server = new MonitorServer({ place, pages: folder, onRequest: () => undefined });
  port = await server.listen();
  const said = async (requests: number): Promise<string> => {
    const socket = connectTls({ port, host: '127.0.0.1', ca: tls.cert, servername: 'localhost' });
    sockets.push(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      text += data;
    });
    socket.write(get('/').repeat(requests - 1) + get('/', 'connection: close\r\n'));
    await until(() => socket.closed, 'the end');
    return text;
  };
  expect((await said(16)).match(/ 200 /g)?.length).toBe(16);
  expect(await said(17)).not.toContain(' 200 ');
});

it('connections of one address leave room for those of others', async () => {
  const others = Array.from({ length: 40 }, () => caller(get('/')));
  await until(() => others.every(({ said }) => said.includes(' 200 ')), 'their answers');
  const crowd = Array.from({ length: 300 }, () => caller(get('/'), '127.0.0.2'));
  await until(
    () => crowd.every(({ said, socket }) => said.includes(' 200 ') || socket.closed),
    'the answers of the crowd',
  );
  expect(others.filter(({ socket }) => socket.closed).length).toBe(0);
  expect(crowd.filter(({ socket }) => socket.closed).length).toBeGreaterThanOrEqual(300 - 192);
});
