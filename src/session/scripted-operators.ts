/** Scripted operators of a task: the overseer, who takes over from the policy, and the demonstrator. */
import type { RunSetup } from '../config/setup.ts';
import { checkScripted, taskKind } from '../tasks/index.ts';
import type { OperatorContext, TeleopSource } from '../teleop/index.ts';

/** Operator that lets the policy try and takes over when it is stuck. Throws `ReinError` if only people can. */
export function createScriptedOperator(setup: RunSetup, seed: number): TeleopSource {
  return operatorOf(setup, 'overseer', seed);
}

/** Operator that never releases control. Throws `ReinError` if only people can demonstrate. */
export function createDemonstrator(setup: RunSetup, seed: number): TeleopSource {
  return operatorOf(setup, 'demonstrator', seed);
}

function operatorOf({ config, task }: RunSetup, role: OperatorContext['role'], seed: number): TeleopSource {
  const { observation, action } = task;
  const { policyHz } = config.task;
  return checkScripted(config.task).operator(config.task, { observation, action, policyHz, role, seed });
}

/**
 * Creates the task's scripted operator, if it has one, in each of its roles, before anything is started that it could act in. Throws
 * `ReinError`.
 */
export function checkOperators(setup: RunSetup): void {
  const { task, seed } = setup.config;
  const { operator, needsPeople } = taskKind(task);
  // If only people arrange or judge the task, no script has a role.
  if (operator === undefined || needsPeople?.(task) !== undefined) return;
  createScriptedOperator(setup, seed).close();
  if (task.demonstrations > 0) createDemonstrator(setup, seed).close();
}
