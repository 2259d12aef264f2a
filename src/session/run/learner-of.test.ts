import { afterEach, describe, expect, it } from 'vitest';
import { freeAddress } from '../../../tests/support/free-port.ts';
import { startOlderLearner } from '../../../tests/support/other-version.ts';
import { resolveConfig } from '../../config/index.ts';
import { createSetup } from '../../config/setup.ts';
import { type LearnerServer, startLearnerServer } from '../../link/index.ts';
import { awaitLearner, type LearnerWait, learnerOf } from './learner-of.ts';

const setup = createSetup(resolveConfig({ task: 'insert', seed: 1 }));
const { observationSize, actionSize } = setup;
const servers: LearnerServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function learner(bind: string, schemaHash: string, meaning = setup.meaning): Promise<LearnerServer> {
  const server = await startLearnerServer({
    bind,
    runId: 'run-7',
    schemaHash,
    observationSize,
    actionSize,
    meaning,
    onTransition: () => undefined,
  });
  servers.push(server);
  return server;
}

describe('a learner that is waited for', () => {
  const patient = new AbortController().signal;

  it('is asked again until it answers, and each time without an answer is told', async () => {
    const address = await freeAddress();
    const waits: LearnerWait[] = [];
    const info = awaitLearner(address, setup, patient, (wait) => waits.push(wait), 200);
    await expect.poll(() => waits.length).toBeGreaterThan(1);
    expect(waits[0]).toMatchObject({ state: 'absent', message: `Waiting for the learner at ${address}.` });
    await learner(address, setup.schemaHash);
    expect(await info).toMatchObject({ runId: 'run-7' });
  });

  it('is refused while it trains another task, and taken once it trains this one', async () => {
    const address = await freeAddress();
    const other = await learner(address, '00112233445566ff');
    await expect(learnerOf(address, setup)).rejects.toThrow('trains another robot or task');
    const waits: LearnerWait[] = [];
    const info = awaitLearner(address, setup, patient, (wait) => waits.push(wait), 200);
    await expect.poll(() => waits.length).toBeGreaterThan(1);
    expect(waits.every(({ state }) => state === 'refused')).toBe(true);
    expect(waits[0]?.message).toContain('trains another robot or task');
    await other.close();
    servers.pop();
    await learner(address, setup.schemaHash);
    expect(await info).toMatchObject({ runId: 'run-7' });
  });

  it('is refused while it speaks another version of the protocol, in the same words each time, and taken later', async () => {
    const older = await startOlderLearner();
    const { address } = older;
    await expect(learnerOf(address, setup)).rejects.toMatchObject({ kind: 'environment' });
    const waits: LearnerWait[] = [];
    const info = awaitLearner(address, setup, patient, (wait) => waits.push(wait), 200);
    await expect.poll(() => waits.length).toBeGreaterThan(1);
    await older.close();
    await learner(address, setup.schemaHash);
    expect(await info).toMatchObject({ runId: 'run-7' });
    const refusals = waits.filter(({ state }) => state === 'refused');
    expect(new Set(refusals.map(({ message }) => message))).toEqual(
      new Set([
        `The learner at ${address} cannot be used: the other side speaks version 0 of the protocol, this one 1.`,
      ]),
    );
    expect(refusals[0]?.remedy).toBe('Run the same version of Rein on the robot and on the learner.');
  });

  it('is refused by the key that differs, before anything runs, and is nobody where nobody answers', async () => {
    const address = await freeAddress();
    expect(await learnerOf(address, setup)).toBeUndefined();
    await learner(address, setup.schemaHash, { ...setup.meaning, 'task.hole.clearanceM': 0.0004 });
    const message = 'than arm6/insert: task.hole.clearanceM is 0.0005 here and 0.0004 there.';
    await expect(learnerOf(address, setup)).rejects.toThrow(message);
  });

  it('is not waited for any more after an abort, nor at what is no address', async () => {
    const stopping = new AbortController();
    const info = awaitLearner('tcp://127.0.0.1:9', setup, stopping.signal, () => stopping.abort(), 100);
    await expect(info).rejects.toThrow('no longer');
    await expect(awaitLearner('nowhere', setup, patient, () => undefined)).rejects.toThrow('not an address');
  });
});
