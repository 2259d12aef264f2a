/** Contents of an MJCF or URDF in terms of `RobotModel`; what the file does not give is absent. */
import type { Capsule } from '../../model/index.ts';
import type { Triple } from '../frames.ts';
import type { PackageFolders } from '../model/model-assets.ts';

/** Position in the robot's file; line 0 if unknown (an included file). */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Reason why a joint that must have stops at both ends has no range. */
export interface RangeProblem {
  readonly place: FilePlace;
  /** Continues a sentence after the joint's name. */
  readonly why: string;
}

/** Limit that is written, but would hold or move nothing. */
export interface UnusableLimit {
  readonly key: 'torqueMaxNm' | 'velocityMaxRadPerS';
  /** As written in the file. */
  readonly text: string;
  readonly place: FilePlace;
}

export interface ImportedJoint {
  readonly name: string;
  readonly kind: 'revolute' | 'prismatic';
  /** Name of the joint whose link carries this one, or `base`. */
  readonly parent: string;
  readonly originXyzM: Triple;
  readonly originRpyRad: Triple;
  readonly axis: Triple;
  readonly place: FilePlace;
  /** Absent for a joint without stops. */
  readonly range?: readonly [number, number] | undefined;
  /** URDF only: `<safety_controller>`, whether tighter than the range or not. */
  readonly soft?: { readonly range: readonly [number, number]; readonly place: FilePlace } | undefined;
  /** URDF only: limits that are written and limit nothing, such as `effort="0"`. */
  readonly unusable?: readonly UnusableLimit[] | undefined;
  /** URDF only: set if a joint lacks its range and is not of the type `continuous`. */
  readonly rangeProblem?: RangeProblem | undefined;
  /** Largest force of its actuators, or its own limit, N·m. */
  readonly torqueMaxNm?: number | undefined;
  /** Gains of its position actuator, seen at the joint. */
  readonly stiffnessNmPerRad?: number | undefined;
  readonly dampingNmSPerRad?: number | undefined;
  /** URDF only. */
  readonly velocityMaxRadPerS?: number | undefined;
}

/** Named frame: a site, or a body. */
export interface NamedFrame {
  readonly name: string;
  readonly kind: 'site' | 'body';
  /** Name of the joint whose link it belongs to, or `base`. */
  readonly link: string;
  readonly originXyzM: Triple;
  readonly originRpyRad: Triple;
  /** Without shape and mass: it only marks a place. */
  readonly isBare: boolean;
  /** On a body that a joint of `fixed` would move. */
  readonly isOnFinger: boolean;
}

/** Inertia over the poses that a robot can have, kg·m² (kg for a prismatic joint). */
export interface JointInertia {
  /** Maximum, with all other joints held. */
  readonly mostKgM2: number;
  /** Median and minimum, with all others free. */
  readonly freeKgM2: number;
  readonly leastKgM2: number;
}

export interface ImportedRobot {
  readonly name: string;
  readonly joints: readonly ImportedJoint[];
  /** Sites first, then bodies, each in file order. */
  readonly frames: readonly NamedFrame[];
  /** One per link that has shapes, including the base. */
  readonly capsules: readonly Capsule[];
  /** Inertia that each joint moves, rotors included. */
  readonly inertias: readonly JointInertia[];
  /** Joint positions of the keyframe `home`, or of the first; absent without keyframes. */
  readonly homeRad?: readonly number[] | undefined;
  /** All joints of the file that were left out because they are to stand still. */
  readonly fixed: readonly string[];
  /** Joints that others follow, as in fingers that open and close together. */
  readonly followed: readonly string[];
  /** Elements that limit or move a joint and are not read, with their lines. */
  readonly notRead: readonly string[];
  /** Folders of the ROS packages that the file needs, by name, if found. */
  readonly packages: PackageFolders;
}
