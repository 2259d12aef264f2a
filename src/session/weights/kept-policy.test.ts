/** A policy file, and weights that a learner sent before: which of them act. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { weightsOf } from '../../../tests/support/policy-fixture.ts';
import { TestRobot } from '../../../tests/support/session.ts';
import type { LiveSession } from '../session.ts';
import type { SessionEvent } from '../session-types.ts';
import type { RunStatus } from '../status.ts';
import { WeightsDisk } from './weights-disk.ts';

/** An address at which nothing listens. */
const AWAY = 'tcp://127.0.0.1:9';
let robot: TestRobot;
beforeEach(() => {
  robot = new TestRobot();
});
afterEach(() => robot.close());

/** Leaves the folder as after the learner of run-a, whose weights 3 acted. */
async function keepWeights(): Promise<void> {
  const { setup, folder } = robot;
  const { observationSize, actionSize, schemaHash } = setup;
  const disk = new WeightsDisk({ folder, runId: 'run-a', schemaHash, onFault: (message) => expect.fail(message) });
  disk.keep(weightsOf(3, 1e-3, { runId: 'run-a', schemaHash }, { observationSize, actionSize }));
  await disk.close();
}

/** Opens a session with policy file 7; returns the events meanwhile. */
async function open(learner?: string): Promise<{ session: LiveSession; reported: SessionEvent[] }> {
  const reported: SessionEvent[] = [];
  const policy = await robot.policyFile(7);
  const session = await robot.open({
    policy,
    learner,
    drainMs: 0,
    listener: { event: (event) => reported.push(event) },
  });
  return { session, reported };
}

it('the weights that a learner sent act before the policy file, and that is told', async () => {
  await keepWeights();
  const { session, reported } = await open(AWAY);
  expect(session.policyState).toMatchObject({ version: 3, state: 'ready' });
  expect(reported).toMatchObject([
    {
      level: 'info',
      name: 'weightsOnDisk',
      message: 'Policy 3 from the disk acts until the learner sends newer weights.',
    },
  ]);
  expect(session.rollbackPolicy()).toBe(7);
});

it('the status names the weights that would act, before they have made a step', async () => {
  await keepWeights();
  const versions: number[] = [];
  const observer = {
    status: (status: RunStatus) => void versions.push(status.policy.version),
    print: () => undefined,
  };
  const session = await robot.open({ learner: AWAY, drainMs: 0, observer });
  await session.close();
  expect(versions.at(-1)).toBe(3);
});

it('the policy file acts where the folder has none of the learner', async () => {
  const { session, reported } = await open(AWAY);
  expect(session.policyState).toMatchObject({ version: 7, state: 'ready' });
  expect(reported).toEqual([]);
});

it('the policy file acts where no learner is named, whatever lies in the folder', async () => {
  await keepWeights();
  const { session, reported } = await open();
  expect(session.policyState).toMatchObject({ version: 7, state: 'ready' });
  expect(reported).toEqual([]);
});
