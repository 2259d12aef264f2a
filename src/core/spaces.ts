/**
 * What an observation and an action consist of, number by number, and a hash of both. Robot, policy file,
 * learner and journal carry the hash; where two differ, nothing starts.
 */
import { createHash } from 'node:crypto';

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

/** The layout of one observation vector: `frames` copies of `fields`, the oldest first. */
export interface ObservationSpec {
  readonly fields: readonly ObservationField[];
  /** How many consecutive policy steps are stacked, ≥ 1. */
  readonly frames: number;
}

/** One dimension of an action: physical = `scale`·a with a in [−1, 1]. */
export interface ActionDimension {
  /** e.g. `x`, `yaw`, `shoulder_pan`. */
  readonly name: string;
  /** Physical change per policy step at a = 1, in `unit`; > 0. */
  readonly scale: number;
  readonly unit: 'm' | 'rad';
}

/** How normalised actions become motion. `cartesian` moves the tool in the base frame, `joint` each joint. */
export interface ActionSpec {
  readonly kind: 'cartesian' | 'joint';
  readonly dimensions: readonly ActionDimension[];
}

/** Numbers in one frame of the observation, without stacking. */
export function frameSize(spec: ObservationSpec): number {
  return spec.fields.reduce((sum, field) => sum + field.size, 0);
}

/** Numbers in one whole observation. */
export function observationSize(spec: ObservationSpec): number {
  return frameSize(spec) * spec.frames;
}

/** Sixteen hexadecimal digits that change when either spec changes in a way that alters the numbers' meaning. */
export function schemaHash(observation: ObservationSpec, action: ActionSpec): string {
  const canonical = JSON.stringify({
    v: 1,
    frames: observation.frames,
    fields: observation.fields.map((f) => [f.name, f.size, f.unit, f.frame]),
    kind: action.kind,
    dimensions: action.dimensions.map((d) => [d.name, d.scale, d.unit]),
  });
  return createHash('sha256').update(canonical).digest('hex').slice(0, 16);
}
