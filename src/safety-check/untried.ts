/** Which limits a check of a robot says nothing about, and why. */
import { isFree, type RobotModel } from '../core/index.ts';

/** `energy (no tank)` and the like, for the verdict and the terminal. `hasEnergy`: the plant has masses. */
export function untriedOf({ tank, collision, base, joints }: RobotModel, hasEnergy: boolean): string[] {
  const untried: string[] = [];
  const canTouch = base === undefined && joints.some((joint) => !isFree(joint));
  if (tank === undefined || !hasEnergy) untried.push(`energy (${hasEnergy ? 'no tank' : 'no masses'})`);
  if (canTouch && collision === undefined) untried.push('collisions (no shapes)');
  if (canTouch && collision?.pairs.length === 0) untried.push('distance between links (no pairs)');
  if (base !== undefined && base.fence === undefined) untried.push('fence (none given)');
  return untried;
}
