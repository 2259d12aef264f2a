import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { StreamWatcher } from '../../../tests/support/browser.ts';
import { until } from '../../../tests/support/until.ts';
import { CHANNELS } from '../../record/trace/channels.ts';
import { encodeJson, encodeNumbers, FRAME_LAYOUT } from '../../rows/index.ts';
import { MonitorServer } from './server.ts';

const viewToken = 'a-viewers-token-123456789';
let folder: string;
let server: MonitorServer;
let port: number;
let sockets: WebSocket[];

async function serve(place: { readonly viewToken?: string; readonly token?: string } = {}): Promise<void> {
  server = new MonitorServer({
    place: { host: '127.0.0.1', port: 0, ...place },
    pages: folder,
    onRequest: () => undefined,
  });
  port = await server.listen();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-foxglove-'));
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Told {
  readonly id: number;
  readonly message: Record<string, unknown>;
}

class Viewer {
  readonly socket: WebSocket;
  readonly said: Record<string, unknown>[] = [];
  readonly told: Told[] = [];

  constructor(path = '/foxglove', headers: Record<string, string> = {}, protocols: string[] = ['foxglove.sdk.v1']) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers });
    sockets.push(this.socket);
    this.socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.told.push({ id: data.readUInt32LE(1), message: JSON.parse(data.subarray(13).toString()) });
      else this.said.push(JSON.parse(data.toString()));
    });
  }

  subscribe(id: number, topic: string): void {
    const channelId = CHANNELS.findIndex((channel) => channel.topic === topic);
    this.socket.send(JSON.stringify({ op: 'subscribe', subscriptions: [{ id, channelId }] }));
  }
}

async function viewer(...given: ConstructorParameters<typeof Viewer>): Promise<Viewer> {
  const made = new Viewer(...given);
  await until(() => made.said.some(({ op }) => op === 'advertise'), 'the channels');
  return made;
}

function frame(tick: number): Uint8Array {
  const numbers = FRAME_LAYOUT.arrays.map((key) => [key, new Float64Array(20)]);
  const scalars = FRAME_LAYOUT.scalars.map((key) => [key, 0]);
  return encodeNumbers(FRAME_LAYOUT, {
    ...Object.fromEntries([...scalars, ...numbers]),
    tick,
    measuredAtS: tick / 100,
  });
}

describe('a viewer', () => {
  it('is told what it subscribes to: first what was said before it came', async () => {
    await serve();
    for (let i = 0; i < 3; i++) server.publish(encodeJson('event', { level: 'warn', message: `message ${i}` }));
    server.publish(frame(1));
    server.publish(frame(2));
    const one = await viewer();
    one.subscribe(7, '/log');
    one.subscribe(9, '/frame');
    await until(() => one.told.length === 4, 'what was said before');
    expect(one.told.map(({ id, message }) => [id, message['message'] ?? message['tick']])).toEqual([
      [7, 'message 0'],
      [7, 'message 1'],
      [7, 'message 2'],
      [9, 2],
    ]);
    one.socket.send(JSON.stringify({ op: 'unsubscribe', subscriptionIds: [7, 9] }));
    one.subscribe(8, '/frame');
    await until(() => one.told.at(-1)!.id === 8, 'the newest frame again');
    server.publish(encodeJson('event', { message: 'after' }));
    server.publish(frame(3));
    await until(() => one.told.length === 6, 'the frame after');
    expect(one.told.slice(4).map(({ id, message }) => [id, message['tick']])).toEqual([
      [8, 2],
      [8, 3],
    ]);
  });

  it('has one subscription for each channel: what is more is refused in a status, and sent to nobody', async () => {
    await serve();
    const one = await viewer();
    one.subscribe(1, '/frame');
    one.subscribe(2, '/frame');
    one.subscribe(1, '/log');
    await until(() => one.said.filter(({ op }) => op === 'status').length === 2, 'the refusals');
    expect(one.said.filter(({ op }) => op === 'status')).toEqual([
      { op: 'status', level: 1, message: 'A client has one subscription for each channel.' },
      { op: 'status', level: 1, message: 'This number is in use.' },
    ]);
    one.subscribe(3, '/log');
    server.publish(frame(1));
    server.publish(encodeJson('event', { message: 'after' }));
    await until(() => one.told.length === 2, 'what is subscribed to');
    expect(one.told.map(({ id }) => id)).toEqual([1, 3]);
  });

  it('is one of a few, and all together take so much of the server: pages get every frame', async () => {
    await serve();
    const page = new StreamWatcher(`http://127.0.0.1:${port}/`);
    sockets.push(page.socket);
    await until(() => page.all('operators').length > 0, 'a page that is let in');
    const asked = Array.from({ length: 16 }, () => new Viewer());
    const isOver = ({ said, socket }: Viewer): boolean => said.length > 1 || socket.readyState === WebSocket.CLOSED;
    for (const { socket } of asked) socket.on('error', () => undefined);
    await until(() => asked.every(isOver), 'those that are let in');
    const viewers = asked.filter(({ said }) => said.length > 0);
    expect(viewers.length).toBe(8);
    const channelId = CHANNELS.findIndex(({ topic }) => topic === '/frame');
    for (const { socket } of viewers) {
      for (let id = 0; id < 40; id++)
        socket.send(JSON.stringify({ op: 'subscribe', subscriptions: [{ id, channelId }] }));
    }
    await until(() => viewers.every(({ said }) => said.some(({ op }) => op === 'status')), 'the refusals');
    const beganMs = performance.now();
    for (let tick = 1; tick <= 3000; tick++) {
      server.publish(frame(tick));
      if (tick % 100 === 0) await until(() => page.frame?.tick === tick, `frame ${tick}`);
    }
    expect(page.frames.length).toBeGreaterThanOrEqual(30);
    const bytes = viewers
      .flatMap(({ told }) => told)
      .reduce((sum, { message }) => sum + JSON.stringify(message).length, 0);
    expect(bytes).toBeLessThan(2 ** 20 * (1 + 8 * ((performance.now() - beganMs) / 1e3)) + 1e5);
    // Skipped frames are no loss: the newest arrives once nothing else does.
    await until(() => viewers.every(({ told }) => told.at(-1)?.message['tick'] === 3000), 'the newest frame');
  });

  it('that reads nothing costs so much and no more, and then has the newest', async () => {
    await serve();
    const one = await viewer();
    one.subscribe(0, '/frame');
    one.subscribe(1, '/log');
    server.publish(frame(0));
    await until(() => one.told.length === 1, 'the first frame');
    one.socket.pause();
    for (let tick = 1; tick <= 20_000; tick++) {
      server.publish(frame(tick));
      if (tick % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    // Bytes in transit, and one frame: none is queued behind another.
    expect(server.waitingBytes).toBeLessThan(100_000);
    one.socket.resume();
    await until(() => one.told.at(-1)!.message['tick'] === 20_000, 'the newest frame');
    expect(one.told.length).toBeLessThan(15_000);
  });

  it.each([
    ['of another site', {}, '/foxglove', { origin: 'https://example.org' }, undefined],
    ['without the token', { token: viewToken }, '/foxglove', {}, undefined],
    ['with a wrong token', { token: viewToken }, '/foxglove?token=wrong', {}, undefined],
    ['that speaks something else', {}, '/foxglove', {}, ['mqtt']],
    ['that asks for something else', {}, '//', {}, undefined],
  ])('%s is not served', async (_, place, path, headers, protocols) => {
    await serve(place);
    const one = new Viewer(path, headers as Record<string, string>, protocols);
    const [error] = await once(one.socket, 'error');
    expect(String(error)).toContain('403');
  });

  it('of another site is served with its token', async () => {
    await serve({ viewToken });
    const one = await viewer(`/foxglove?token=${viewToken}`, { origin: 'https://lichtblick.example.org' });
    expect(one.said[0]).toMatchObject({ op: 'serverInfo', capabilities: [] });
  });

  it.each([
    ['no JSON', 'hello'],
    ['bytes', Buffer.from([1, 2, 3])],
    ['a channel that is not there', JSON.stringify({ op: 'subscribe', subscriptions: [{ id: 1, channelId: 99 }] })],
    ['a number that is none', JSON.stringify({ op: 'subscribe', subscriptions: [{ id: -1, channelId: 0 }] })],
    ['another request', JSON.stringify({ op: 'setParameters' })],
  ])('that sends %s is told so, and goes on', async (_, bad) => {
    await serve();
    const one = await viewer();
    one.socket.send(bad);
    await until(() => one.said.some(({ op }) => op === 'status'), 'the refusal');
    one.subscribe(1, '/frame');
    server.publish(frame(5));
    await until(() => one.told.length > 0, 'the frame');
  });

  it('that subscribes without end is let go of, and the others go on', async () => {
    await serve();
    const [one, other] = [await viewer(), await viewer()];
    let code = 0;
    one.socket.on('close', (given) => {
      code = given;
    });
    const subscriptions = Array.from({ length: 400 }, () => ({ id: 1, channelId: 0 }));
    one.socket.send(JSON.stringify({ op: 'subscribe', subscriptions }));
    await until(() => code !== 0, 'the end of it');
    expect(code).toBe(1013);
    other.subscribe(1, '/frame');
    server.publish(frame(5));
    await until(() => other.told.length > 0, 'the frame');
  });
});
