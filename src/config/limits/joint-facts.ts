/** Numbers of joints with the places where they were written. */
import type { JointLimits } from '../schema/limits.ts';
import type { Place } from '../text/place.ts';

export interface Fact {
  readonly value: number;
  readonly place: Place;
}

/** What one file says of one joint. */
export type JointFacts = { readonly [K in keyof JointLimits]?: Fact | undefined };

export const LIMIT_KEYS: readonly (keyof JointLimits)[] = [
  'positionMinRad',
  'positionMaxRad',
  'velocityMaxRadPerS',
  'accelMaxRadPerS2',
  'jerkMaxRadPerS3',
  'torqueMaxNm',
  'stiffnessNmPerRad',
  'dampingNmSPerRad',
  'encoderNoiseRad',
];

/** What a file says of each joint that it names. */
export interface NamedFacts {
  readonly facts: JointFacts;
  /** Where its name stands. */
  readonly place: Place;
}
