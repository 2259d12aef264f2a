/** What a scene file has, read without the simulator: so that a task's file can be checked against it before anything starts. */

import { ReinError } from '../../core/index.ts';
import { readModelFile, withIncludes } from './model-file.ts';
import { elementsNamed, type XmlElement, xmlElements } from './xml-elements.ts';

/** A body of a scene. */
export interface SceneBody {
  readonly name: string;
  /** It stands in the world itself, and on no other body: it can be put in place. */
  readonly isTop: boolean;
  /** Whether it can be put elsewhere along x, y and z, and turned about z. */
  readonly goes: readonly [boolean, boolean, boolean, boolean];
}

/** The names in an MJCF file. */
export interface SceneFile {
  readonly bodies: readonly SceneBody[];
  readonly sites: readonly string[];
}

const EVERYWHERE = [true, true, true, true] as const;

/** Reads the MJCF at `path`. Throws `ReinError('config')` where it cannot be read or is no MJCF. */
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

/** The class of what names none. */
const MAIN = '';

/** What `<default>` says of joints, by class; each has what the classes around it say. */
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
  /** Right in the world; frames only move what is in them. */
  readonly isTop: boolean;
  readonly className: string;
  readonly defaults: ReadonlyMap<string, Attributes>;
}

/** The bodies with names, in the order of the text. */
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

/** A body on slides and hinges goes where these let it; any other can be put anywhere. */
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
