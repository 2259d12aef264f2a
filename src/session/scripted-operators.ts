/** The scripted operator of a task whose measures it knows, and the demonstrator that never lets go. */

import { pegTaskOf, type RunSetup } from '../config/index.ts';
import type { PluginTaskConfig } from '../tasks/index.ts';
import {
  type OperatorContext,
  openOperator,
  PegInserter,
  ScriptedOperator,
  type TeleopCommand,
  type TeleopSource,
} from '../teleop/index.ts';

/** What the scripted operator inserts with, fitted to the task's measures. */
export function createInserter(setup: RunSetup, seed: number): PegInserter {
  const { task } = setup;
  const measures = pegTaskOf(setup.config);
  const { clearanceM } = measures.hole;
  return new PegInserter({
    observation: task.observation,
    action: task.action,
    spiralPitchM: 0.0015,
    searchStepM: clearanceM < 0.0004 ? 0.002 : 0.003,
    searchRadiusM: 1.5 * measures.estimate.errorM,
    tremor: 0.05,
    seed,
  });
}

/** The operator that lets the policy try and takes over when it is stuck: the script, or a plugin in its place. */
export function createScriptedOperator(setup: RunSetup, seed: number): TeleopSource {
  if (setup.config.task.kind === 'plugin') return pluginOperator(setup, setup.config.task, 'overseer', seed);
  return new ScriptedOperator(
    createInserter(setup, seed),
    pegTaskOf(setup.config).operator,
    setup.task.observation,
    seed + 1,
  );
}

/** The inserter as an operator who never lets go: demonstrations. */
export function createDemonstrator(setup: RunSetup, seed: number): TeleopSource {
  if (setup.config.task.kind === 'plugin') return pluginOperator(setup, setup.config.task, 'demonstrator', seed);
  const inserter = createInserter(setup, seed);
  return {
    name: 'demonstrator',
    decidedBy: 'scripted',
    reset: () => inserter.begin('above'),
    close: () => undefined,
    poll: (observation: Float32Array, _nowS: number, out: TeleopCommand) => {
      out.active = true;
      out.phase = 'correct';
      inserter.act(observation, out.action);
    },
  };
}

/** The operator that a plugin task names; where it names none, one that never takes over. */
function pluginOperator(
  { task }: RunSetup,
  { operatorPlugin, policyHz }: PluginTaskConfig,
  role: OperatorContext['role'],
  seed: number,
): TeleopSource {
  if (operatorPlugin === undefined) return NOBODY;
  const { observation, action } = task;
  return openOperator(operatorPlugin, { observation, action, policyHz, role, seed });
}

/**
 * Loads and checks the operator that a plugin task names, in each role that it has there, before anything is started that it could
 * act in. Throws `ReinError`.
 */
export function checkOperators(setup: RunSetup): void {
  const { task, seed } = setup.config;
  if (task.kind !== 'plugin') return;
  pluginOperator(setup, task, 'overseer', seed).close();
  if (task.demonstrations > 0) pluginOperator(setup, task, 'demonstrator', seed).close();
}

const NOBODY: TeleopSource = {
  name: 'nobody',
  decidedBy: 'scripted',
  poll: (_observation, _nowS, out) => {
    out.active = false;
  },
  reset: () => undefined,
  close: () => undefined,
};
