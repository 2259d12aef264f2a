/** How a check writes numbers, and what a robot's joint positions are in. */

import { unitOf } from '../config/index.ts';
import type { RobotModel } from '../core/index.ts';

/** `rad`, `m`, or `rad or m` where some joints turn and others slide. */
export function turnUnitOf({ joints }: Pick<RobotModel, 'joints'>): 'rad' | 'm' | 'rad or m' {
  const slides = joints.filter(({ kind }) => unitOf(kind) === 'm').length;
  return slides === 0 ? 'rad' : slides === joints.length ? 'm' : 'rad or m';
}

/** `420 000`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');
}
