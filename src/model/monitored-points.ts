/** Points of an arm whose speed is limited, from the geometry in the robot file. */
import type { RobotModel } from './robot-model.ts';

/** A point fixed to a link. */
interface MonitoredPoint {
  readonly name: string;
  /** Name of the joint that moves the link; the tool's link if absent. */
  readonly link?: string | undefined;
  /** In the link's frame, m. */
  readonly positionM: readonly [number, number, number];
}

/**
 * Returns the tool point, `points`, and both axis ends of each moving capsule: no point between is faster than the faster
 * end. None for a mobile base. A capsule's surface may be faster by its radius × the angular speed of its link.
 */
export function monitoredPoints({ tool, points = [], collision, base }: RobotModel): readonly MonitoredPoint[] {
  if (base !== undefined) return [];
  const found: MonitoredPoint[] = [{ name: 'tool', link: tool.link, positionM: tool.originXyzM }, ...points];
  for (const { name, link, fromM, toM } of collision?.capsules ?? []) {
    if (link === 'base') continue;
    found.push({ name, link, positionM: fromM }, { name, link, positionM: toM });
  }
  return found.filter((point, k) => found.findIndex((each) => isSame(each, point)) === k);
}

function isSame(a: MonitoredPoint, b: MonitoredPoint): boolean {
  return a.link === b.link && a.positionM.every((value, k) => value === b.positionM[k]);
}
