/** Refusals of what the safety chain's geometry cannot describe, with one message each; and removal of joints that are to stand still. */
import type { MainModule, MjSpec, MjsElement, MjsEquality } from '@mujoco/mujoco';
import { ReinError } from '../../model/index.ts';
import { codeOf, deleteAll, elementsOf } from '../model/model-file.ts';
import type { FilePlace } from './imported-robot.ts';

/** Returns the place of an element of the file by its name. */
export type PlaceOf = (element: string, name: string) => FilePlace;

/** Joints that were taken out of a model because they are to stand still. */
export interface FixedJoints {
  readonly joints: readonly string[];
  /** Bodies that they would move. */
  readonly bodies: ReadonlySet<string>;
  /** Joints that stay, and that they followed. */
  readonly followed: readonly string[];
}

/**
 * Removes the joints selected by `stays` from the model, so that their bodies stand still where the file has them, and all that
 * refers to them: equalities, tendons, actuators, sensors and keyframes. A closed chain that only they could move is then no chain.
 */
export function fixJoints(module: MainModule, spec: MjSpec, stays: (joint: string) => boolean): FixedJoints {
  const { mjtObj: types } = module;
  const fixed = elementsOf(module, spec, types.mjOBJ_JOINT).filter((joint) => stays(module.mjs_getName(joint)));
  const names = fixed.map((joint) => module.mjs_getName(joint));
  const bodies = new Set(fixed.map((joint) => ownerOf(module, joint)));
  if (fixed.length === 0) return { joints: [], bodies, followed: [] };
  const followed: string[] = [];
  for (const element of elementsOf(module, spec, types.mjOBJ_EQUALITY)) {
    const equality = module.mjs_asEquality(element)!;
    const tied = jointsTied(module, spec, equality);
    if (codeOf(equality.type) === module.mjtEq.mjEQ_JOINT.value) {
      if (!tied.some((name) => names.includes(name))) continue;
      followed.push(...tied.filter((name) => !names.includes(name)));
    } else if (tied.length === 0 || !tied.every((name) => names.includes(name))) continue;
    module.mjs_delete(spec, element);
  }
  const tendons = elementsOf(module, spec, types.mjOBJ_TENDON);
  const gone = new Set([...names, ...tendons.map((tendon) => module.mjs_getName(tendon))]);
  for (const element of elementsOf(module, spec, types.mjOBJ_ACTUATOR)) {
    if (gone.has(module.mjs_asActuator(element)!.target)) module.mjs_delete(spec, element);
  }
  deleteAll(module, spec, types.mjOBJ_SENSOR, types.mjOBJ_KEY);
  for (const element of [...tendons, ...fixed]) module.mjs_delete(spec, element);
  return { joints: names, bodies, followed };
}

/** Returns the name of the body that a joint moves. */
function ownerOf(module: MainModule, joint: MjsElement): string {
  const body = module.mjs_getParent(joint);
  return body === undefined || body === null ? '' : module.mjs_getName(body.element);
}

/** Throws `ReinError('config')` for a joint or constraint that a tree of revolute and prismatic joints cannot have. */
export function refuseOthers(module: MainModule, spec: MjSpec, placeOf: PlaceOf): void {
  const { mjtObj: types, mjtJoint } = module;
  for (const element of elementsOf(module, spec, types.mjOBJ_JOINT)) {
    const name = module.mjs_getName(element);
    const owner = ownerOf(module, element);
    const value = codeOf(module.mjs_asJoint(element)!.type);
    if (value === mjtJoint.mjJNT_FREE.value) refuse(placeOf, 'joint', name, `body "${owner}" floats freely`);
    if (value === mjtJoint.mjJNT_BALL.value)
      refuse(placeOf, 'joint', name, `joint "${name}" of body "${owner}" is a ball joint`);
    if (name === '')
      refuse(placeOf, 'body', owner, `body "${owner}" has a joint without a name, to which no limit can be given`);
  }
  // An inactive constraint has no effect.
  const active = elementsOf(module, spec, types.mjOBJ_EQUALITY).filter(
    (element) => module.mjs_asEquality(element)!.active,
  );
  const equalities = active.map((element) => module.mjs_asEquality(element)!);
  if (equalities.length === 0) return;
  const whys = equalities.map((equality) => equalityText(module, equality)).join('; ');
  const tied = [...new Set(equalities.flatMap((equality) => standStill(module, spec, equality)))];
  refuse(placeOf, 'equality', module.mjs_getName(active[0]!), whys, tied);
}

/** Returns the joints that have to stand still for a constraint to have no effect: of a coupled pair, the follower. */
function standStill(module: MainModule, spec: MjSpec, equality: MjsEquality): string[] {
  const isPair = codeOf(equality.type) === module.mjtEq.mjEQ_JOINT.value;
  return isPair ? [equality.name1] : jointsTied(module, spec, equality);
}

/** Returns the joints that a constraint ties: both of a coupled pair, all of tied tendons, or all between two bodies or sites. */
function jointsTied(module: MainModule, spec: MjSpec, { name1, name2, type }: MjsEquality): string[] {
  const value = codeOf(type);
  if (value === module.mjtEq.mjEQ_JOINT.value) return [name1, name2].filter((name) => name !== '');
  if (value === module.mjtEq.mjEQ_TENDON.value) {
    return elementsOf(module, spec, module.mjtObj.mjOBJ_TENDON).flatMap((tendon) => {
      const names = elementsOf(module, spec, module.mjtObj.mjOBJ_JOINT).map((joint) => module.mjs_getName(joint));
      return [name1, name2].includes(module.mjs_getName(tendon)) ? names : [];
    });
  }
  const one = bodiesAbove(module, spec, name1);
  const other = bodiesAbove(module, spec, name2);
  const between = [...one.filter((name) => !other.includes(name)), ...other.filter((name) => !one.includes(name))];
  return elementsOf(module, spec, module.mjtObj.mjOBJ_JOINT).flatMap((joint) => {
    const body = module.mjs_getParent(joint);
    const isBetween = body !== undefined && body !== null && between.includes(module.mjs_getName(body.element));
    return isBetween ? [module.mjs_getName(joint)] : [];
  });
}

/** Returns the names of body `name` (or of the site's body), and of its ancestors. */
function bodiesAbove(module: MainModule, spec: MjSpec, name: string): string[] {
  const { mjtObj: types } = module;
  const body = module.mjs_findElement(spec, types.mjOBJ_BODY, name);
  const site = body ? undefined : module.mjs_findElement(spec, types.mjOBJ_SITE, name);
  let at = body ?? (site ? module.mjs_getParent(site)?.element : undefined);
  const names: string[] = [];
  while (at !== undefined && at !== null && module.mjs_getName(at) !== 'world' && names.length < 256) {
    names.push(module.mjs_getName(at));
    at = module.mjs_getParent(at)?.element;
  }
  return names;
}

function equalityText(module: MainModule, equality: MjsEquality): string {
  const { name1, name2 } = equality;
  const value = codeOf(equality.type);
  if (value === module.mjtEq.mjEQ_JOINT.value) return `joint "${name1}" follows joint "${name2}"`;
  if (value === module.mjtEq.mjEQ_TENDON.value) return `tendon "${name1}" is tied to another`;
  return `"${name1}" and "${name2}" are tied together: the links form a closed chain`;
}

export function refuse(
  placeOf: PlaceOf,
  element: string,
  name: string,
  why: string,
  joints: readonly string[] = [],
): never {
  const { file, line, column } = placeOf(element, name);
  const where = line === 0 ? file : `${file}:${line}:${column}`;
  throw new ReinError('config', `${where}: ${why}; the safety chain handles trees of turning and sliding joints only`, {
    remedy: standStillRemedy(joints),
  });
}

/** Returns the remedy for a constraint on `joints`, whose names may be unknown. */
export function standStillRemedy(joints: readonly string[]): string {
  const list = joints.length === 0 ? '' : ` (fixed: [${joints.join(', ')}])`;
  const options = joints.length === 0 ? '' : `, or give ${joints.map((joint) => `--fixed ${joint}`).join(' ')}`;
  return `take it out of the file, or list its joints under \`fixed\` in the limits file${list}${options}: they then stand still`;
}
