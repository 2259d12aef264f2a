/**
 * Success and failure rules of a described task, over the robot's measurements and the positions of things. One row per rule:
 * its schema, the places it refers to, its wording, and its test. For a criterion learned from examples see `rewardClassifier`,
 * a key of a task of any kind.
 */
import { z } from 'zod';
import { didYouMean, type RobotModel } from '../../model/index.ts';
import type { GuardFrame } from '../../rows/index.ts';
import { type Configured, num, triple } from '../../schema/index.ts';
import type { TaskProblem } from '../task-kind.ts';
import { distanceBetween, type Places } from './places.ts';

export type { Places } from './places.ts';

export const AXES = ['x', 'y', 'z'] as const;

/** Schema of a place's name. */
export function placeName(description: string): z.ZodString {
  return z.string().min(1).max(255).meta({ description });
}

export const axesSchema = z
  .array(z.enum(AXES))
  .min(1)
  .max(3)
  .meta({ description: 'Along which axes of the base frame it is measured.' })
  .default(['x', 'y', 'z']);

const place = placeName('`tool`, `base`, `goal`, or a body or site of the scene.');
const corners = { minM: triple('m', 'Lowest corner, base frame.'), maxM: triple('m', 'Highest corner, base frame.') };

const near = z.strictObject({
  rule: z.literal('near').meta({ description: 'Two places are close together: `near`.' }),
  place,
  to: placeName('The other place.').default('goal'),
  withinM: num('m', { above: 0, max: 10 }, 'Largest distance between the two.'),
  axes: axesSchema,
});
const inside = z.strictObject({
  rule: z.literal('inside').meta({ description: 'A place is in a box: `inside`.' }),
  place,
  ...corners,
});
const outside = z.strictObject({
  rule: z.literal('outside').meta({ description: 'A place has left a box: `outside`.' }),
  place,
  ...corners,
});
const force = z.strictObject({
  rule: z.literal('force').meta({ description: 'Something presses on the tool: `force`.' }),
  aboveN: num('N', { above: 0, max: 10_000 }, 'Least force, along `axes` together.'),
  axes: axesSchema,
});
const joint = z.strictObject({
  rule: z.literal('joint').meta({ description: 'A joint is at a position: `joint`.' }),
  joint: z.string().min(1).max(255).meta({ description: 'Name of the joint.' }),
  atRad: num('rad', { min: -1000, max: 1000 }, 'Position; m for a joint that slides.'),
  withinRad: num('rad', { above: 0, max: 1000 }, 'Largest deviation from it; m for a joint that slides.'),
});

export const ruleSchema = z.discriminatedUnion('rule', [near, inside, outside, force, joint]);

export type Rule = Configured<typeof ruleSchema>;

/** Schema of a list of rules, empty by default. */
export function ruleList(description: string) {
  return z.array(ruleSchema).max(16).meta({ description }).default([]);
}

/** Problems of `rules`, which stand at `path` of a task's file: rules that cannot change or be met. Place names are not checked. */
export function ruleProblems(
  rules: readonly Rule[],
  path: readonly string[],
  robot: Pick<RobotModel, 'name' | 'joints' | 'workspace'>,
): TaskProblem[] {
  return rules.flatMap((rule, i): TaskProblem[] => {
    if (neverMoves(rule)) {
      const message = 'nothing that moves is in this rule: it holds always or never';
      return [{ path: [...path, i, 'place'], message }];
    }
    if (rule.rule === 'joint') {
      const message = jointProblem(rule, robot);
      return message === undefined ? [] : [{ path: [...path, i, 'joint'], message }];
    }
    if (rule.rule !== 'inside' && rule.rule !== 'outside') return [];
    return AXES.flatMap((axis, k) => {
      const [low, high] = [rule.minM[k]!, rule.maxM[k]!];
      if (Math.max(low, -high) <= FAR * reachM(robot)) return [];
      const message = `the box is far from the robot: in ${axis} it goes from ${low} to ${high} m. Are these mm?`;
      return [{ path: [...path, i, 'minM'], message }];
    });
  });
}

/** A box that is farther away than this multiple of the workspace's reach is treated as a mistake. */
const FAR = 10;

function reachM({ workspace: { minM, maxM } }: Pick<RobotModel, 'workspace'>): number {
  return Math.max(...[...minM, ...maxM].map(Math.abs));
}

/** True if the rule concerns only places that do not move during an episode. */
function neverMoves(rule: Rule): boolean {
  const places = placesOf(rule).map(({ name }) => name);
  if (rule.rule === 'near') return rule.place === rule.to || places.every((name) => name === 'base' || name === 'goal');
  return places.includes('base');
}

function jointProblem(
  { joint: wanted, atRad, withinRad }: Extract<Rule, { rule: 'joint' }>,
  { name, joints }: Pick<RobotModel, 'name' | 'joints'>,
): string | undefined {
  const found = joints.find((each) => each.name === wanted);
  if (found === undefined) {
    const names = joints.map((each) => each.name);
    return `robot "${name}" has no joint "${wanted}", it has ${names.join(', ')}${didYouMean(wanted, names)}`;
  }
  const { positionMinRad, positionMaxRad } = found;
  if (atRad + withinRad >= positionMinRad && atRad - withinRad <= positionMaxRad) return undefined;
  return `joint "${wanted}" never gets there: it may be from ${positionMinRad} to ${positionMaxRad}`;
}

/** Returns a test for all rules of `all` and, if `any` is not empty, at least one of `any`. Without rules it never holds. */
export function ruleTest(all: readonly Rule[], any: readonly Rule[], places: Places, robot: RobotModel): RuleTest {
  if (all.length + any.length === 0) return () => false;
  const everyOne = all.map((rule) => testOf(rule, places, robot));
  const isAny = any.length === 0 ? () => true : anyTest(any, places, robot);
  return (frame) => {
    for (let i = 0; i < everyOne.length; i++) if (!everyOne[i]!(frame)) return false;
    return isAny(frame);
  };
}

/** Returns a test for at least one of `rules`. */
export function anyTest(rules: readonly Rule[], places: Places, robot: RobotModel): RuleTest {
  const tests = rules.map((rule) => testOf(rule, places, robot));
  return (frame) => {
    for (let i = 0; i < tests.length; i++) if (tests[i]!(frame)) return true;
    return false;
  };
}

/** True if the rules hold at `frame`. No allocation. */
export type RuleTest = (frame: GuardFrame) => boolean;

/** Places that `rule` refers to, with the keys that name them. */
export function placesOf(rule: Rule): readonly { readonly key: string; readonly name: string }[] {
  if (rule.rule === 'force' || rule.rule === 'joint') return [];
  const own = { key: 'place', name: rule.place };
  return rule.rule === 'near' ? [own, { key: 'to', name: rule.to }] : [own];
}

/** Returns the test of `rule` on `robot`. Throws `RangeError` for unknown places and joints. */
export function testOf(rule: Rule, places: Places, robot: RobotModel): RuleTest {
  switch (rule.rule) {
    case 'near': {
      const distance = distanceBetween(places.at(rule.place), places.at(rule.to), axisNumbers(rule.axes));
      return (frame) => distance(frame) <= rule.withinM;
    }
    case 'inside':
    case 'outside':
      return boxTest(rule, places);
    case 'force': {
      const axes = axisNumbers(rule.axes);
      return ({ robot: { wrench } }) => {
        let square = 0;
        for (let i = 0; i < axes.length; i++) square += wrench[axes[i]!]! ** 2;
        return square > rule.aboveN ** 2;
      };
    }
    case 'joint': {
      const index = robot.joints.findIndex(({ name }) => name === rule.joint);
      if (index < 0) throw new RangeError(`there is no joint called ${rule.joint}`);
      return (frame) => Math.abs(frame.robot.positionRad[index]! - rule.atRad) <= rule.withinRad;
    }
  }
}

/** Indices of axes by their names. */
export function axisNumbers(axes: readonly (typeof AXES)[number][]): number[] {
  return axes.map((axis) => AXES.indexOf(axis));
}

/** Box test; a place of unknown position (NaN) is neither inside nor outside. */
function boxTest(
  { rule, place, minM, maxM }: Extract<Rule, { readonly rule: 'inside' | 'outside' }>,
  places: Places,
): RuleTest {
  const read = places.at(place);
  const at = new Float64Array(3);
  return (frame) => {
    read(frame, at);
    let beyond = 0;
    for (let k = 0; k < 3; k++) {
      if (Number.isNaN(at[k]!)) return false;
      if (at[k]! < minM[k]! || at[k]! > maxM[k]!) beyond++;
    }
    return rule === 'outside' ? beyond > 0 : beyond === 0;
  };
}

const mm = (metres: number): string => `${Number((1e3 * metres).toFixed(2))} mm`;

/** Text of `rule`, for display. */
export function ruleWords(rule: Rule): string {
  switch (rule.rule) {
    case 'near':
      return `${thing(rule.place)} within ${mm(rule.withinM)} of ${thing(rule.to)}`;
    case 'inside':
      return `${thing(rule.place)} inside its box`;
    case 'outside':
      return `${thing(rule.place)} outside its box`;
    case 'force':
      return `more than ${rule.aboveN} N on the tool`;
    case 'joint':
      return `joint ${rule.joint} at ${rule.atRad}`;
  }
}

function thing(place: string): string {
  return `the ${place}`;
}
