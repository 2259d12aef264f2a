import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadResolvedConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { decodeCheckpoint } from '../../src/learner/checkpoint.ts';
import { SEGMENT_HEADER_BYTES, segmentPath, slotBytes } from '../../src/link/journal/segment.ts';
import { Rng } from '../../src/model/index.ts';
import { createTransition, type Transition } from '../../src/rows/index.ts';
import { LearnerConnection, runIdOf } from '../../src/session/index.ts';
import { JOURNAL_FOLDER } from '../../src/session/learner-connection.ts';
import { freeAddress } from '../support/free-port.ts';
import { LiveRun, type Program, until } from '../support/live-run.ts';

const SMALL = `
task: { demonstrations: 2 }
learner:
  actorHidden: [16]
  criticHidden: [16]
  batchSize: 16
  bcInitSteps: 50
  warmupSteps: 20
  publishEveryUpdates: 100
  checkpointEveryUpdates: 100
`;
const DEMONSTRATED = 40;
const ONLINE = 400;

let run: LiveRun;
let connections: LearnerConnection[];
beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-learn-kill-')));
  writeFileSync(join(run.folder, 'small.yaml'), SMALL);
  connections = [];
});
afterEach(async () => {
  for (const connection of connections) await connection.close();
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

/** One start of the robot of the learner's run `name`. */
function connect(name: string, address: string) {
  const folder = join(run.folder, name);
  const config = loadResolvedConfig(join(folder, 'config.yaml'));
  const setup = createSetup(config);
  const common = { setup, runId: runIdOf(folder, config), robotId: 'arm', address, keep: 'newest' } as const;
  const robot = new LearnerConnection({ ...common, folder: join(run.folder, `${name}-robot`), onFault: () => {} });
  connections.push(robot);
  return { robot, setup };
}

/** A robot that has recorded everything at once: what is learned depends on the order alone. */
function robotOf(name: string, address: string): LearnerConnection {
  const { robot, setup } = connect(name, address);
  const rng = new Rng(1);
  for (let i = 0; i < DEMONSTRATED; i++) robot.record({ ...drawn(rng, setup), source: 'demo' });
  robot.demonstrationsComplete(DEMONSTRATED);
  for (let i = 0; i < ONLINE; i++) robot.record({ ...drawn(rng, setup), step: i, terminated: i % 20 === 19 });
  return robot;
}

function drawn(rng: Rng, sizes: { readonly observationSize: number; readonly actionSize: number }): Transition {
  const t = createTransition(sizes.observationSize, sizes.actionSize);
  for (const array of [t.observation, t.nextObservation, t.executed]) {
    for (let i = 0; i < array.length; i++) array[i] = rng.uniformIn(-1, 1);
  }
  t.reward = rng.uniform();
  return t;
}

async function started(...args: string[]): Promise<Program> {
  const learner = run.start('learn', ...args);
  await until(() => learner.said().includes('robots connect with'), 'the learner');
  return learner;
}

/** Tells the learner that the run is over once it has everything; it trains to the end and leaves a checkpoint. */
async function finish(learner: Program, robot: LearnerConnection): Promise<void> {
  await until(() => robot.state === 'connected', 'the connection');
  expect(await robot.drain(20_000)).toBe(true);
  robot.end();
  expect(await learner.exit).toBe(0);
}

const checkpointsOf = (name: string) =>
  run
    .files(`${name}/checkpoints`)
    .filter((file) => file.endsWith('.ckpt'))
    .sort();

function lastState(name: string): { readonly updates: number; readonly state: Buffer } {
  const file = join(run.folder, name, 'checkpoints', checkpointsOf(name).at(-1)!);
  const decoded = decodeCheckpoint(readFileSync(file), () => true);
  if (!decoded.ok) throw new Error(`${file}: ${decoded.error}`);
  const { updates, state } = decoded.value.agent;
  return { updates, state: Buffer.from(state.buffer, state.byteOffset, state.byteLength) };
}

/** The losses that were written down, by update. */
function losses(name: string): Map<number, unknown> {
  const lines = readFileSync(join(run.folder, name, 'metrics-learner.jsonl'), 'utf8').split('\n');
  const updates = lines.flatMap((line) => {
    // A kill may have cut a line.
    if (!line.startsWith('{"kind":"update"') || !line.endsWith('}')) return [];
    const { update, criticLoss, actorLoss, qMean } = JSON.parse(line) as Record<string, number>;
    return [[update!, [criticLoss, actorLoss, qMean]] as const];
  });
  return new Map(updates);
}

describe('rein learn', () => {
  it('killed with SIGKILL again and again has the same losses and the same networks in the end', async () => {
    let address = await freeAddress();
    const straight = await started(
      '--task',
      'insert',
      '--config',
      'small.yaml',
      '--out',
      'straight',
      '--bind',
      address,
    );
    await finish(straight, robotOf('straight', address));

    address = await freeAddress();
    let learner = await started('--task', 'insert', '--config', 'small.yaml', '--out', 'killed', '--bind', address);
    const robot = robotOf('killed', address);
    const rng = new Rng(2);
    for (let kill = 0; kill < 2; kill++) {
      const before = readdirSync(join(run.folder, 'killed')).includes('checkpoints')
        ? checkpointsOf('killed').at(-1)
        : '';
      await until(() => checkpointsOf('killed').at(-1) !== before, 'a checkpoint');
      await delay(rng.int(40));
      learner.child.kill('SIGKILL');
      expect(await learner.exit).toBe('SIGKILL');
      learner = await started('--resume', 'killed', '--bind', address);
    }
    await finish(learner, robot);

    const [one, other] = [lastState('straight'), lastState('killed')];
    expect(one.updates).toBe(4 * (ONLINE - 20));
    expect(other.updates).toBe(one.updates);
    expect(other.state.equals(one.state)).toBe(true);
    const [expected, found] = [losses('straight'), losses('killed')];
    const both = [...found.keys()].filter((update) => expected.has(update));
    expect(both.length).toBeGreaterThan(0);
    for (const update of both) expect(found.get(update)).toEqual(expected.get(update));
  });

  it('killed with SIGKILL goes on with what its robot has lost since, and both count it', async () => {
    const address = await freeAddress();
    const learner = await started('--task', 'insert', '--config', 'small.yaml', '--out', 'lost', '--bind', address);
    const first = robotOf('lost', address);
    expect(await first.drain(20_000)).toBe(true);
    await first.close();
    const { robot: second, setup } = connect('lost', address);
    const rng = new Rng(2);
    const recordInto = (robot: LearnerConnection, count: number): void => {
      for (let i = 0; i < count; i++) robot.record({ ...drawn(rng, setup), step: i, terminated: i % 20 === 19 });
    };
    recordInto(second, 100);
    expect(await second.drain(20_000)).toBe(true);
    // There are 1920 updates.
    await until(() => checkpointsOf('lost').some((file) => file.includes('1900')), 'the last checkpoint');
    learner.child.kill('SIGKILL');
    expect(await learner.exit).toBe('SIGKILL');
    await second.close();

    const journal = join(run.folder, 'lost-robot', JOURNAL_FOLDER);
    const path = segmentPath(journal, 1, 0);
    const bytes = readFileSync(path);
    bytes[SEGMENT_HEADER_BYTES + (DEMONSTRATED + 7) * slotBytes(setup) + 60]! ^= 1;
    writeFileSync(path, bytes);
    rmSync(segmentPath(journal, 2, 0));

    const next = await started('--resume', 'lost', '--bind', address);
    const { robot: third } = connect('lost', address);
    recordInto(third, 30);
    await until(() => third.state === 'connected', 'the connection');
    expect(await third.drain(20_000)).toBe(true);
    const intact = DEMONSTRATED + ONLINE - 1 + 30;
    expect(third.counters).toMatchObject({ acked: intact + 101, lost: 101, pending: 0 });
    await until(() => third.status?.lost === 101, 'the count at the learner');
    expect(third.status).toMatchObject({ delivered: intact, lost: 101, online: ONLINE - 1 + 30 });
    await until(() => next.said().includes('that are lost: '), 'the sentence');
    third.end();
    expect(await next.exit).toBe(0);
  });
});
