/**
 * Layout of observations and actions, number by number, and a hash of both. Robot, policy file, learner and journal carry the
 * hash; on a mismatch nothing starts.
 */

import { type ActionRange, symmetricRange } from './action-range.ts';
import { sha256Hex } from './digest.ts';
import type { ObservationParts } from './environment.ts';
import { type ErrorKind, ReinError } from './result.ts';
import type { JointModel } from './robot-model.ts';

/** A named run of consecutive numbers in an observation. */
export interface ObservationField {
  /** Unique within its spec, e.g. `tcp_error`. */
  readonly name: string;
  readonly size: number;
  /** The unit before `scale`, e.g. `m`, `rad`, `N`, `1`. */
  readonly unit: string;
  /** The frame it is expressed in, e.g. `base`, `tool`, or `none`. */
  readonly frame: string;
}

/** Layout of one observation vector: `frames` copies of `fields`, oldest first, then `once`. */
export interface ObservationSpec {
  readonly fields: readonly ObservationField[];
  /** Number of consecutive policy steps stacked, ≥ 1. */
  readonly frames: number;
  /** Fields that are not stacked, after all frames, in this order. Absent: none. */
  readonly once?: readonly ObservationField[];
}

/** Name of the `once` field with the last executed actions, oldest first. */
export const PREVIOUS_ACTIONS = 'previous_actions';
/** Name of the `once` field with the base policy's action; the last field of all. */
export const BASE_ACTION = 'base_action';

/** One dimension of an action: physical = `scale`·a with a in [−1, 1]. */
export interface ActionDimension {
  /** e.g. `x`, `yaw`, `shoulder_pan`. */
  readonly name: string;
  /** Physical change per policy step at a = 1, in `unit`; > 0. */
  readonly scale: number;
  readonly unit: 'm' | 'rad';
}

/** Components of a cartesian action that move the tool, in the base frame. */
export const TOOL_AXES: readonly string[] = ['x', 'y', 'z', 'yaw'];

/**
 * Mapping of normalised actions to motion. `cartesian` moves the tool in the base frame (`TOOL_AXES`), and joints that do not
 * carry it, such as a gripper's, by their names; `joint` moves each joint.
 */
export interface ActionSpec {
  readonly kind: 'cartesian' | 'joint';
  readonly dimensions: readonly ActionDimension[];
}

/** Rejects an action returned by `who` unless it has `size` numbers from −1 to 1. Throws `ReinError` of `kind`. */
export function checkAction(kind: ErrorKind, who: string, action: ArrayLike<number>, size: number): void {
  const numbers = Array.from(action);
  // Written so that NaN is rejected.
  if (numbers.length === size && numbers.every((value) => Math.abs(value) <= 1)) return;
  throw new ReinError(kind, `${who} gave [${numbers.join(', ')}], an action is ${size} numbers from −1 to 1.`);
}

/** Unit of an action that moves `joint`: m for a prismatic joint and along a mobile base's path, else rad. */
export function jointActionUnit({ kind }: Pick<JointModel, 'kind'>): ActionDimension['unit'] {
  return kind === 'path' || kind === 'prismatic' ? 'm' : 'rad';
}

/** Index in `TOOL_AXES` of the component `name` of an action of `kind`; −1 for one that moves the joint of that name. */
export function toolAxisOf(kind: ActionSpec['kind'], name: string): number {
  return kind === 'cartesian' ? TOOL_AXES.indexOf(name) : -1;
}

/** True if the component `name` of an action of `kind` rotates the tool, so that its differences wrap around. */
export function isToolTurn(kind: ActionSpec['kind'], name: string): boolean {
  return kind === 'cartesian' && name === 'yaw';
}

/** Physical ranges of an action's components, in order: each is the change requested per policy step. */
export function rangesOf({ dimensions }: ActionSpec): ActionRange[] {
  return dimensions.map(({ name, unit, scale }) => symmetricRange(name, unit, scale));
}

/** Numbers in one frame of the observation, without stacking. */
export function frameSize(spec: ObservationSpec): number {
  return sizeOf(spec.fields);
}

/** Numbers in one complete observation. */
export function observationSize(spec: ObservationSpec): number {
  return frameSize(spec) * spec.frames + sizeOf(spec.once ?? []);
}

/** Largest observation: a step stores two of them in one journal record; wider ones leave too little memory and link capacity. */
export const MOST_OBSERVATION_NUMBERS = 500_000;

/** Returns why an observation cannot be recorded, as a sentence without its full stop; `undefined` if it can. */
export function observationProblem(spec: ObservationSpec): string | undefined {
  const size = observationSize(spec);
  if (size <= MOST_OBSERVATION_NUMBERS) return undefined;
  const frames = spec.frames === 1 ? '' : ` (${spec.frames} frames of ${frameSize(spec)})`;
  return `the observation has ${size} numbers${frames}, a step can be recorded with ${MOST_OBSERVATION_NUMBERS} at most: make pictures smaller, or stack fewer frames`;
}

/** Size of the `once` field `name`; 0 if absent. */
export function onceSize(spec: ObservationSpec, name: string): number {
  return sizeOf((spec.once ?? []).filter((field) => field.name === name));
}

/** Parts of an observation, as used by learners. */
export function observationParts(spec: ObservationSpec): ObservationParts {
  const baseActionSize = onceSize(spec, BASE_ACTION);
  const stateSize = observationSize(spec) - baseActionSize;
  return baseActionSize === 0 ? { stateSize } : { stateSize, baseActionSize };
}

function sizeOf(fields: readonly ObservationField[]): number {
  return fields.reduce((sum, field) => sum + field.size, 0);
}

/** Returns 16 hexadecimal digits that change whenever a change of either spec alters the meaning of the numbers. */
export function schemaHash(observation: ObservationSpec, action: ActionSpec): string {
  const plain = (fields: readonly ObservationField[]) => fields.map((f) => [f.name, f.size, f.unit, f.frame]);
  const { once = [] } = observation;
  const canonical = JSON.stringify({
    v: 1,
    frames: observation.frames,
    fields: plain(observation.fields),
    ...(once.length === 0 ? {} : { once: plain(once) }),
    kind: action.kind,
    dimensions: action.dimensions.map((d) => [d.name, d.scale, d.unit]),
  });
  return sha256Hex(canonical).slice(0, 16);
}
