/** The scripts that act in a task: who takes over from the policy, and who demonstrates. */
import type { RunSetup } from '../config/setup.ts';
import { checkScripted, taskKind } from '../tasks/index.ts';
import type { OperatorContext, TeleopSource } from '../teleop/index.ts';

/** The operator that lets the policy try and takes over when it is stuck. Throws `ReinError` where people alone can. */
export function createScriptedOperator(setup: RunSetup, seed: number): TeleopSource {
  return operatorOf(setup, 'overseer', seed);
}

/** The operator who never lets go. Throws `ReinError` where people alone can demonstrate. */
export function createDemonstrator(setup: RunSetup, seed: number): TeleopSource {
  return operatorOf(setup, 'demonstrator', seed);
}

function operatorOf({ config, task }: RunSetup, role: OperatorContext['role'], seed: number): TeleopSource {
  const { observation, action } = task;
  const { policyHz } = config.task;
  return checkScripted(config.task).operator(config.task, { observation, action, policyHz, role, seed });
}

/**
 * Makes the operator of the task, where a script can be one, in each role that it has there, before anything is started that it
 * could act in. Throws `ReinError`.
 */
export function checkOperators(setup: RunSetup): void {
  const { task, seed } = setup.config;
  const { operator, needsPeople } = taskKind(task);
  // Where people alone arrange or judge it, no script has a part.
  if (operator === undefined || needsPeople?.(task) !== undefined) return;
  createScriptedOperator(setup, seed).close();
  if (task.demonstrations > 0) createDemonstrator(setup, seed).close();
}
