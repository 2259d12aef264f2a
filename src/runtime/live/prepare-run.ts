/** What is looked at before a robot is started: learner, policy file, folder. What is wrong is found before anything runs. */
import { ReinError } from '../../core/index.ts';
import { askLearner } from '../../learner/link/index.ts';
import { loadPolicyFile } from '../../policy/index.ts';
import type { ResolvedConfig } from '../config/index.ts';
import type { GuardConfig } from '../guard/index.ts';
import type { RunSetup } from '../setup.ts';
import type { RunFolder } from '../sim/index.ts';
import { openLiveFolder } from './live-folder.ts';

export interface RunPreparation {
  readonly config: ResolvedConfig;
  /** The learner's `tcp://host:port`; `undefined`: nothing is sent. */
  readonly learner: string | undefined;
  readonly policy: string | undefined;
  /** Run folder; one of an earlier start is carried on. */
  readonly out: string | undefined;
}

const LEARNER_MS = 3000;

/** A folder, and the run that weights are taken of. Rejects with `ReinError`; then no folder was made. */
export async function prepareRun(
  request: RunPreparation,
  setup: RunSetup,
): Promise<{ readonly folder: RunFolder; readonly runId: string }> {
  const learner = await learnerOf(request, setup);
  await checkPolicy(request, setup, learner?.runId);
  const folder = await openLiveFolder(request.config, request.out);
  return { folder, runId: learner?.runId ?? folder.runId };
}

/** What the guard of `setup` is started with. */
export function guardConfigOf(setup: RunSetup, socketPath: string): GuardConfig {
  const { config, task, driver } = setup;
  return {
    model: config.robot,
    action: task.action,
    policyPeriodS: 1 / config.task.policyHz,
    driver,
    socketPath,
    realTimePriority: 'try',
  };
}

/** Asks the learner which run it trains, and whether it is for this robot and task. */
async function learnerOf(
  { learner, config }: RunPreparation,
  setup: RunSetup,
): Promise<{ readonly runId: string } | undefined> {
  if (learner === undefined) return undefined;
  const info = await askLearner(learner, LEARNER_MS);
  if (info.schemaHash === setup.schemaHash) return info;
  const { robot, task } = config;
  throw new ReinError(
    'link',
    `The learner at ${learner} trains another robot or task (schema ${info.schemaHash}) than ${robot.name}/${task.name} (${setup.schemaHash}).`,
    { remedy: 'Give both the same --task and --config.' },
  );
}

async function checkPolicy({ policy }: RunPreparation, setup: RunSetup, runId: string | undefined): Promise<void> {
  if (policy === undefined) return;
  const { observationSize, actionSize, schemaHash } = setup;
  const expected = { observationSize, actionSize, schemaHash, ...(runId === undefined ? {} : { runId }) };
  await (await loadPolicyFile(policy, expected)).close();
}
