/** The learner as a child of `rein sim`: one argument with its settings, a channel to its parent, and no terminal. */

import { loadResolvedConfig } from '../config/index.ts';
import { createSetup } from '../config/setup.ts';
import { endFailed, openParentChannel } from '../core/index.ts';
import { Learner } from '../learner/index.ts';
import type { LearnerProcessConfig, LearnerProcessMessage } from './learner-child.ts';

async function main(): Promise<void> {
  const parent = openParentChannel<LearnerProcessMessage>(['SIGINT', 'SIGHUP', 'SIGQUIT']);
  const { configFile, ...settings } = JSON.parse(process.argv[2] ?? '{}') as LearnerProcessConfig;
  const learner = await Learner.start({
    ...settings,
    setup: createSetup(await loadResolvedConfig(configFile)),
    start: 'fresh',
    // Its parent, which has the robot's guard, physics and policy.
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
