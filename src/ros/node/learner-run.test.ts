import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freeAddress } from '../../../tests/support/free-port.ts';
import { MemoryNode, soon } from '../../../tests/support/memory-node.ts';
import { startOlderLearner } from '../../../tests/support/other-version.ts';
import { weightsOf } from '../../../tests/support/policy-fixture.ts';
import { askLearner, type LearnerServer, startLearnerServer } from '../../link/index.ts';
import type { Transition } from '../../rows/index.ts';
import { type LearnerWait, openSession } from '../../session/index.ts';
import { LearnerRun } from './learner-run.ts';

let ros: MemoryNode;
let address: string;
let learner: LearnerServer | undefined;
beforeEach(async () => {
  ros = new MemoryNode();
  address = await freeAddress();
});
afterEach(async () => {
  await ros.close();
  await learner?.close();
});

/** Starts a learner of run-7; returns the transitions that it has received. */
async function startLearner(newestVersion: number): Promise<Transition[]> {
  const { setup } = ros.robot;
  const { observationSize, actionSize, schemaHash } = setup;
  const taken: Transition[] = [];
  learner = await startLearnerServer({
    bind: address,
    runId: 'run-7',
    schemaHash,
    observationSize,
    actionSize,
    meaning: setup.meaning,
    onTransition: (transition) => void taken.push(transition),
  });
  learner.publish(weightsOf(newestVersion, 1e-3, { runId: 'run-7', schemaHash }, { observationSize, actionSize }));
  return taken;
}

/** Ends the node and its learner. */
async function end(): Promise<void> {
  await ros.node.close();
  await ros.port.close();
  await ros.peer.close();
  await learner?.close();
  learner = undefined;
}

/** Gives the robot's folder weights of a learner that is gone afterwards. */
async function meetLearner(): Promise<void> {
  await startLearner(3);
  await start();
  await soon(() => {
    void ros.robot.tick(1);
    return version() === 3;
  }, 'the first weights');
  await end();
}

/** One start of the node in the robot's folder, assembled as in `node-process.ts`. */
async function start(): Promise<{ readonly joined: string[] }> {
  const { setup, folder, clock } = ros.robot;
  const joined: string[] = [];
  const run = new LearnerRun({
    setup,
    folder,
    learner: address,
    runId: 'the-folders-own',
    hasJoined: false,
    onJoined: async (runId) => void joined.push(runId),
    onEvent: (event) => ros.node.event(event),
  });
  await ros.make({
    hasPolicy: false,
    node: { beforeOpening: (signal, onWait) => run.settle(signal, onWait) },
  });
  ros.open = async (operators, listener) =>
    openSession({
      setup,
      folder,
      runId: run.runId,
      robotId: 'robot1',
      learner: address,
      operators,
      listener,
      guard: await ros.robot.connect(),
      clock,
      afterStop: 'wait',
      drainMs: 200,
    });
  ros.node.start();
  await ros.node.openedOrWaiting();
  ros.port.start();
  ros.peer.start();
  return { joined };
}

const events = (): string[] => ros.events.map(({ level, name }) => `${level} ${name}`);
const version = (): number => ros.node.session?.policyState.version ?? -1;

describe('a node whose learner is away', { timeout: 60_000 }, () => {
  it('waits for it where its folder has met none', async () => {
    await start();
    expect(ros.node.session).toBeUndefined();
    expect(events()).toEqual(['warn learnerAwaited']);
  });

  it('opens on the last weights in its folder, moves, and joins the learner later', async () => {
    await startLearner(3);
    expect((await start()).joined).toEqual(['run-7']);
    await soon(() => {
      void ros.robot.tick(1);
      return version() === 3;
    }, 'the first weights');
    await end();

    ros.events.length = 0;
    expect((await start()).joined).toEqual([]);
    expect(version()).toBe(3);
    expect(events()).toEqual(expect.arrayContaining(['warn learnerAway', 'info weightsOnDisk']));
    await ros.port.transition('configure');
    await ros.port.transition('activate');
    ros.node.session?.resume();
    await soon(() => (ros.node.session?.state.envSteps ?? 0) > 5, 'steps without a learner');

    const taken = await startLearner(4);
    await soon(() => taken.length > 5, 'the steps at the learner');
    expect(taken[0]).toMatchObject({ policyVersion: 3 });
    await soon(() => version() === 4, 'newer weights');
    expect(events()).toContain('info learnerConnected');
  });

  it('waits where one answers that trains something else', async () => {
    await meetLearner();
    const { observationSize, actionSize } = ros.robot.setup;
    learner = await startLearnerServer({
      bind: address,
      runId: 'run-8',
      schemaHash: '00112233445566ff',
      observationSize,
      actionSize,
      onTransition: () => undefined,
    });
    ros.events.length = 0;
    await start();
    expect(ros.node.session).toBeUndefined();
    expect(events()).toEqual(['error learnerRefused']);
  });

  it('waits where one answers that speaks another version of the protocol', async () => {
    await meetLearner();
    const older = await startOlderLearner();
    address = older.address;
    ros.events.length = 0;
    await start();
    expect(ros.node.session).toBeUndefined();
    expect(events()).toEqual(['error learnerRefused']);
    await older.close();
  });

  /** Run to be ended by `stopping`. */
  function waitingRun() {
    const { setup, folder } = ros.robot;
    const run = new LearnerRun({
      setup,
      folder,
      learner: address,
      runId: 'own',
      hasJoined: false,
      onJoined: async () => undefined,
      onEvent: () => undefined,
    });
    return { run, stopping: new AbortController() };
  }

  it('ends at once while it asks for the first time, in a folder that has met one', async () => {
    await meetLearner();
    const { run, stopping } = waitingRun();
    const order: string[] = [];
    // A third of the run's own query timeout.
    const asked = askLearner(address, 1000).catch(() => order.push('nobody has answered'));
    const settled = run.settle(stopping.signal, () => undefined).catch((error: Error) => order.push(error.message));
    stopping.abort();
    await Promise.all([asked, settled]);
    expect(order).toEqual(['The learner is waited for no longer.', 'nobody has answered']);
  });

  it('ends at once while it waits', async () => {
    const waits: LearnerWait[] = [];
    const { run, stopping } = waitingRun();
    const settled = run.settle(stopping.signal, (wait) => {
      waits.push(wait);
      stopping.abort();
    });
    await expect(settled).rejects.toThrow('no longer');
    expect(waits).toHaveLength(1);
  });
});
