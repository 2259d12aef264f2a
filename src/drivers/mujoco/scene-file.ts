/** What a scene file has, read without the simulator: so that a task's file can be checked against it before anything starts. */

import { ReinError } from '../../core/index.ts';
import { elementsNamed, type XmlElement, xmlElements } from '../import/xml-elements.ts';
import { readModelFile } from './model-file.ts';

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
  const { xml } = readModelFile(path);
  const top = xmlElements(xml).find(({ name }) => name === 'mujoco');
  if (top === undefined) {
    throw new ReinError('config', `${path}: this is no MJCF: a scene begins with <mujoco>`);
  }
  const worlds = elementsNamed([top], 'worldbody');
  const named = (kind: string): XmlElement[] => elementsNamed(worlds, kind).filter((one) => one.attributes.has('name'));
  const tops = new Set(worlds.flatMap(topBodies));
  return {
    bodies: named('body').map((body) => ({
      name: body.attributes.get('name')!,
      isTop: tops.has(body),
      goes: goesOf(body),
    })),
    sites: named('site').map((site) => site.attributes.get('name')!),
  };
}

/** Those right in the world; frames only move them. */
function topBodies(parent: XmlElement): XmlElement[] {
  return parent.children.flatMap((child) => {
    if (child.name === 'body') return [child];
    return child.name === 'frame' ? topBodies(child) : [];
  });
}

/** A body on slides and hinges goes where these let it; any other can be put anywhere. */
function goesOf({ children }: XmlElement): SceneBody['goes'] {
  const joints = children.filter(({ name }) => name === 'joint');
  if (joints.length === 0 || joints.some(({ attributes }) => attributes.get('type') === 'free')) return EVERYWHERE;
  const goes: [boolean, boolean, boolean, boolean] = [false, false, false, false];
  for (const { attributes } of joints) {
    const axis = (attributes.get('axis') ?? '0 0 1').trim().split(/\s+/).map(Number);
    const k = axis.findIndex((value) => Math.abs(value) > 0.99 * Math.hypot(...axis));
    if (attributes.get('type') === 'slide' && k >= 0) goes[k] = true;
    else if ((attributes.get('type') ?? 'hinge') === 'hinge' && k === 2) goes[3] = true;
  }
  return goes;
}
