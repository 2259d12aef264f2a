/**
 * What an observation and an action consist of, number by number, and a hash of both. Robot, policy file,
 * learner and journal carry the hash; where two differ, nothing starts.
 */

import { type ActionRange, symmetricRange } from './action-range.ts';
import { sha256Hex } from './digest.ts';
import type { ObservationParts } from './environment.ts';
import { type ErrorKind, ReinError } from './result.ts';
import type { JointModel } from './robot-model.ts';

/** A named run of numbers inside an observation. */
export interface ObservationField {
  /** Unique within its spec, e.g. `tcp_error`. */
  readonly name: string;
  readonly size: number;
  /** The unit before `scale`, e.g. `m`, `rad`, `N`, `1`. */
  readonly unit: string;
  /** The frame it is expressed in, e.g. `base`, `tool`, or `none`. */
  readonly frame: string;
}

/** The layout of one observation vector: `frames` copies of `fields`, the oldest first, then `once`. */
export interface ObservationSpec {
  readonly fields: readonly ObservationField[];
  /** How many consecutive policy steps are stacked, ≥ 1. */
  readonly frames: number;
  /** What stands once, behind all frames, in this order. Absent: nothing. */
  readonly once?: readonly ObservationField[];
}

/** Name of the field of `once` that holds the last executed actions, the oldest first. */
export const PREVIOUS_ACTIONS = 'previous_actions';
/** Name of the field of `once` that holds what a base policy would do; the last of all. */
export const BASE_ACTION = 'base_action';

/** One dimension of an action: physical = `scale`·a with a in [−1, 1]. */
export interface ActionDimension {
  /** e.g. `x`, `yaw`, `shoulder_pan`. */
  readonly name: string;
  /** Physical change per policy step at a = 1, in `unit`; > 0. */
  readonly scale: number;
  readonly unit: 'm' | 'rad';
}

/** Names of the numbers of a cartesian action that move the tool, in the base frame. */
export const TOOL_AXES: readonly string[] = ['x', 'y', 'z', 'yaw'];

/**
 * How normalised actions become motion. `cartesian` moves the tool in the base frame (`TOOL_AXES`), and besides joints that do not carry it,
 * such as a gripper's, by their names; `joint` moves each joint.
 */
export interface ActionSpec {
  readonly kind: 'cartesian' | 'joint';
  readonly dimensions: readonly ActionDimension[];
}

/** Refuses what `who` decided where it is no action: [`size`] numbers from −1 to 1. Throws `ReinError` of `kind`. */
export function checkAction(kind: ErrorKind, who: string, action: ArrayLike<number>, size: number): void {
  const numbers = Array.from(action);
  // Put so that NaN is no number from −1 to 1.
  if (numbers.length === size && numbers.every((value) => Math.abs(value) <= 1)) return;
  throw new ReinError(kind, `${who} gave [${numbers.join(', ')}], an action is ${size} numbers from −1 to 1.`);
}

/** Unit of an action that moves `joint`: m where it slides, and along the path of a mobile base. */
export function jointActionUnit({ kind }: Pick<JointModel, 'kind'>): ActionDimension['unit'] {
  return kind === 'path' || kind === 'prismatic' ? 'm' : 'rad';
}

/** Which of `TOOL_AXES` the number `name` of an action of `kind` moves; −1 for one that moves the joint of that name. */
export function toolAxisOf(kind: ActionSpec['kind'], name: string): number {
  return kind === 'cartesian' ? TOOL_AXES.indexOf(name) : -1;
}

/** Whether the number `name` of an action of `kind` turns the tool, so that its differences go the short way round. */
export function isToolTurn(kind: ActionSpec['kind'], name: string): boolean {
  return kind === 'cartesian' && name === 'yaw';
}

/** The numbers of an action, in order: each is the change that it asks for in one policy step. */
export function rangesOf({ dimensions }: ActionSpec): ActionRange[] {
  return dimensions.map(({ name, unit, scale }) => symmetricRange(name, unit, scale));
}

/** Numbers in one frame of the observation, without stacking. */
export function frameSize(spec: ObservationSpec): number {
  return sizeOf(spec.fields);
}

/** Numbers in one whole observation. */
export function observationSize(spec: ObservationSpec): number {
  return frameSize(spec) * spec.frames + sizeOf(spec.once ?? []);
}

/** A step keeps two observations, in one record of the journal; of wider ones there is room for too few, in memory and on the link. */
export const MOST_OBSERVATION_NUMBERS = 500_000;

/** Why an observation cannot be recorded, a sentence without its full stop; `undefined` where it can. */
export function observationProblem(spec: ObservationSpec): string | undefined {
  const size = observationSize(spec);
  if (size <= MOST_OBSERVATION_NUMBERS) return undefined;
  const frames = spec.frames === 1 ? '' : ` (${spec.frames} frames of ${frameSize(spec)})`;
  return `the observation has ${size} numbers${frames}, a step can be recorded with ${MOST_OBSERVATION_NUMBERS} at most: make pictures smaller, or stack fewer frames`;
}

/** Numbers of the field `name` of `once`; 0 where there is none. */
export function onceSize(spec: ObservationSpec, name: string): number {
  return sizeOf((spec.once ?? []).filter((field) => field.name === name));
}

/** The parts of an observation as learners take them. */
export function observationParts(spec: ObservationSpec): ObservationParts {
  const baseActionSize = onceSize(spec, BASE_ACTION);
  const stateSize = observationSize(spec) - baseActionSize;
  return baseActionSize === 0 ? { stateSize } : { stateSize, baseActionSize };
}

function sizeOf(fields: readonly ObservationField[]): number {
  return fields.reduce((sum, field) => sum + field.size, 0);
}

/** Sixteen hexadecimal digits that change when either spec changes in a way that alters the numbers' meaning. */
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
