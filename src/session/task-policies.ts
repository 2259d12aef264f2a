/** Opens the policies that a task names, for the robot at hand. */
import { type RunSetup, taskActionOf } from '../config/setup.ts';
import {
  type ActingPolicy,
  type BasePolicy,
  loadPolicyFile,
  openBasePolicy,
  openPluginPolicy,
} from '../policy/index.ts';
import { encoderFor } from './encoder-file.ts';

/** Opens and tries the task's base policy; `undefined` if it has none. Throws `ReinError` if it does not fit. */
export async function openBase({ config, task }: RunSetup): Promise<BasePolicy | undefined> {
  const { basePolicy, policyHz } = config.task;
  if (basePolicy === undefined) return undefined;
  return openBasePolicy({ ...basePolicy, observation: task.observation, action: task.action, policyHz });
}

/** Throws the errors of opening base policy and task, and leaves nothing open: for use before anything is started. */
export async function checkBase(setup: RunSetup): Promise<void> {
  setup.task.open?.();
  await (await openBase(setup))?.close();
  await (await openResetPolicy(setup))?.close();
}

/** Opens the policy that brings the robot back between episodes; `undefined` if none does. Throws `ReinError` if it does not fit. */
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

/** Opens the custom policy that the task names; a given policy file takes precedence. */
export function pluginPolicyOf(
  { config, task }: RunSetup,
  policy: string | undefined,
): Promise<ActingPolicy> | undefined {
  const { policyPlugin, policyHz } = config.task;
  if (policyPlugin === undefined || policy !== undefined) return undefined;
  return openPluginPolicy(policyPlugin, { observation: task.observation, action: task.action, policyHz });
}
