import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { StreamWatcher } from '../../../tests/support/browser.ts';
import { until } from '../../../tests/support/until.ts';
import { encodeJson } from '../../rows/index.ts';
import { encodeNumbers, FRAME_LAYOUT, type FrameView } from '../../rows/telemetry.ts';
import type { PersonRequest } from '../../session/index.ts';
import type { MonitorPlace } from './access.ts';
import { MonitorServer } from './server.ts';

const token = 'an-operators-token-123456';
let folder: string;
let server: MonitorServer;
let address: string;
let asked: PersonRequest[];
let pages: StreamWatcher[];

async function serve(place: Partial<MonitorPlace> = {}): Promise<void> {
  server = new MonitorServer({
    place: { host: '127.0.0.1', port: 0, ...place },
    pages: folder,
    onRequest: (request) => asked.push(request),
  });
  address = `http://127.0.0.1:${await server.listen()}/`;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-monitor-server-'));
  writeFileSync(join(folder, 'index.html'), '<p>page</p>');
  asked = [];
  pages = [];
});
afterEach(async () => {
  for (const page of pages) page.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function page(hello: Record<string, unknown> = {}): Promise<StreamWatcher> {
  const one = new StreamWatcher(address, hello);
  pages.push(one);
  await until(() => one.all('operators').length > 0, 'a page that is let in');
  return one;
}

const INPUT = { kind: 'input', shownAtS: 1, isEnabled: true, isRecovering: false, action: [1, 0] };
const TAKE_OVER = { kind: 'takeOver', shownAtS: 1, device: 'keyboard' };
const notices = (one: StreamWatcher): unknown[] => one.all('notice').map(({ line }) => line);

describe('who asks for what', () => {
  it('moves from the seat only, stops from anywhere', async () => {
    await serve();
    const [ann, ben, eve] = [await page({ name: 'Ann' }), await page({ name: 'Ben' }), await page({ watchOnly: true })];
    ann.ask({ kind: 'sit' });
    await until(() => ann.all('operators').at(-1)?.['isYours'] === true, 'the seat');
    for (const one of [ben, eve]) one.ask({ kind: 'sit' });
    ann.ask(TAKE_OVER);
    for (const one of [ann, ben, eve]) {
      one.ask(INPUT);
      one.ask({ kind: 'start' });
    }
    await until(() => notices(ben).length === 2 && notices(eve).length === 2, 'the refusals');
    expect(notices(ben)).toEqual([
      'Ann operates the robot: they must leave the seat, or be idle for 60 s.',
      'Ann operates the robot.',
    ]);
    expect(notices(eve)[0]).toContain('shows the robot only');
    expect(asked).toEqual([{ ...TAKE_OVER, by: 'Ann' }, INPUT, { kind: 'start' }]);
    eve.ask({ kind: 'stop' });
    await until(() => asked.length === 4, 'the stop');
    expect(asked[3]).toMatchObject({ kind: 'stop', by: 'watcher' });
  });

  it('names another page of the same person as that', async () => {
    await serve();
    const [first, second] = [await page({ name: 'Ann' }), await page({ name: 'Ann' })];
    first.ask({ kind: 'sit' });
    await until(() => second.all('operators').at(-1)?.['holder'] === 'Another page of Ann', 'the seat');
    second.ask({ kind: 'sit' });
    await until(() => notices(second).length === 1, 'the refusal');
    expect(notices(second)[0]).toMatch(/^Another page of Ann operates the robot: /);
    expect(first.all('operators').at(-1)?.['holder']).toBe('Ann');
  });

  it('moves nothing of what the person before has taken over', async () => {
    await serve();
    const [ann, ben] = [await page({ name: 'Ann' }), await page({ name: 'Ben' })];
    for (const request of [{ kind: 'sit' }, TAKE_OVER, INPUT, { kind: 'leave' }]) ann.ask(request);
    await until(() => asked.length === 2, 'what Ann asks for');
    for (const request of [{ kind: 'sit' }, INPUT, { kind: 'pause' }]) ben.ask(request);
    await until(() => asked.length > 2, 'what Ben asks for');
    expect(asked.slice(2)).toEqual([{ kind: 'pause' }]);
  });

  it('is only watched by whoever shows no token where a token was made, and stopped', async () => {
    await serve({ token, guests: 'watch' });
    const [guest, ann] = [await page(), await page({ token })];
    expect(guest.all('operators').at(-1)).toMatchObject({ right: 'watch' });
    for (const kind of ['sit', 'start', 'reset', 'stop']) guest.ask({ kind });
    await until(() => notices(guest).length === 3, 'the refusals');
    expect(asked).toEqual([{ kind: 'stop', by: 'watcher' }]);
    ann.ask({ kind: 'sit' });
    await until(() => ann.all('operators').at(-1)?.['isYours'] === true, 'the seat');
  });

  it('is watched and stopped with a token of an earlier run, which is said, and nothing more', async () => {
    await serve({ token, guests: 'watch' });
    const stale = await page({ token: token.slice(1) });
    await until(() => notices(stale).length === 1, 'the sentence');
    expect(notices(stale)[0]).toContain('not of this run');
    for (const kind of ['sit', 'start', 'stop']) stale.ask({ kind });
    await until(() => notices(stale).length === 3, 'the refusals');
    expect(asked).toEqual([{ kind: 'stop', by: 'watcher' }]);
  });

  it('is nobody once a page is gone: the seat is free', async () => {
    await serve();
    const [ann, ben] = [await page({ name: 'Ann' }), await page({ name: 'Ben' })];
    ann.ask({ kind: 'sit' });
    await until(() => ben.all('operators').at(-1)?.['holder'] === 'Ann', 'the seat');
    ann.close();
    await until(() => ben.all('operators').at(-1)?.['holder'] === '', 'the free seat');
  });
});

it('sends a page that answers frames no further one before, and then the newest', async () => {
  await serve();
  const slow = await page({ window: 2 });
  const { scalars, arrays } = FRAME_LAYOUT;
  const empty = Object.fromEntries([...scalars.map((key) => [key, 0]), ...arrays.map((key) => [key, []])]);
  for (let sentAtS = 1; sentAtS <= 5; sentAtS++) {
    server.publish(encodeNumbers(FRAME_LAYOUT, { ...(empty as unknown as FrameView), sentAtS }));
  }
  server.publish(encodeJson('status', {}));
  await until(() => slow.all('status').length === 1, 'what is no frame');
  expect(slow.frames.map(({ sentAtS }) => sentAtS)).toEqual([1, 2]);
  slow.ask({ kind: 'seen' });
  await until(() => slow.frames.length === 3, 'the next frame');
  expect(slow.frame?.sentAtS).toBe(5);
});

describe('bad input', () => {
  it.each([
    ['no JSON', 'hello there'],
    ['no request', '{"kind":"fly"}'],
    ['a list', '[1,2]'],
    ['an action of words', JSON.stringify({ ...INPUT, action: ['1', '2'] })],
    ['an endless action', JSON.stringify({ ...INPUT, action: Array.from({ length: 100 }, () => 0) })],
    ['a frame that nobody has', JSON.stringify({ ...INPUT, frame: 'camera' })],
    ['no time', JSON.stringify({ ...INPUT, shownAtS: null })],
  ])('%s is refused in one sentence, and nothing is done', async (_, text) => {
    await serve();
    const one = await page();
    one.ask({ kind: 'sit' });
    one.socket.send(text);
    await until(() => notices(one).length > 0, 'the refusal');
    expect(notices(one)).toEqual(['Unknown request: nothing was done.']);
    expect(asked).toEqual([]);
  });

  it.each([
    ['too long a message', (one: StreamWatcher) => one.socket.send('x'.repeat(5000)), 1009],
    [
      'an absurd rate',
      (one: StreamWatcher) => {
        for (let i = 0; i < 300; i++) one.ask({ kind: 'alive' });
      },
      1013,
    ],
  ])('%s ends the page, and frees the seat', async (_, misbehave, code) => {
    await serve();
    const one = await page();
    const other = await page();
    one.ask({ kind: 'sit' });
    let closed = 0;
    one.socket.on('close', (given) => {
      closed = given;
    });
    misbehave(one);
    await until(() => closed !== 0, 'the end of the page');
    expect(closed).toBe(code);
    await until(() => other.all('operators').at(-1)?.['holder'] === '', 'the free seat');
  });

  it('who is to go and does not is heard no more, and has no seat', async () => {
    await serve();
    const [one, other] = [await page(), await page()];
    one.ask({ kind: 'sit' });
    await until(() => other.all('operators').at(-1)?.['holder'] !== '', 'the seat');
    // Reads nothing, not even the close frame.
    one.socket.pause();
    for (let i = 0; i < 300; i++) one.ask({ kind: 'alive' });
    await until(() => other.all('operators').at(-1)?.['holder'] === '', 'the free seat');
    // In the next second, with a fresh message allowance.
    await delay(1200);
    one.ask({ kind: 'stop' });
    other.ask({ kind: 'stop' });
    await until(() => asked.length > 0, 'the stop');
    await delay(50);
    expect(asked).toEqual([{ kind: 'stop', by: 'watcher (2)' }]);
  });

  it('a thousand connections that say nothing keep nobody out, nor end what is there', async () => {
    await serve();
    const ann = await page();
    const { port, host } = new URL(address);
    const strangers = Array.from({ length: 1000 }, () => connect(Number(port), '127.0.0.1'));
    for (const stranger of strangers) stranger.on('error', () => undefined);
    // Including connections that close before they are answered.
    for (const stranger of strangers.slice(0, 20)) {
      stranger.write(`GET /nowhere HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
      stranger.once('connect', () => stranger.resetAndDestroy());
    }
    await until(() => strangers.filter(({ closed }) => closed).length > 700, 'most of them turned away');
    ann.ask({ kind: 'stop' });
    await until(() => asked.length === 1, 'the stop');
    for (const stranger of strangers) stranger.destroy();
    const silent = Array.from({ length: 100 }, () => new WebSocket(`ws://${host}/stream`));
    for (const one of silent) one.on('error', () => undefined);
    await until(() => silent.filter(({ readyState }) => readyState === WebSocket.CLOSED).length >= 36, 'room made');
    await page();
    for (const one of silent) one.terminate();
  });

  it('pings are not answered: who sent them and read nothing would fill the memory with answers', async () => {
    await serve();
    const one = await page();
    let answers = 0;
    one.socket.on('pong', () => answers++);
    for (let i = 0; i < 10; i++) one.socket.ping();
    one.ask({ kind: 'fly' });
    await until(() => notices(one).length > 0, 'an answer to what came after them');
    expect(answers).toBe(0);
  });

  it('a flood of stops is a few, and none beyond the rate is lost', async () => {
    await serve({ token, guests: 'watch' });
    const busy = await page();
    for (let i = 0; i < 250; i++) busy.ask({ kind: 'alive' });
    busy.ask({ kind: 'stop' });
    await until(() => asked.length === 1, 'the stop');
    const flood = await page();
    let isClosed = false;
    flood.socket.on('close', () => {
      isClosed = true;
    });
    for (let i = 0; i < 260; i++) flood.ask({ kind: 'stop' });
    await until(() => isClosed && asked.length > 1, 'the end of the flood');
    expect(asked.length).toBeLessThan(20);
    expect(new Set(asked.map(({ kind }) => kind))).toEqual(new Set(['stop']));
  });

  it('a flood of buttons from the seat is a few, in one sentence, and no stop or motion is among what is left out', async () => {
    await serve();
    const ann = await page();
    for (const request of [{ kind: 'sit' }, TAKE_OVER]) ann.ask(request);
    for (let i = 0; i < 100; i++) ann.ask({ kind: 'mark', mark: 'success' });
    for (const request of [{ kind: 'savePolicy' }, INPUT, { kind: 'stop' }]) ann.ask(request);
    await until(() => asked.at(-1)?.kind === 'stop', 'the stop');
    expect(asked.at(-2)?.kind).toBe('input');
    const marks = asked.filter(({ kind }) => kind === 'mark').length;
    expect(marks).toBeGreaterThanOrEqual(18);
    expect(marks).toBeLessThan(90);
    await until(() => notices(ann).length > 0, 'the sentence');
    expect(notices(ann)).toEqual(['More than 10 buttons in a second: the others are ignored.']);
  });

  it('keeps a place for whoever may operate, however many watch', async () => {
    await serve({ token, guests: 'watch' });
    const watching = Array.from({ length: 60 }, () => new StreamWatcher(address));
    pages.push(...watching);
    const isOver = ({ said, socket }: StreamWatcher): boolean => said.length > 0 || socket.readyState > 1;
    await until(() => watching.every(isOver), 'whoever finds a place');
    expect(watching.filter(({ said }) => said.length > 0).length).toBeLessThan(60);
    await page({ token });
  });

  it.each([
    ['cut', Uint8Array.of(encodeJson('run', {})[0]!, 0x7b)],
    ['of nothing', encodeJson('run', [])],
    ['of who operates', encodeJson('operators', { isYours: true })],
  ])('a packet of the run that is %s is told to nobody', async (_, packet) => {
    await serve();
    const one = await page();
    server.publish(packet);
    server.publish(encodeJson('status', {}));
    await until(() => one.all('status').length === 1, 'what comes after it');
    expect([one.all('run'), one.all('operators').length]).toEqual([[], 1]);
  });

  it('a wrong token is not let in, and learns nothing', async () => {
    await serve({ token });
    server.publish(encodeJson('status', { phase: 'training' }));
    for (const given of [undefined, '', 'wrong', token.slice(1)]) {
      const one = new StreamWatcher(address, { token: given });
      let code = 0;
      one.socket.on('close', (why) => {
        code = why;
      });
      await until(() => code !== 0, 'the refusal');
      expect([code, one.said]).toEqual([1008, []]);
    }
    await page({ token });
  });

  it('a foreign origin or host gets neither page nor stream', async () => {
    await serve();
    const { host } = new URL(address);
    const refused = await fetch(address, { headers: { origin: 'https://example.org' } });
    expect([refused.status, await refused.json()]).toEqual([403, { error: expect.stringContaining('example.org') }]);
    const one = new StreamWatcher(address, {}, { origin: 'https://example.org' });
    let failure = '';
    one.socket.on('error', (error) => {
      failure = error.message;
    });
    await until(() => failure !== '', 'the refusal');
    expect(failure).toContain('403');
    const own = await fetch(address, { headers: { origin: `http://${host}` } });
    expect(own.status).toBe(200);
    expect(own.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('figures for Prometheus are given with the token only', async () => {
    await serve({ token });
    server.publish(encodeJson('episode', { success: true }));
    expect((await fetch(`${address}metrics`)).status).toBe(401);
    const answer = await fetch(`${address}metrics`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.headers.get('content-type')).toContain('version=0.0.4');
    expect(await answer.text()).toContain('\nrein_episodes_total{result="success"} 1\n');
  });

  it('an address that is written in another way needs the token, too', async () => {
    await serve({ token });
    const statusOf = (path: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const { hostname, port, host } = new URL(address);
        const asked = request({ hostname, port, path, headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asked.on('error', reject).end();
      });
    const written = ['/%61pi/runs', '/ap%69/files/metrics', '/%6detrics', `${address}api/runs`, `${address}metrics`];
    for (const path of written) expect([path, await statusOf(path)]).toEqual([path, 401]);
  });

  it('a file is given by its name only, and with the token only', async () => {
    await serve({ token });
    server.publish(encodeJson('run', { folder }));
    writeFileSync(join(folder, 'metrics.jsonl'), '{"a":1}\n{"a":2}\n{"cut');
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    const read = async (name: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) => {
      const answer = await fetch(`${address}api/files/${name}`, { headers });
      return [answer.status, await answer.text()];
    };
    expect(await read('metrics')).toEqual([200, '{"a":1}\n{"a":2}\n']);
    expect(await read('metrics?from=8')).toEqual([200, '{"a":2}\n']);
    expect((await read('metrics', {}))[0]).toBe(401);
    for (const name of [
      'secret.txt',
      '..%2fsecret.txt',
      'constructor',
      '__proto__',
      'metrics?from=-1',
      'metrics?from=x',
    ]) {
      expect((await read(name))[0]).toBeGreaterThanOrEqual(400);
    }
  });
});
