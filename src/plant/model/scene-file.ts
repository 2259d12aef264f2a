/** Contents of a scene file, read without the simulator, so that a task file can be checked against it before anything starts. */

import { ReinError } from '../../model/index.ts';
import { readModelFile, withIncludes } from './model-file.ts';
import { elementsNamed, type XmlElement, xmlElements } from './xml-elements.ts';

/** Body of a scene. */
export interface SceneBody {
  readonly name: string;
  /** Child of the world itself, not of another body: it can be placed. */
  readonly isTop: boolean;
  /** True for each of x, y, z and yaw in which it can be moved. */
  readonly goes: readonly [boolean, boolean, boolean, boolean];
}

/** Names in an MJCF file. */
export interface SceneFile {
  readonly bodies: readonly SceneBody[];
  readonly sites: readonly string[];
}

const EVERYWHERE = [true, true, true, true] as const;

/** Reads the MJCF at `path`. Throws `ReinError('config')` if it cannot be read or is no MJCF. */
export function readSceneFile(path: string): SceneFile {
  const { xml } = withIncludes(readModelFile(path));
  const top = xmlElements(xml).find(({ name }) => name === 'mujoco');
  if (top === undefined) {
    throw new ReinError('config', `${path}: this is no MJCF: a scene begins with <mujoco>`);
  }
  const worlds = top.children.filter(({ name }) => name === 'worldbody');
  const defaults = jointDefaults(top);
  const sites = elementsNamed(worlds, 'site').flatMap(({ attributes }) => attributes.get('name') ?? []);
  return { bodies: worlds.flatMap((world) => bodiesIn(world, { isTop: true, className: MAIN, defaults })), sites };
}

type Attributes = XmlElement['attributes'];

/** Class of elements that name none. */
const MAIN = '';

/** Returns the joint attributes of `<default>`, by class, with those of the enclosing classes. */
function jointDefaults(top: XmlElement): ReadonlyMap<string, Attributes> {
  const classes = new Map<string, Attributes>();
  const add = ({ children, attributes }: XmlElement, className: string, inherited: Attributes): void => {
    const own = children.filter(({ name }) => name === 'joint').flatMap((joint) => [...joint.attributes]);
    const all = new Map([...inherited, ...own]);
    for (const name of [className, attributes.get('class') ?? className]) classes.set(name, all);
    for (const child of children) {
      if (child.name === 'default') add(child, child.attributes.get('class') ?? className, all);
    }
  };
  for (const child of top.children) {
    if (child.name === 'default') add(child, MAIN, classes.get(MAIN) ?? new Map());
  }
  return classes;
}

interface Within {
  /** Directly in the world; frames only move their contents. */
  readonly isTop: boolean;
  readonly className: string;
  readonly defaults: ReadonlyMap<string, Attributes>;
}

/** Returns the bodies with names, in text order. */
function bodiesIn({ children }: XmlElement, within: Within): SceneBody[] {
  return children.flatMap((child) => {
    const className = child.attributes.get('childclass') ?? within.className;
    if (child.name === 'frame') return bodiesIn(child, { ...within, className });
    if (child.name !== 'body') return [];
    const name = child.attributes.get('name');
    const { isTop, defaults } = within;
    const own = name === undefined ? [] : [{ name, isTop, goes: goesOf(child, className, defaults) }];
    return [...own, ...bodiesIn(child, { isTop: false, className, defaults })];
  });
}

/** Returns the coordinates of a body on slides and hinges; any other body can be placed anywhere. */
function goesOf({ children }: XmlElement, className: string, defaults: Within['defaults']): SceneBody['goes'] {
  const joints = children
    .filter(({ name }) => name === 'joint')
    .map(({ attributes }) => new Map([...(defaults.get(attributes.get('class') ?? className) ?? []), ...attributes]));
  if (joints.length === 0 || joints.some((joint) => joint.get('type') === 'free')) return EVERYWHERE;
  const goes: [boolean, boolean, boolean, boolean] = [false, false, false, false];
  for (const joint of joints) {
    const axis = (joint.get('axis') ?? '0 0 1').trim().split(/\s+/).map(Number);
    const k = axis.findIndex((value) => Math.abs(value) > 0.99 * Math.hypot(...axis));
    if (joint.get('type') === 'slide' && k >= 0) goes[k] = true;
    else if ((joint.get('type') ?? 'hinge') === 'hinge' && k === 2) goes[3] = true;
  }
  return goes;
}
