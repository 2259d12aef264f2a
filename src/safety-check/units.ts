/** How a check writes numbers, and what a robot's joint positions are in. */
import { positionUnit, type RobotModel } from '../core/index.ts';

/** `rad`, `m`, or `rad or m` where some joints turn and others slide. */
export function turnUnitOf({ joints }: Pick<RobotModel, 'joints'>): 'rad' | 'm' | 'rad or m' {
  const slides = joints.filter((joint) => positionUnit(joint) === 'm').length;
  return slides === 0 ? 'rad' : slides === joints.length ? 'm' : 'rad or m';
}
