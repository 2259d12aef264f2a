/**
 * The check before a robot is started, as a process that ends with it. It loads everything that the configuration names: third-party
 * modules, policies, networks. Its parent loads none of these, for it will hold the channel that lets the robot go on.
 */
import type { ResolvedConfig } from '../../config/index.ts';
import { createSetup, type RunSetup, taskActionOf } from '../../config/setup.ts';
import { endFailed, onParentGone, sendToParent } from '../../host/index.ts';
import type { LearnerInfo } from '../../link/index.ts';
import { asObject } from '../../model/index.ts';
import { loadPolicyFile } from '../../policy/index.ts';
import { checkOperators } from '../scripted-operators.ts';
import { checkBase, pluginPolicyOf } from '../task-policies.ts';

export interface CheckRequest {
  readonly config: ResolvedConfig;
  /** The learner's `tcp://host:port`; `undefined`: nothing is sent. */
  readonly learner: string | undefined;
  /** `byItself`: the node asks the learner when it needs it; it is not asked here. */
  readonly asksLearner: 'here' | 'byItself';
  /** A policy file to start with. */
  readonly policy: string | undefined;
}

/** Findings of the check that only the task's module and the learner know. */
export interface CheckedMessage {
  readonly kind: 'checked';
  /** Names of the task's signals, which the driver has to provide in this order. */
  readonly signalNames: readonly string[];
  /** The learner's run; absent if it was not asked, or did not answer. */
  readonly runId?: string | undefined;
}

/** Announces the next item tried: it may end this process, and then only this message tells which it was. */
export interface TryingMessage {
  readonly kind: 'trying';
  /** Its name in messages, e.g. `the policy ./x.js`. */
  readonly what: string;
}

function trying(what: string, plugin?: unknown): Promise<void> {
  const module = asObject(plugin)?.['module'];
  const message: TryingMessage = { kind: 'trying', what: typeof module === 'string' ? `${what} ${module}` : what };
  return sendToParent(message);
}

/** Rejects with `ReinError` at the first problem. Leaves nothing open. */
async function checked({ config, learner, asksLearner, policy }: CheckRequest): Promise<CheckedMessage> {
  const { task } = config;
  await trying('the task', task);
  const setup = createSetup(config);
  const info = learner === undefined ? undefined : await learnerInfo(learner, asksLearner, setup);
  await trying('the base policy', task.basePolicy);
  await checkBase(setup);
  await trying('the operator', 'operatorPlugin' in task ? task.operatorPlugin : undefined);
  checkOperators(setup);
  await trying('the policy', task.policyPlugin);
  await (await pluginPolicyOf(setup, policy))?.close();
  if (policy !== undefined) {
    await trying(`the policy ${policy}`);
    const { observationSize, actionSize, schemaHash } = setup;
    const expected = { observationSize, actionSize, schemaHash, taskAction: taskActionOf(setup) };
    await (await loadPolicyFile(policy, info === undefined ? expected : { ...expected, runId: info.runId })).close();
  }
  return { kind: 'checked', signalNames: setup.task.signalNames, runId: info?.runId };
}

/** The run at `learner`; `undefined` if it does not answer, or the node asks. The link's library is loaded for this alone. */
async function learnerInfo(
  learner: string,
  asksLearner: CheckRequest['asksLearner'],
  setup: RunSetup,
): Promise<LearnerInfo | undefined> {
  const { parseAddress } = await import('../../link/index.ts');
  parseAddress(learner);
  if (asksLearner !== 'here') return undefined;
  await trying(`the learner ${learner}`);
  const { learnerOf } = await import('./learner-of.ts');
  return learnerOf(learner, setup);
}

// A terminal's Ctrl+C reaches the whole process group: the parent decides what follows, and ends this process itself.
process.on('SIGINT', () => undefined);
onParentGone(() => process.exit(1));
process.once('message', (request: CheckRequest) => {
  checked(request)
    .then(sendToParent)
    // Anything that a module left running ends with the process.
    .then(() => process.exit(0), endFailed);
});
