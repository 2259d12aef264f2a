/**
 * Phase switch of a task: the base policy acts alone until the critical phase begins, the learned policy from there to the end of
 * the episode. The phase begins by a rule over the robot's measurements, by an operator's button, or both.
 */
import { z } from 'zod';
import type { RobotModel } from '../model/index.ts';
import { type Configured, whole } from '../schema/index.ts';
import { type Places, placesOf, type RuleTest, ruleList, ruleProblems, ruleTest } from './described/rules.ts';
import type { TaskProblem } from './task-kind.ts';

export const phaseSwitchSchema = z
  .strictObject({
    all: ruleList('It begins where every one of these holds.'),
    any: ruleList('And where at least one of these holds too, where there are any.'),
    forSteps: whole('steps', { min: 1, max: 1000 }, 'Consecutive steps for which the rules must hold.').default(1),
    byButton: z
      .boolean()
      .meta({
        description: 'A person begins it too (`p` at the keyboard, Critical phase in the monitor, a gamepad or pedal).',
      })
      .default(true),
  })
  .meta({
    description:
      'The base policy acts alone until then, and nothing of that is learned from; the learned policy acts from there to the end of the episode. Default: the learned policy acts from the first step.',
  });

export type PhaseSwitchConfig = Configured<typeof phaseSwitchSchema>;

/** True if rules can begin the critical phase, not only the operator. */
export function hasPhaseRules({ all, any }: Pick<PhaseSwitchConfig, 'all' | 'any'>): boolean {
  return all.length + any.length > 0;
}

/** Returns the test of the rules of `config`. Throws `RangeError` for unknown places and joints. */
export function criticalTest({ all, any }: PhaseSwitchConfig, places: Places, robot: RobotModel): RuleTest {
  return ruleTest(all, any, places, robot);
}

/** Inconsistencies within the phase switch, with `robot` and the task; `knownPlaces`: given if the kind checks no places itself. */
export function phaseSwitchProblems(
  { all, any, byButton }: PhaseSwitchConfig,
  robot: Pick<RobotModel, 'name' | 'joints' | 'workspace'>,
  { hasBasePolicy, knownPlaces }: { readonly hasBasePolicy: boolean; readonly knownPlaces?: readonly string[] },
): TaskProblem[] {
  const path = ['phaseSwitch'];
  const problems = [...ruleProblems(all, [...path, 'all'], robot), ...ruleProblems(any, [...path, 'any'], robot)];
  if (!hasBasePolicy) {
    problems.push({ path, message: 'phaseSwitch needs a basePolicy, which acts before the critical phase' });
  }
  if (!byButton && !hasPhaseRules({ all, any })) {
    const message = 'the critical phase never begins: phaseSwitch needs rules (all, any), or byButton: true';
    problems.push({ path, message });
  }
  if (knownPlaces === undefined) return problems;
  for (const [list, rules] of Object.entries({ all, any })) {
    for (const [i, rule] of rules.entries()) {
      for (const { key, name } of placesOf(rule)) {
        if (knownPlaces.includes(name)) continue;
        const message = `this kind of task has no place "${name}", there are ${knownPlaces.join(', ')}`;
        problems.push({ path: [...path, list, i, key], message });
      }
    }
  }
  return problems;
}
