/** What is looked at before a robot is started: learner, policy file, folder. What is wrong is found before anything runs. */

import type { ResolvedConfig } from '../../config/index.ts';
import { type RunSetup, taskActionOf } from '../../config/index.ts';
import type { GuardConfig } from '../../guard/index.ts';
import { parseAddress } from '../../link/index.ts';
import { loadPolicyFile } from '../../policy/index.ts';
import { checkBase } from '../base-policy.ts';
import { pluginPolicyOf } from '../open-session.ts';
import { openLiveFolder, type RunFolder } from '../run-folder.ts';
import { checkOperators } from '../scripted-operators.ts';
import { joinedRun } from '../weights/weights-disk.ts';
import { learnerOf } from './learner-of.ts';

export interface RunPreparation {
  readonly config: ResolvedConfig;
  /** The learner's `tcp://host:port`; `undefined`: nothing is sent. */
  readonly learner: string | undefined;
  readonly policy: string | undefined;
  /** Run folder; one of an earlier start is carried on. */
  readonly out: string | undefined;
}

/** A run that may start. */
export interface PreparedRun {
  readonly folder: RunFolder;
  /** The run that weights are taken of; `undefined`: the learner's, which is away and was never met in this folder. */
  readonly runId: string | undefined;
  /** A learner is named and does not answer. */
  readonly isLearnerAway: boolean;
}

/**
 * A learner that is away holds nothing up: the robot goes on with the run that its folder has joined, or waits to be told.
 * Rejects with `ReinError`; then no folder was made.
 */
export async function prepareRun(request: RunPreparation, setup: RunSetup): Promise<PreparedRun> {
  const learner = request.learner === undefined ? undefined : await learnerOf(request.learner, setup);
  await checkPolicies(request, setup, learner?.runId);
  const folder = await openLiveFolder(request.config, request.out);
  if (request.learner === undefined) return { folder, runId: folder.runId, isLearnerAway: false };
  return { folder, runId: learner?.runId ?? joinedRun(folder.path), isLearnerAway: learner === undefined };
}

/** The same for a node that asks its learner by itself: see `runToJoin`. The folder has a run of its own. */
export async function prepareWaitingRun(request: RunPreparation, setup: RunSetup): Promise<RunFolder> {
  if (request.learner !== undefined) parseAddress(request.learner);
  await checkPolicies(request, setup, undefined);
  return openLiveFolder(request.config, request.out);
}

/** What the guard of `setup` is started with. */
export function guardConfigOf(setup: RunSetup, socketPath: string, authority: GuardConfig['authority']): GuardConfig {
  const { config, task, driver } = setup;
  const { driver: _, ...model } = config.robot;
  return {
    model,
    action: task.action,
    policyPeriodS: 1 / config.task.policyHz,
    driver,
    socketPath,
    authority,
    realTimePriority: 'try',
  };
}

async function checkPolicies({ policy }: RunPreparation, setup: RunSetup, runId: string | undefined): Promise<void> {
  await checkBase(setup);
  checkOperators(setup);
  await (await pluginPolicyOf(setup, policy))?.close();
  if (policy === undefined) return;
  const { observationSize, actionSize, schemaHash } = setup;
  const taskAction = taskActionOf(setup);
  const expected = { observationSize, actionSize, schemaHash, taskAction, ...(runId === undefined ? {} : { runId }) };
  await (await loadPolicyFile(policy, expected)).close();
}
