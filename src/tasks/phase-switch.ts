/**
 * The phase switch of a task: the base policy acts alone until the critical phase begins, the learned one from there to the end of the
 * episode. What begins it is a rule over what the robot measures, a person's button, or both.
 */
import { z } from 'zod';
import type { RobotModel } from '../core/index.ts';
import { type Configured, whole } from '../schema/index.ts';
import { type Places, placesOf, type RuleTest, ruleList, ruleProblems, ruleTest } from './described/rules.ts';
import type { TaskProblem } from './task-kind.ts';

export const phaseSwitchSchema = z
  .strictObject({
    all: ruleList('It begins where every one of these holds.'),
    any: ruleList('And where at least one of these holds too, where there are any.'),
    forSteps: whole('steps', { min: 1, max: 1000 }, 'So many steps in a row.').default(1),
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

/** Whether rules begin the critical phase, and not people alone. */
export function hasPhaseRules({ all, any }: Pick<PhaseSwitchConfig, 'all' | 'any'>): boolean {
  return all.length + any.length > 0;
}

/** Whether the rules of `config` hold in a frame. Throws `RangeError` for places and joints that are not there. */
export function criticalTest({ all, any }: PhaseSwitchConfig, places: Places, robot: RobotModel): RuleTest {
  return ruleTest(all, any, places, robot);
}

/** What does not agree within it, with `robot`, and with the rest of its task; `knownPlaces` where its kind checks none itself. */
export function phaseSwitchProblems(
  { all, any, byButton }: PhaseSwitchConfig,
  robot: Pick<RobotModel, 'name' | 'joints' | 'workspace'>,
  { hasBasePolicy, knownPlaces }: { readonly hasBasePolicy: boolean; readonly knownPlaces?: readonly string[] },
): TaskProblem[] {
  const path = ['phaseSwitch'];
  const problems = [...ruleProblems(all, [...path, 'all'], robot), ...ruleProblems(any, [...path, 'any'], robot)];
  if (!hasBasePolicy) {
    problems.push({ path, message: 'nobody drives before the critical phase: phaseSwitch needs a basePolicy' });
  }
  if (!byButton && !hasPhaseRules({ all, any })) {
    const message = 'nothing ever begins the critical phase: phaseSwitch needs rules (all, any), or byButton: true';
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
