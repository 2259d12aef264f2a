/** What a run tells programs of others while it goes on, and what is on the disk when it is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Channel, FoxgloveClient, type MessageData } from '@foxglove/ws-protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { savePolicy } from '../../bench/policy/steady-policy.ts';
import { TraceReader } from '../../src/record/trace.ts';
import { StreamWatcher } from '../support/browser.ts';
import { LiveRun } from '../support/live-run.ts';
import { countCutMcap, readMcap } from '../support/mcap.ts';
import { until } from '../support/until.ts';

const dist = (file: string): string => new URL(`../../dist/${file}`, import.meta.url).href;
/** Records an episode that ends, and the first steps of one that never does. */
const PROGRAM = `
  const { encodeJson, encodeNumbers, STEP_LAYOUT } = await import('${dist('rows/index.js')}');
  const { TraceRecorder } = await import('${dist('record/trace.js')}');
  const trace = new TraceRecorder({ folder: process.argv[2], onTrouble: (line) => console.error(line) });
  const zeros = Object.fromEntries([...STEP_LAYOUT.scalars.map((key) => [key, 0]), ...STEP_LAYOUT.arrays.map((key) => [key, [0]])]);
  const step = (episode, step) => trace.packet(encodeNumbers(STEP_LAYOUT, { ...zeros, episode, step }));
  trace.packet(encodeJson('run', { runId: 'r1' }));
  for (let i = 0; i < 3; i++) step(0, i);
  trace.packet(encodeJson('episode', { episode: 0, steps: 3, success: true }));
  for (let i = 0; i < 30; i++) step(1, i);
  // The robot stands, and says nothing more.
  setInterval(() => undefined, 1000);
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-trace-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is whole up to the last seconds when its process is killed', async () => {
  const program = join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const child = spawn(process.execPath, [program, folder], { stdio: 'inherit' });
  const path = join(folder, 'trace.mcap');
  const steps = (): number => (existsSync(path) ? (countCutMcap(path).get('/step') ?? 0) : 0);
  await until(() => steps() === 33, 'steps on the disk', 20_000);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(steps()).toBe(33);
  expect(await new TraceReader(folder).episodes()).toMatchObject([{ episode: 0, traced: 3, success: true }]);
});

/** What Foxglove's own client is told on `topics`, which it subscribes to once they are offered. */
class Viewer {
  readonly channels = new Map<string, Channel>();
  readonly said = new Map<string, Record<string, unknown>[]>();
  readonly client: FoxgloveClient;
  readonly #topics = new Map<number, string>();

  constructor(address: string, topics: readonly string[]) {
    const url = `${address.replace(/^http/, 'ws')}foxglove`;
    this.client = new FoxgloveClient({ ws: new WebSocket(url, [FoxgloveClient.SUPPORTED_SUBPROTOCOL]) as never });
    this.client.on('advertise', (channels) => {
      for (const channel of channels) {
        this.channels.set(channel.topic, channel);
        if (topics.includes(channel.topic)) this.#topics.set(this.client.subscribe(channel.id), channel.topic);
      }
    });
    this.client.on('message', ({ subscriptionId, data }: MessageData) => {
      const topic = this.#topics.get(subscriptionId)!;
      this.said.set(topic, [
        ...(this.said.get(topic) ?? []),
        JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()),
      ]);
    });
  }

  count(topic: string): number {
    return this.said.get(topic)?.length ?? 0;
  }
}

it("a robot at work is seen by Foxglove's own client, and by Prometheus", { timeout: 90_000 }, async () => {
  const run = new LiveRun(folder);
  try {
    const policy = await savePolicy(join(folder, 'policy'));
    const config = run.mockConfig();
    const robot = run.start(
      ...[
        'run',
        '--policy',
        policy,
        '--config',
        config,
        '--out',
        'robot',
        '--start',
        'now',
        '--monitor',
        '127.0.0.1:0',
      ],
    );
    const address = await until(() => /monitor: (http\S+)/.exec(robot.said())?.[1], 'the address', 30_000);
    const viewer = new Viewer(address, ['/joints', '/scene', '/tf', '/step', '/log']);
    await until(() => viewer.count('/step') > 20, 'steps', 30_000);
    expect(viewer.channels.get('/joints')).toMatchObject({ schemaName: 'foxglove.JointStates', encoding: 'json' });
    const { joints } = viewer.said.get('/joints')!.at(-1) as never as {
      readonly joints: readonly { readonly name: string; readonly position: number }[];
    };
    expect(joints.map(({ position }) => typeof position)).toEqual(Array.from({ length: 6 }, () => 'number'));
    const frames = (
      viewer.said.get('/tf')!.at(-1) as never as { readonly transforms: readonly { readonly child_frame_id: string }[] }
    ).transforms;
    expect(frames.map(({ child_frame_id: name }) => name)).toEqual(
      expect.arrayContaining(joints.map(({ name }) => name)),
    );
    expect(viewer.count('/scene')).toBeGreaterThan(0);
    const page = new StreamWatcher(address);
    await until(() => page.all('operators').length > 0, 'a page');
    page.ask({ kind: 'stop' });
    await until(() => viewer.said.get('/log')?.some(({ level }) => Number(level) >= 2), 'what is said of the stop');
    page.close();
    // Nothing that it sends reaches the robot.
    const told = new Promise((resolve) => viewer.client.on('status', resolve));
    viewer.client.advertise({ topic: '/cmd', encoding: 'json', schemaName: '' });
    expect(await told).toMatchObject({ message: expect.stringContaining('only shows the robot') });
    const figures = await (await fetch(`${address}metrics`)).text();
    expect(figures).toMatch(/^rein_ticks_total [1-9]/m);
    expect(figures).toMatch(/^rein_tick_lateness_seconds_count [1-9]/m);
    robot.child.kill('SIGINT');
    await robot.exit;
    const { messages } = await readMcap(join(folder, 'robot', 'trace.mcap'));
    expect(messages.get('/step')!.length).toBeGreaterThanOrEqual(viewer.count('/step') - 1);
  } finally {
    await run.end();
  }
});
