/** The learner as a child of `rein sim`: one argument with its settings, a channel to its parent, and no terminal. */

import { createSetup, loadResolvedConfig } from '../config/index.ts';
import { ReinError } from '../core/index.ts';
import type { LearnerProcessConfig, LearnerProcessMessage } from '../learner/index.ts';
import { Learner } from '../learner/index.ts';

/** Resolves when the message has left this process: one that was only queued would go with it. */
function tell(message: LearnerProcessMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}

async function main(): Promise<void> {
  // What a terminal sends reaches the whole group: the parent decides when the learner ends, or goes away.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => undefined);
  const settings = JSON.parse(process.argv[2] ?? '{}') as LearnerProcessConfig;
  const config = await loadResolvedConfig(settings.configFile);
  const learner = await Learner.start({
    setup: createSetup(config),
    runId: settings.runId,
    bind: settings.bind,
    folder: settings.folder,
    start: 'fresh',
    // Its parent, which has the robot's guard, physics and policy.
    hasRobot: true,
    onFault: (sentence) => void tell({ kind: 'fault', sentence }),
  });
  process.on('SIGTERM', () => learner.end());
  process.on('disconnect', () => learner.end());
  // A parent that went away before anybody listened for that.
  if (!process.connected) learner.end();
  await tell({ kind: 'ready', address: learner.address, weightsAddress: learner.weightsAddress });
  try {
    await learner.run();
    await tell({ kind: 'done', status: learner.status });
  } finally {
    await learner.close();
  }
  if (process.connected) process.disconnect();
}

main().catch(async (error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  await tell({ kind: 'failed', message, remedy: error instanceof ReinError ? error.remedy : undefined });
  process.exit(1);
});
