/** The policies that a task names, opened for the robot at hand. */
import type { RunSetup } from '../config/setup.ts';
import { type ActingPolicy, type BasePolicy, openBasePolicy, openPluginPolicy } from '../policy/index.ts';

/** Opens and tries the task's base policy; `undefined` where it has none. Throws `ReinError` where it does not fit. */
export async function openBase({ config, task }: RunSetup): Promise<BasePolicy | undefined> {
  const { basePolicy, policyHz } = config.task;
  if (basePolicy === undefined) return undefined;
  return openBasePolicy({ ...basePolicy, observation: task.observation, action: task.action, policyHz });
}

/** Throws what opening base policy and task would, and leaves nothing open: before anything is started that would have to be ended again. */
export async function checkBase(setup: RunSetup): Promise<void> {
  setup.task.open?.();
  await (await openBase(setup))?.close();
}

/** The policy of one's own that the task names, opened; a policy file that somebody gave goes first. */
export function pluginPolicyOf(
  { config, task }: RunSetup,
  policy: string | undefined,
): Promise<ActingPolicy> | undefined {
  const { policyPlugin, policyHz } = config.task;
  if (policyPlugin === undefined || policy !== undefined) return undefined;
  return openPluginPolicy(policyPlugin, { observation: task.observation, action: task.action, policyHz });
}
