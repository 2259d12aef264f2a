/** After any one fault on the wire, robot and learner find each other again: steps and weights, in both directions. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { connectUplink, openJournal, startLearnerServer, subscribeWeights } from '../../src/link/index.ts';
import { sealWeights } from '../../src/model/index.ts';
import { createTransition } from '../../src/rows/index.ts';
import { faultRow } from '../support/fault-row.ts';
import { IS_LONG } from '../support/long.ts';
import { type Direction, LIES, type Lie, startLyingProxy } from '../support/lying-proxy.ts';
import { until } from '../support/until.ts';

const RUN = { runId: 'run', schemaHash: '00112233445566ff' };
const SIZES = { observationSize: 8, actionSize: 3 };
/** Chunks that pass before the lie: within the handshake, just behind it, and in the stream. */
const CHUNKS = [1, 3, 9, 20] as const;
const DIRECTIONS: readonly Direction[] = ['toLearner', 'toRobot'];
const HEARTBEAT_MS = 200;
const LIMIT_MS = 60_000;
const closers: (() => unknown)[] = [];
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-come-back-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(dir, { recursive: true, force: true });
});

/** A learner that publishes weights all the time. */
async function startLearner() {
  let version = 0;
  const learner = await startLearnerServer({
    bind: 'tcp://127.0.0.1:0',
    ...RUN,
    ...SIZES,
    heartbeatMs: HEARTBEAT_MS,
    onTransition: () => undefined,
  });
  const timer = setInterval(() => {
    const fields = { ...RUN, version: ++version, parent: null, trainingStep: 0, updates: 0, createdAt: '' };
    const shapes = [{ name: 'w', shape: [500] }];
    learner.publish(sealWeights({ ...fields, shapes }, new Uint8Array([1]), new Float32Array(500).fill(version)));
  }, 100);
  closers.push(async () => {
    clearInterval(timer);
    await learner.close();
  });
  return { learner, newest: () => version };
}

/** One robot behind two proxies that each lie once: whether both ways work again. */
async function startRobot(
  learner: { address: string; weightsAddress: string },
  lie: Lie,
  way: Direction,
  chunk: number,
) {
  const name = `${lie}-${way}-${chunk}`;
  const port = (address: string): number => Number(address.split(':')[2]);
  const uplinkProxy = await startLyingProxy(port(learner.address), lie, way, chunk);
  // A subscriber says little: its one subscription is in one of the first chunks.
  const weightsProxy = await startLyingProxy(port(learner.weightsAddress), lie, way, Math.min(chunk, 4));
  const journal = openJournal({ dir: join(dir, name), ...RUN, ...SIZES });
  const subscription = subscribeWeights({
    address: learner.address,
    weightsAddress: weightsProxy.address,
    keep: 'newest',
    ...RUN,
    onBundle: () => undefined,
    renewAfterMs: 3 * HEARTBEAT_MS,
  });
  const uplink = connectUplink({
    address: uplinkProxy.address,
    robotId: name,
    ...RUN,
    journal,
    heartbeatMs: HEARTBEAT_MS,
    onLearnerVersion: (version) => subscription.learnerHas(version),
  });
  const transition = createTransition(SIZES.observationSize, SIZES.actionSize);
  const timer = setInterval(() => journal.append(transition), 20);
  closers.push(async () => {
    clearInterval(timer);
    await subscription.close();
    await uplink.close();
    await journal.close();
    uplinkProxy.close();
    weightsProxy.close();
  });
  return { name, uplinkProxy, weightsProxy, journal, subscription, uplink };
}

describe('after one fault on the wire', () => {
  faultRow(
    [5, 53],
    'process',
    'every robot is back, whatever the fault and the direction: its steps arrive, and weights come to it',
    async (promised) => {
      const { learner, newest } = await startLearner();
      const cells = LIES.flatMap((lie, i) =>
        DIRECTIONS.flatMap((way, k) =>
          (IS_LONG ? CHUNKS : [CHUNKS[(i + 2 * k) % CHUNKS.length]!]).map((chunk) => ({ lie, way, chunk })),
        ),
      );
      const robots = await Promise.all(cells.map(({ lie, way, chunk }) => startRobot(learner, lie, way, chunk)));
      const lost: string[] = [];
      await Promise.all(
        robots.map(async ({ name, uplinkProxy, weightsProxy, journal, subscription, uplink }) => {
          await until(() => uplinkProxy.isReported, `the lie on the way of ${name}`, LIMIT_MS);
          await until(() => weightsProxy.isReported || name.includes('toLearner'), `the lie to ${name}`, LIMIT_MS);
          await journal.flush();
          const recorded = journal.synced;
          const published = newest();
          const back = async (what: string, isBack: () => boolean): Promise<void> => {
            await until(isBack, what, LIMIT_MS).catch(() => lost.push(`${name}: ${what}`));
          };
          await Promise.all([
            back('its steps', () => uplink.state === 'connected' && uplink.counters.acked >= recorded),
            back('its weights', () => subscription.version > published),
          ]);
        }),
      );
      expect(lost).toEqual([]);
      expect(learner.counters.lost).toBe(promised('lostSteps'));
      for (const { uplink } of robots) expect(uplink.counters).toMatchObject({ duplicated: 0, lost: 0 });
    },
    3 * LIMIT_MS,
  );
});
