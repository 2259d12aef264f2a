/** A learner informs its engine if a robot is controlled on the same machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { createSetup } from '../../config/setup.ts';
import { createAgent } from '../agent/agent.ts';
import { Learner } from './learner.ts';

const { threadsHere } = vi.hoisted(() => ({ threadsHere: vi.fn() }));
vi.mock('../engine/threads.ts', () => ({ threadsHere }));

const { config } = arm6Setup('insert', 3);
const small = { ...config.learner, actorHidden: [8], criticHidden: [8], batchSize: 4, bcInitSteps: 0, threads: 0 };

it.each([true, false])('next to a robot: %s', async (hasRobot) => {
  const folder = mkdtempSync(join(tmpdir(), 'learner-threads-'));
  threadsHere.mockReset().mockResolvedValue({ threads: 1, spinning: false });
  const onFault = (message: string): void => expect.fail(message);
  const learner = await Learner.start({
    setup: createSetup({ ...config, learner: small }),
    runId: 'run',
    bind: 'tcp://127.0.0.1:0',
    folder,
    start: 'fresh',
    engine: 'local',
    hasRobot,
    onFault,
  });
  await learner.close();
  rmSync(folder, { recursive: true, force: true });
  expect(threadsHere.mock.calls).toEqual([['auto', hasRobot]]);
});

it('a training without a robot has the machine to itself', async () => {
  threadsHere.mockReset().mockResolvedValue({ threads: 1, spinning: false });
  const agent = await createAgent({
    parts: { stateSize: 2 },
    actionSize: 1,
    config: { ...small, threads: 2 },
    seed: 1,
  });
  await agent.close();
  expect(threadsHere.mock.calls).toEqual([[2, false]]);
});
