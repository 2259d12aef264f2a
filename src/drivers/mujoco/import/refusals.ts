/** What the safety chain's geometry cannot describe, each refused with one sentence, and joints that are to stand still. */
import type { MainModule, MjSpec, MjsElement, MjsEquality, mjtObj } from '@mujoco/mujoco';
import { ReinError } from '../../../core/index.ts';
import type { FilePlace } from './imported-robot.ts';

/** Finds the line of an element of the file by its name. */
export type PlaceOf = (element: string, name: string) => FilePlace;

/** All elements of one type, in the order of the file. */
export function elementsOf(module: MainModule, spec: MjSpec, type: mjtObj): MjsElement[] {
  const found: MjsElement[] = [];
  let element = module.mjs_firstElement(spec, type);
  while (element !== undefined && element !== null) {
    found.push(element);
    element = module.mjs_nextElement(spec, element);
  }
  return found;
}

/**
 * Takes the joints that `stays` names out of the model, so that their bodies stand still where the file has them, and all
 * that would refer to them: equalities, tendons, actuators, sensors and key frames.
 */
export function fixJoints(module: MainModule, spec: MjSpec, stays: (joint: string) => boolean): string[] {
  const { mjtObj: types } = module;
  const fixed = elementsOf(module, spec, types.mjOBJ_JOINT).filter((joint) => stays(module.mjs_getName(joint)));
  if (fixed.length === 0) return [];
  const names = fixed.map((joint) => module.mjs_getName(joint));
  for (const element of elementsOf(module, spec, types.mjOBJ_EQUALITY)) {
    const { name1, name2 } = module.mjs_asEquality(element)!;
    if (names.includes(name1) || names.includes(name2)) module.mjs_delete(spec, element);
  }
  const tendons = elementsOf(module, spec, types.mjOBJ_TENDON);
  const gone = new Set([...names, ...tendons.map((tendon) => module.mjs_getName(tendon))]);
  for (const element of elementsOf(module, spec, types.mjOBJ_ACTUATOR)) {
    if (gone.has(module.mjs_asActuator(element)!.target)) module.mjs_delete(spec, element);
  }
  for (const type of [types.mjOBJ_SENSOR, types.mjOBJ_KEY]) {
    for (const element of elementsOf(module, spec, type)) module.mjs_delete(spec, element);
  }
  for (const element of [...tendons, ...fixed]) module.mjs_delete(spec, element);
  return names;
}

/** Throws `ReinError('config')` for a joint or a constraint that no tree of turning and sliding joints has. */
export function refuseOthers(module: MainModule, spec: MjSpec, placeOf: PlaceOf): void {
  const { mjtObj: types, mjtJoint } = module;
  for (const element of elementsOf(module, spec, types.mjOBJ_JOINT)) {
    const name = module.mjs_getName(element);
    const body = module.mjs_getParent(element);
    const owner = body === undefined || body === null ? '' : module.mjs_getName(body.element);
    const { value } = module.mjs_asJoint(element)!.type as unknown as { value: number };
    if (value === mjtJoint.mjJNT_FREE.value) refuse(placeOf, 'joint', name, `body "${owner}" floats freely`);
    if (value === mjtJoint.mjJNT_BALL.value)
      refuse(placeOf, 'joint', name, `joint "${name}" of body "${owner}" is a ball joint`);
    if (name === '')
      refuse(placeOf, 'body', owner, `body "${owner}" has a joint without a name, to which no limit can be given`);
  }
  for (const element of elementsOf(module, spec, types.mjOBJ_EQUALITY)) {
    refuse(placeOf, 'equality', module.mjs_getName(element), equalityText(module, module.mjs_asEquality(element)!));
  }
}

function equalityText(module: MainModule, equality: MjsEquality): string {
  const { name1, name2 } = equality;
  const { value } = equality.type as unknown as { value: number };
  if (value === module.mjtEq.mjEQ_JOINT.value) return `joint "${name1}" follows joint "${name2}"`;
  if (value === module.mjtEq.mjEQ_TENDON.value) return `tendon "${name1}" is tied to another`;
  return `"${name1}" and "${name2}" are tied together: the links form a closed chain`;
}

export function refuse(placeOf: PlaceOf, element: string, name: string, why: string): never {
  const { file, line, column } = placeOf(element, name);
  const where = line === 0 ? file : `${file}:${line}:${column}`;
  throw new ReinError('config', `${where}: ${why}; the safety chain knows trees of turning and sliding joints only`, {
    remedy: 'take it out of the file, or list its joints under `fixed` in the limits file: they then stand still',
  });
}
