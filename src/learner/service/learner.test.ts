import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { freeAddress } from '../../../tests/support/free-port.ts';
import { createSetup, type RunSetup } from '../../config/setup.ts';
import { connectUplink, openJournal, type StepValues } from '../../link/index.ts';
import { Rng } from '../../model/index.ts';
import { createTransition, type Transition } from '../../rows/index.ts';
import { LearnerConnection } from '../../session/index.ts';
import { Agent } from '../agent/agent.ts';
import { Training } from '../training.ts';
import { Learner } from './learner.ts';

const { config } = arm6Setup('insert', 3);
const setup = createSetup({
  ...config,
  learner: { ...config.learner, actorHidden: [8], criticHidden: [8], batchSize: 4, bcInitSteps: 2 },
});
const STEPS = 5;

let folder: string;
let address: string;
let faults: string[];
let closers: (() => Promise<void>)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'learner-'));
  address = await freeAddress();
  faults = [];
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function startLearner(
  start: 'fresh' | 'resume',
  { begin, of = setup }: { begin?: (training: Training) => Promise<void>; of?: RunSetup } = {},
): Promise<Learner> {
  const onFault = (message: string): void => void faults.push(message);
  const learner = await Learner.start({
    setup: of,
    runId: 'run',
    bind: address,
    folder,
    start,
    onFault,
    engine: 'local',
    hasRobot: false,
    ...(begin === undefined ? {} : { begin }),
  });
  closers.push(() => learner.close());
  return learner;
}

/** A robot that has recorded its demonstrations and reported them complete. */
async function demonstrated(seen = 0): Promise<LearnerConnection> {
  const common = { setup, runId: 'run', robotId: 'arm', address, folder, keep: 'newest' } as const;
  const robot = new LearnerConnection({ ...common, onFault: () => undefined });
  closers.push(() => robot.close());
  await robot.connected(5000);
  for (let i = 0; i < STEPS; i++) {
    const step = createTransition(setup.observationSize, setup.actionSize);
    step.observation.fill(seen);
    robot.record(Object.assign(step, { source: 'demo', terminated: i === STEPS - 1 }));
  }
  robot.demonstrationsComplete(STEPS);
  expect(await robot.drain(5000)).toBe(true);
  return robot;
}

/** A learner that has learned from demonstrations and is closed, with its robot, and its reports while it learned. */
async function trainedOnce(): Promise<{ statusLine: string }> {
  const learner = await startLearner('fresh');
  const training = learner.run();
  const robot = await demonstrated();
  await until(() => learner.status.version > 0, 'the first weights');
  const statusLine = learner.statusLine();
  learner.end();
  await training;
  await robot.close();
  await learner.close();
  return { statusLine };
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let i = 0; !condition(); i++) {
    if (i > 1000) throw new Error(`${what} did not happen`);
    await delay(10);
  }
}

it.each([[{}], [{ transitions: null }], [{ transitions: -1 }], [{ transitions: 'all' }]])(
  'a report of demonstrations %j is refused in a message, and the other robots are not waited for in vain',
  { timeout: 30_000 },
  async (body) => {
    const learner = await startLearner('fresh');
    const training = learner.run();
    const { schemaHash, observationSize, actionSize, meaning } = setup;
    const journal = openJournal({ dir: join(folder, 'other'), runId: 'run', schemaHash, observationSize, actionSize });
    const other = connectUplink({ address, robotId: 'other', runId: 'run', schemaHash, meaning, journal });
    closers.push(
      () => journal.close(),
      () => other.close(),
    );
    await other.connected(5000);
    other.sendControl('demonstrationsComplete', body);
    await until(() => faults.length > 0, 'the refusal');
    expect(faults).toEqual(['A report of the robot other was not used: a report of demonstrations cannot be read.']);
    await demonstrated();
    await until(() => learner.status.version > 0, 'the first weights');
    learner.end();
    await training;
  },
);

describe('a learner that is started again', { timeout: 30_000 }, () => {
  it('begins anew without a checkpoint, and its robot reports again how many demonstrations there are', async () => {
    const first = await startLearner('fresh');
    const robot = await demonstrated();
    await first.close();
    expect(readdirSync(folder)).not.toContain('checkpoints');

    const second = await startLearner('resume');
    expect(faults).toEqual([expect.stringMatching(/^There is no checkpoint in .*: the learner begins anew/)]);
    expect(second.status.version).toBe(0);
    const training = second.run();
    await until(() => second.status.version > 0, 'the first weights');
    const { checkpointEveryUpdates, publishEveryUpdates } = setup.config.learner;
    // Newer than any version that a learner without a checkpoint can have published.
    expect(second.status.version).toBeGreaterThan(Math.ceil(checkpointEveryUpdates / publishEveryUpdates));
    const versions: number[] = [];
    await until(() => {
      const bundle = robot.takeNewest();
      if (bundle !== undefined) versions.push(bundle.manifest.version);
      return bundle !== undefined;
    }, 'weights at the robot');
    expect(versions).toEqual([second.status.version]);
    second.end();
    await training;
  });

  it('reports for how many transitions of its checkpoint it waits', async () => {
    expect((await trainedOnce()).statusLine).not.toContain('waiting');

    const second = await startLearner('resume');
    expect(faults).toEqual([]);
    expect(second.statusLine()).toContain(`, waiting for ${STEPS} of ${STEPS} transitions of the checkpoint, policy`);
  });

  it('reports that the journal of another robot came in place of the one it was learned from', async () => {
    await trainedOnce();

    const second = await startLearner('resume');
    const goingOn = second.run();
    const elsewhere = { folder: join(folder, 'other'), runId: 'run', robotId: 'other', keep: 'newest' } as const;
    const other = new LearnerConnection({ ...elsewhere, setup, address, onFault: () => undefined });
    closers.push(() => other.close());
    await other.connected(5000);
    for (let i = 0; i < STEPS; i++) other.record(createTransition(setup.observationSize, setup.actionSize));
    await until(() => faults.length > 0, 'the message');
    expect(faults).toEqual([expect.stringMatching(/These are other journals/)]);
    second.end();
    await goingOn;
  });

  it('keeps what its checkpoint had seen when it is ended while it waits for that', async () => {
    const eager = createSetup({ ...setup.config, learner: { ...setup.config.learner, warmupSteps: 0, utd: 1 } });
    const first = await startLearner('fresh', { of: eager });
    const training = first.run();
    const robot = await demonstrated();
    for (let i = 0; i < 3; i++) robot.record(createTransition(setup.observationSize, setup.actionSize));
    await until(() => first.status.updates === 3, 'the updates');
    first.end();
    await training;
    await robot.close();
    await first.close();

    for (let again = 0; again < 2; again++) {
      const next = await startLearner('resume', { of: eager });
      const waiting = `waiting for ${STEPS + 3} of ${STEPS + 3} transitions of the checkpoint`;
      expect(next.statusLine()).toContain(waiting);
      next.end();
      await next.run();
      await next.close();
    }
  });

  it('has the networks that it was given, also where it died before its first update', async () => {
    let given: number[] = [];
    const begin = async (training: Training): Promise<void> => {
      const { spec } = training.agent;
      const other = await Training.open({ ...spec, seed: 99, engine: 'local' });
      await training.beginWith('elsewhere', await other.state(), undefined);
      given = Array.from((await other.agent.actorWeights()).data);
      await other.close();
    };
    const plain = createSetup({ ...setup.config, learner: { ...setup.config.learner, bcInitSteps: 0 } });
    await (await startLearner('fresh', { begin, of: plain })).close();

    const second = await startLearner('resume', { of: plain });
    expect(faults).toEqual([]);
    expect(second.statusLine()).not.toContain('transitions of the checkpoint');
    const training = second.run();
    const robot = await demonstrated();
    let weights: number[] = [];
    await until(() => {
      weights = Array.from(robot.takeNewest()?.weights ?? []);
      return weights.length > 0;
    }, 'weights at the robot');
    expect(weights).toEqual(given);
    second.end();
    await training;
  });

  it('is refused while another works in the folder, and not after that has ended', async () => {
    const first = await startLearner('fresh');
    address = await freeAddress();
    await expect(startLearner('resume')).rejects.toThrow(
      expect.objectContaining({
        name: 'ReinError',
        message: `the run folder ${folder} is in use by process ${process.pid}`,
      }),
    );
    await first.close();
    await startLearner('resume');
    expect(readdirSync(folder)).toContain('learner.lock');
    await closers.pop()!();
    expect(readdirSync(folder)).not.toContain('learner.lock');
  });

  it('ends with a message, and publishes nothing, where it could learn nothing of what was shown', async () => {
    const learner = await startLearner('fresh');
    const training = learner.run();
    const [ended] = await Promise.allSettled([training, demonstrated(3e38)]);
    expect(ended).toMatchObject({
      reason: {
        name: 'ReinError',
        message: expect.stringMatching(/^Pre-training \(cloning\) learned nothing: .* \(calls: 1\)\./),
      },
    });
    expect(learner.status.version).toBe(0);
    expect(learner.statusLine()).toContain('policy 0');
  });

  it('reports how much of its pre-training was thrown away', async () => {
    const report = { steps: 50, refused: 3, firstLoss: 1, lastLoss: 1 };
    const pretraining = vi.spyOn(Agent.prototype, 'pretrain').mockResolvedValue(report);
    const learner = await startLearner('fresh');
    const training = learner.run();
    await demonstrated();
    await until(() => learner.status.version > 0, 'the first weights');
    expect(faults).toEqual(['Pre-training (cloning): calls that were not finite and were thrown away: 3.']);
    learner.end();
    await training;
    pretraining.mockRestore();
  });
});

describe('a learner of two robots', { timeout: 30_000 }, () => {
  it('goes on with one of them when the other has reported that its part is over, and ends with the last', async () => {
    const learner = await startLearner('fresh');
    let isOver = false;
    const training = learner.run().then(() => {
      isOver = true;
    });
    const first = await demonstrated();
    const own = { folder: join(folder, 'second'), runId: 'run', robotId: 'second', keep: 'newest' } as const;
    const second = new LearnerConnection({ ...own, setup, address, onFault: () => undefined });
    closers.push(() => second.close());
    await second.connected(5000);
    await until(() => learner.status.version > 0, 'the first weights');
    first.end();
    expect(await first.drain(5000)).toBe(true);
    await delay(500); // a learner that took it for the end of all robots would check twice in this time
    for (let i = 0; i < 4; i++) second.record(createTransition(setup.observationSize, setup.actionSize));
    expect(await second.drain(5000)).toBe(true);
    expect(second.counters).toMatchObject({ sent: 4, acked: 4, pending: 0, lost: 0 });
    expect(learner.status).toMatchObject({ delivered: STEPS + 4, online: 4 });
    expect(isOver).toBe(false);

    // Steps recorded later by the first robot belong to a new part.
    first.record(createTransition(setup.observationSize, setup.actionSize));
    expect(await first.drain(5000)).toBe(true);
    second.end();
    await delay(500);
    expect(isOver).toBe(false);
    first.end();
    await training;
    expect(learner.status).toMatchObject({ delivered: STEPS + 5, online: 5 });
  });
});

describe('a learner whose robots ask for help by value', { timeout: 30_000 }, () => {
  const rng = new Rng(7);
  const steps = Array.from({ length: 9 }, (_, step) => {
    const t = createTransition(setup.observationSize, setup.actionSize);
    rng.fillNormal(t.observation);
    rng.fillNormal(t.nextObservation);
    for (let i = 0; i < t.executed.length; i++) t.executed[i] = rng.uniformIn(-1, 1);
    return Object.assign(t, { episode: 1, step, reward: rng.uniform() });
  });

  /** A setup with one training call for every two steps. */
  function asking(by: 'progress' | 'value', learner: Partial<typeof setup.config.learner> = {}): RunSetup {
    const { task } = setup.config;
    const small = { ...setup.config.learner, warmupSteps: 0, utd: 1, updatesPerCall: 2, ...learner };
    return createSetup({
      ...setup.config,
      task: { ...task, help: { ...task.help, by, afterSteps: 5 } },
      learner: small,
    });
  }

  interface Begun {
    readonly learner: Learner;
    readonly training: Training;
    readonly robot: LearnerConnection;
    /** Ends it; rejects as its training does. */
    readonly end: () => Promise<void>;
  }

  async function begun(of: RunSetup): Promise<Begun> {
    let training: Training | undefined;
    const begin = async (given: Training): Promise<void> => {
      training = given;
    };
    const learner = await startLearner('fresh', { of, begin });
    const running = learner.run();
    running.catch(() => undefined);
    const robot = await demonstrated();
    const end = async (): Promise<void> => {
      learner.end();
      await running;
      await robot.close();
      await learner.close();
    };
    return { learner, training: training!, robot, end };
  }

  /** Received values, once all of `wanted` steps are among them. */
  async function valuesOf(robot: LearnerConnection, wanted: readonly Transition[]): Promise<StepValues[]> {
    const come: StepValues[] = [];
    await until(() => {
      come.push(...robot.takeValues());
      return come.flatMap((each) => each.steps).length >= wanted.length;
    }, 'the values');
    return come;
  }

  it('tells a robot, and it alone, what its critics expect of the steps that it executed', async () => {
    const { learner, training, robot, end } = await begun(asking('value'));
    const own = { folder: join(folder, 'second'), runId: 'run', robotId: 'second', keep: 'newest' } as const;
    const second = new LearnerConnection({ ...own, setup, address, onFault: () => undefined });
    closers.push(() => second.close());
    await second.connected(5000);
    const last = steps[8]!;
    for (const step of steps.slice(0, 8)) robot.record({ ...step });
    await until(() => learner.status.updates === 8, 'the updates');
    expect((await valuesOf(robot, steps.slice(0, 8))).every(({ episode }) => episode === 1)).toBe(true);
    // It allows no update: the critics stay unchanged.
    robot.record({ ...last });
    const [report] = await valuesOf(robot, [last]);
    const [expected] = await training.agent.criticValues(last.observation, last.executed);
    expect(report).toEqual({ epoch: robot.journal().epoch, episode: 1, steps: [8], values: [expected] });
    expect(learner.status).toMatchObject({ updates: 8, online: 9 });
    expect(second.takeValues()).toEqual([]);
    await end();
  });

  it('learns the same to the bit whether it looks at values or not', async () => {
    const digests: string[] = [];
    for (const by of ['value', 'progress'] as const) {
      const { learner, training, robot, end } = await begun(asking(by, { updatesPerCall: 1 }));
      for (const [i, step] of steps.entries()) {
        robot.record({ ...step });
        await until(() => learner.status.updates === i + 1, 'its update');
        // The first evaluation comes at once; the delay of others depends on its duration on a busy machine.
        if (i === 0 && by === 'value') await valuesOf(robot, [step]);
      }
      if (by === 'progress') expect(robot.takeValues()).toEqual([]);
      learner.end();
      digests.push(await training.stateDigest());
      await end();
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    }
    expect(digests[1]).toBe(digests[0]);
  });

  it('values nothing by an algorithm without critics', async () => {
    const { learner, robot, end } = await begun(asking('value', { algorithm: 'bc' }));
    for (const step of steps.slice(0, 8)) robot.record({ ...step });
    await until(() => learner.status.updates > 0, 'an update');
    await delay(500);
    expect(robot.takeValues()).toEqual([]);
    await end();
  });
});
