/** Shapes of a robot of which no own ones are known, for pictures. Imports nothing but types: pages are built with it. */
import { parentOf, toolLinkOf } from './robot-defaults.ts';
import type { Capsule, RobotModel } from './robot-model.ts';

/** Radii of links and tool of which nothing is known, m. */
const BONE_M = 0.025;
const TOOL_M = 0.02;

/** What the safety chain takes the links for; a bone to the origin of each next joint where it knows nothing. */
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
