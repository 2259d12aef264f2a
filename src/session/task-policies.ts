/** The policies that a task names, opened for the robot at hand. */
import { type RunSetup, taskActionOf } from '../config/setup.ts';
import {
  type ActingPolicy,
  type BasePolicy,
  loadPolicyFile,
  openBasePolicy,
  openPluginPolicy,
} from '../policy/index.ts';
import { encoderFor } from './encoder-file.ts';

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
  await (await openResetPolicy(setup))?.close();
}

/** The policy that brings the robot back between episodes, opened; `undefined` where none does. Throws `ReinError` where it does not fit. */
export async function openResetPolicy(setup: RunSetup): Promise<ActingPolicy | undefined> {
  if (setup.reset?.by !== 'policy') return undefined;
  const { observationSize, actionSize, schemaHash } = setup;
  return loadPolicyFile(setup.reset.file, {
    observationSize,
    actionSize,
    schemaHash,
    taskAction: taskActionOf(setup),
    ...encoderFor(setup),
  });
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
