/** The base policy that a task names, opened for the robot at hand. */

import type { RunSetup } from '../config/index.ts';
import { type BasePolicy, openBasePolicy } from '../policy/index.ts';

/** Opens and tries the task's base policy; `undefined` where it has none. Throws `ReinError` where it does not fit. */
export async function openBase({ config, task }: RunSetup): Promise<BasePolicy | undefined> {
  const { basePolicy, policyHz } = config.task;
  if (basePolicy === undefined) return undefined;
  return openBasePolicy({ ...basePolicy, observation: task.observation, action: task.action, policyHz });
}

/** Throws what `openBase` would, and leaves nothing open: before anything is started that would have to be ended again. */
export async function checkBase(setup: RunSetup): Promise<void> {
  await (await openBase(setup))?.close();
}
