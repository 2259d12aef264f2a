/** The scripted operator of a task whose measures it knows, and the demonstrator that never lets go. */

import { pegTaskOf, type RunSetup } from '../config/index.ts';
import { PegInserter, ScriptedOperator, type TeleopCommand, type TeleopSource } from '../teleop/index.ts';

/** The hand of the scripted operator, fitted to the task's measures. */
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

/** The operator that lets the policy try and takes over when it is stuck. */
export function createScriptedOperator(setup: RunSetup, seed: number): ScriptedOperator {
  return new ScriptedOperator(
    createInserter(setup, seed),
    pegTaskOf(setup.config).operator,
    setup.task.observation,
    seed + 1,
  );
}

/** The inserter as an operator who never lets go: demonstrations. */
export function createDemonstrator(setup: RunSetup, seed: number): TeleopSource {
  const hand = createInserter(setup, seed);
  return {
    name: 'demonstrator',
    decidedBy: 'scripted',
    reset: () => hand.begin('above'),
    close: () => undefined,
    poll: (observation: Float32Array, _nowS: number, out: TeleopCommand) => {
      out.active = true;
      out.phase = 'correct';
      hand.act(observation, out.action);
    },
  };
}
