/** Chooses the tool point of an imported robot if none is given: never on a finger. */
import type { ImportedRobot, NamedFrame } from '../plant/mujoco.ts';

/** Usual names of the frame between the fingers or at the flange, the best first. */
const USUAL: readonly RegExp[] = [
  word('tcp|tool_?center_?point'),
  word('pinch|grasp|grip_?site'),
  /grip\w*[_-]frame/i,
  word('tool0?|tool_?frame'),
  word('eef?|end_?effector'),
  word('attachment_?site|flange'),
];
const FINGER = /finger|gripper|jaw|knuckle|claw|thumb/i;

/** Tool frame, and the joints that only open and close the tool. */
export interface ToolChoice {
  readonly frame: NamedFrame;
  /** Joints beyond the frame. */
  readonly fingers: readonly string[];
}

/**
 * Returns the frame of a usual name on a link that no finger moves, else the last body of the link before the fingers.
 * A body with a shape or a mass is a part, whatever its name.
 */
export function toolOf(robot: ImportedRobot): ToolChoice {
  const fingers = fingersOf(robot);
  const arm = robot.joints.filter(({ name }) => !fingers.includes(name));
  const hand = (arm.at(-1) ?? robot.joints.at(-1)!).name;
  const links = arm.map(({ name }) => name);
  const candidates = robot.frames.filter(({ link, isOnFinger }) => links.includes(link) && !isOnFinger);
  const frame =
    named(candidates.filter(({ link }) => link === hand)) ??
    named(candidates) ??
    candidates.filter(({ link, kind }) => link === hand && kind === 'body').at(-1);
  const bare = { name: hand, kind: 'body', link: hand, isBare: true, isOnFinger: false } as const;
  return { frame: frame ?? { ...bare, originXyzM: [0, 0, 0], originRpyRad: [0, 0, 0] }, fingers };
}

/** Returns the frame of the best name; among equals the last, which is farthest along. */
function named(frames: readonly NamedFrame[]): NamedFrame | undefined {
  for (const usual of USUAL) {
    const found = frames.filter(({ name, isBare }) => isBare && usual.test(name)).at(-1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the joints that carry nothing but fingers and are named so, are followed by another joint, or are one of
 * several at the end of the same link.
 */
function fingersOf({ joints, followed }: ImportedRobot): string[] {
  const childrenOf = (parent: string) => joints.filter((joint) => joint.parent === parent);
  const isLeaf = ({ name }: { readonly name: string }): boolean => childrenOf(name).length === 0;
  const fingers = new Set<string>();
  // Parents come first, so the search runs from the ends inwards.
  for (const { name, parent } of joints.toReversed()) {
    const isCalledSo = FINGER.test(name) || followed.includes(name);
    const isOneOfSeveral = parent !== 'base' && childrenOf(parent).filter(isLeaf).length > 1 && isLeaf({ name });
    if ((isCalledSo || isOneOfSeveral) && childrenOf(name).every((child) => fingers.has(child.name))) fingers.add(name);
  }
  return joints.map(({ name }) => name).filter((name) => fingers.has(name));
}

/** Returns a pattern for `names` as a word of a name whose words are joined by _ or -. */
function word(names: string): RegExp {
  return new RegExp(`(^|[_-])(${names})([_-]|$)`, 'i');
}
