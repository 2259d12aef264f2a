import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { observationSize, SystemClock } from '../../src/model/index.ts';
import { MonitorServer } from '../../src/monitor/web/server.ts';
import { TraceWriter } from '../../src/record/trace/trace-writer.ts';
import { Image } from '../../src/ros/messages/definitions.ts';
import { subscribeObservations } from '../../src/ros/observations/subscribe.ts';
import type { RosPort } from '../../src/ros/port/ros-port.ts';
import { decodeJson, kindOf } from '../../src/rows/telemetry.ts';
import type { LiveSession } from '../../src/session/session.ts';
import { Telemetry } from '../../src/session/telemetry.ts';
import { noBrowserBecause, openBrowser } from '../support/browser.ts';
import { standingFrame } from '../support/frames.ts';
import { readMcap } from '../support/mcap.ts';
import { until } from '../support/until.ts';

const pages = fileURLToPath(new URL('../../dist/monitor/app/', import.meta.url));
const setup = createSetup(resolveConfig({ task: 'drive-car-judged', seed: 0 }));
const [camera] = setup.task.topics!.filter(({ type }) => type === 'sensor_msgs/msg/Image');
const { name, widthPx = 0, heightPx = 0 } = camera!;

/** Bytes of a grey picture that is dark on its left and bright on its right. */
function halves(width: number, height: number): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, i) => (i % width < width / 2 ? 10 : 250));
}

let folder: string;
let server: MonitorServer;
let address: string;
let trace: TraceWriter;
let telemetry: Telemetry;
let browser: Browser | undefined;
const sent: Uint8Array[] = [];
const listeners = new Map<string, (message: never, receivedAtS: number) => void>();

/** The camera's driver publishes a picture, four times as large as it is observed. */
function publish(): void {
  const message = Image.create();
  const [width, height] = [4 * widthPx, 4 * heightPx];
  Object.assign(message, { width, height, encoding: 'mono8', step: width, data: halves(width, height) });
  listeners.get(camera!.topic)!(message as never, new SystemClock().nowS());
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rein-camera-'));
  server = new MonitorServer({ place: { host: '127.0.0.1', port: 0 }, pages, onRequest: () => undefined });
  address = `http://127.0.0.1:${await server.listen()}/`;
  trace = new TraceWriter({ folder, firstEpisode: 0, onTrouble: () => undefined });
  const port = {
    subscribe: (_: object, topic: string, __: object, heard: (message: never, receivedAtS: number) => void) => {
      listeners.set(topic, heard);
      return {};
    },
  } as unknown as RosPort;
  const observations = await subscribeObservations(port, setup.task.topics!);
  telemetry = new Telemetry({
    setup,
    runId: 'r',
    folder,
    command: 'ros',
    observations,
    send: (packet) => {
      sent.push(packet);
      server.publish(packet);
    },
    keep: (packet) => trace.add(packet),
  });
  const session = { state: {}, frame: standingFrame(), listen: () => () => undefined } as unknown as LiveSession;
  telemetry.attach(session);
  if (noBrowserBecause === undefined && existsSync(pages)) browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  telemetry.close();
  await browser?.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const told = (): number => sent.filter((packet) => kindOf(packet) === 'pictures').length;
const topic = `/camera/${name}`;

describe('a camera of the observation', { timeout: 60_000 }, () => {
  it('is shown as its newest picture, once, no more often than people can use', async () => {
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(told()).toBe(0);
    publish();
    await until(() => told() === 1, 'the picture');
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(told()).toBe(1);
    const endMs = performance.now() + 1000;
    while (performance.now() < endMs) {
      publish();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(told()).toBeLessThanOrEqual(1 + 5);
    const [packet] = sent.filter((each) => kindOf(each) === 'pictures');
    expect(packet!.byteLength).toBeLessThan(70_000);
    expect(decodeJson(packet!)).toMatchObject({ pictures: [{ name, widthPx, heightPx, channels: 1 }] });
  });

  it("is a channel of Foxglove's own schema, for viewers and in the trace", async () => {
    const viewer = new WebSocket(`${address.replace('http', 'ws')}foxglove`, 'foxglove.sdk.v1');
    const heard: Record<string, unknown>[] = [];
    const images: Record<string, unknown>[] = [];
    viewer.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) images.push(JSON.parse(data.subarray(13).toString()));
      else heard.push(JSON.parse(data.toString()));
    });
    await until(() => heard.some(({ op }) => op === 'advertise'), 'the channels');
    const { channels } = heard.find(({ op }) => op === 'advertise') as { channels: { topic: string; id: number }[] };
    const channel = channels.find((each) => each.topic === topic)!;
    expect(channel).toMatchObject({ schemaName: 'foxglove.RawImage' });
    viewer.send(JSON.stringify({ op: 'subscribe', subscriptions: [{ id: 3, channelId: channel.id }] }));
    await until(() => images.length > 0, 'the picture from before');
    viewer.terminate();
    trace.close();
    const { schemas, messages } = await readMcap(join(folder, 'trace.mcap'));
    expect(schemas.get(topic)).toBe('foxglove.RawImage');
    const kept = messages.get(topic)!;
    expect(kept).toHaveLength(told());
    for (const image of [images[0]!, kept[0]!]) {
      expect(image).toMatchObject({
        frame_id: name,
        width: widthPx,
        height: heightPx,
        encoding: 'mono8',
        step: widthPx,
      });
      const bytes = Buffer.from(String(image['data']), 'base64');
      expect([bytes.length, bytes[0], bytes[widthPx - 1]]).toEqual([widthPx * heightPx, 10, 250]);
    }
  });

  /** Grey of the left and of the right of a picture on the page. */
  async function seenOn(page: Page, canvas: string): Promise<unknown> {
    await page.waitForSelector(canvas);
    return page.evaluate(`(() => {
      const canvas = document.querySelector(${JSON.stringify(canvas)});
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 1);
      return [canvas.width, canvas.height, data[0], data[data.length - 2]];
    })()`);
  }

  it.skipIf(noBrowserBecause !== undefined)('is drawn on the page: the newest, and beside each step', async () => {
    const page = await browser!.newPage();
    const { fields, frames } = setup.task.observation;
    const size = fields.reduce((sum, field) => sum + field.size, 0);
    const before = fields
      .slice(
        0,
        fields.findIndex((field) => field.name === name),
      )
      .reduce((sum, f) => sum + f.size, 0);
    const observation = new Array<number>(observationSize(setup.task.observation)).fill(0);
    for (const [i, value] of [...halves(widthPx, heightPx)].entries()) {
      observation[(frames - 1) * size + before + i] = value / 255 / camera!.scale;
    }
    const episode = { episode: 0, purpose: 'training', success: true, endedBy: 'success', returnSum: 1, atMs: 0 };
    const listed = { ...episode, steps: 1, traced: 1, interventions: 0, interventionSteps: 0 };
    const step = {
      episode: 0,
      step: 0,
      source: 0,
      reward: 1,
      observation,
      policyAction: [],
      humanAction: [],
      executed: [],
    };
    await page.route('**/api/episodes?*', (route) => route.fulfill({ json: [listed] }));
    await page.route('**/api/episodes/0', (route) =>
      route.fulfill({ json: { ...episode, stepCount: 1, every: 1, steps: [step] } }),
    );
    await page.goto(`${address}?view=live`);
    await expect.poll(() => seenOn(page, `#camera-${name} canvas`)).toEqual([widthPx, heightPx, 10, 250]);
    await page.click('nav .tab:has-text("Episodes")');
    await page.click('button.look');
    await expect.poll(() => seenOn(page, '.player .pixels')).toEqual([widthPx, heightPx, 10, 250]);
    await page.close();
  });
});
