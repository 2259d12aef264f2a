/** Display shapes for a robot without known geometry. Imports nothing but types: pages are built with it. */
import { parentOf, toolLinkOf } from './robot-defaults.ts';
import type { Capsule, RobotModel } from './robot-model.ts';

/** Display radii of links and tool without known geometry, m. */
const BONE_M = 0.025;
const TOOL_M = 0.02;

/** Returns the safety chain's capsules; without any, a bone to the origin of each next joint. */
export function shownCapsules({ joints, tool, collision }: RobotModel): readonly Capsule[] {
  const known = collision?.capsules ?? [];
  if (known.length > 0) return known;
  const bones = joints.map(({ name, originXyzM }, i) => {
    return { name: `bone to ${name}`, link: parentOf(joints, i), fromM: ORIGIN, toM: originXyzM, radiusM: BONE_M };
  });
  return [
    ...bones,
    { name: 'tool', link: toolLinkOf({ tool, joints }), fromM: ORIGIN, toM: tool.originXyzM, radiusM: TOOL_M },
  ];
}

const ORIGIN = [0, 0, 0] as const;
