/** The learner as a child process of `rein sim`: receives its settings from the parent's channel, and has no terminal. */
import { once } from 'node:events';
import { createSetup } from '../config/setup.ts';
import { endFailed, openParentChannel } from '../host/index.ts';
import { Learner } from '../learner/index.ts';
import type { LearnerProcessConfig, LearnerProcessMessage } from './learner-child.ts';

async function main(): Promise<void> {
  const parent = openParentChannel<LearnerProcessMessage>(['SIGINT', 'SIGHUP', 'SIGQUIT']);
  const [{ config, ...settings }] = (await once(process, 'message')) as [LearnerProcessConfig];
  const learner = await Learner.start({
    ...settings,
    setup: createSetup(config),
    start: 'fresh',
    // The parent process runs the robot's guard, physics and policy.
    hasRobot: true,
    onFault: (message) => void parent.send({ kind: 'fault', message }),
  });
  parent.ending.addEventListener('abort', () => learner.end());
  if (parent.ending.aborted) learner.end();
  await parent.send({ kind: 'ready', address: learner.address, weightsAddress: learner.weightsAddress });
  try {
    await learner.run();
    await parent.send({ kind: 'done', status: learner.status });
  } finally {
    await learner.close();
  }
  parent.close();
}

main().catch(endFailed);
