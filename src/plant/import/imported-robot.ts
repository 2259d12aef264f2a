/** What an MJCF or URDF says of a robot, in the words of `RobotModel`; what it does not say is absent. */
import type { Capsule } from '../../core/index.ts';
import type { Triple } from '../frames.ts';
import type { PackageFolders } from '../model/model-assets.ts';

/** Where something stands in the robot's file; line 0 where that is not known (an included file). */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Why a joint that must stop at both ends has no range. */
export interface RangeProblem {
  readonly place: FilePlace;
  /** Goes on after the joint's name. */
  readonly why: string;
}

/** A limit that is written, and holds or moves nothing. */
export interface UnusableLimit {
  readonly key: 'torqueMaxNm' | 'velocityMaxRadPerS';
  /** As it stands in the file. */
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
  /** Absent for a joint without a stop. */
  readonly range?: readonly [number, number] | undefined;
  /** URDF only: `<safety_controller>`, tighter than the range or not. */
  readonly soft?: { readonly range: readonly [number, number]; readonly place: FilePlace } | undefined;
  /** URDF only: limits that are there and are no limit, as `effort="0"`. */
  readonly unusable?: readonly UnusableLimit[] | undefined;
  /** URDF only: a joint that turns or slides without end is of the type `continuous` there. */
  readonly rangeProblem?: RangeProblem | undefined;
  /** Largest force of its actuators, or its own limit, N·m. */
  readonly torqueMaxNm?: number | undefined;
  /** Of its position actuator, seen at the joint. */
  readonly stiffnessNmPerRad?: number | undefined;
  readonly dampingNmSPerRad?: number | undefined;
  /** URDF only. */
  readonly velocityMaxRadPerS?: number | undefined;
}

/** A frame by name: a site, or a body. */
export interface NamedFrame {
  readonly name: string;
  readonly kind: 'site' | 'body';
  /** Name of the joint whose link it is part of, or `base`. */
  readonly link: string;
  readonly originXyzM: Triple;
  readonly originRpyRad: Triple;
  /** Without a shape or a mass: it is there to name a place. */
  readonly isBare: boolean;
  /** On what a joint of `fixed` would move. */
  readonly isOnFinger: boolean;
}

/** Over the poses that a robot can have, kg·m² (kg for a sliding joint). */
export interface JointInertia {
  /** The most, with all other joints held. */
  readonly mostKgM2: number;
  /** The median and the least where all others give way. */
  readonly freeKgM2: number;
  readonly leastKgM2: number;
}

export interface ImportedRobot {
  readonly name: string;
  readonly joints: readonly ImportedJoint[];
  /** Sites first, then bodies, each in the file's order. */
  readonly frames: readonly NamedFrame[];
  /** One a link that has shapes; the base's where it has any. */
  readonly capsules: readonly Capsule[];
  /** For each joint what it has to turn, rotors included. */
  readonly inertias: readonly JointInertia[];
  /** The joints of the key frame named `home`, or of the first; absent without key frames. */
  readonly homeRad?: readonly number[] | undefined;
  /** All joints of the file that were left out because they are to stand still. */
  readonly fixed: readonly string[];
  /** Joints that others follow: fingers open and close together. */
  readonly followed: readonly string[];
  /** What the file says that limits or moves a joint and is not read, with its line. */
  readonly notRead: readonly string[];
  /** Folders of the ROS packages that the file needs, by name, where it found them. */
  readonly packages: PackageFolders;
}
