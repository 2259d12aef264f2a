/** Robot model as data: joints, limits, tool and workspace. Written in `config/robots/*.yaml`. */

/**
 * Kind of a joint's position. `prismatic` slides along its axis, and `path` is a driven distance, both in m: read m for rad
 * (and N for N·m) in every name below. `turn` is a turned angle, rad. `path` and `turn` are axes of a mobile base: unlimited
 * and measured by odometry, so that only their changes are meaningful.
 */
export type JointKind = 'revolute' | 'prismatic' | 'path' | 'turn';

/** One joint and the link that it moves, or one axis of a mobile base. */
export interface JointModel {
  readonly name: string;
  /** `revolute` if absent. */
  readonly kind?: JointKind | undefined;
  /**
   * Name of the joint whose link carries this one, or `base`. Default: the preceding joint in the list, `base` for the first;
   * only branching arms need it. The parent must come earlier in the list.
   */
  readonly parent?: string | undefined;
  /** Position of the joint frame in the parent link's frame, m. */
  readonly originXyzM: readonly [number, number, number];
  /** Orientation of the joint frame in the parent link's frame: fixed-axis roll, pitch, yaw as in URDF, rad. */
  readonly originRpyRad: readonly [number, number, number];
  /** Unit axis of motion in the joint frame. */
  readonly axis: readonly [number, number, number];
  readonly positionMinRad: number;
  readonly positionMaxRad: number;
  readonly velocityMaxRadPerS: number;
  readonly accelMaxRadPerS2: number;
  /**
   * Largest rate at which the acceleration may grow in either direction while a command is followed, rad/s³; a decrease
   * towards 0 and braking are not limited. Absent: no limit.
   */
  readonly jerkMaxRadPerS3?: number | undefined;
  readonly torqueMaxNm: number;
  /** Servo stiffness: torque per position error at rest, N·m/rad. */
  readonly stiffnessNmPerRad: number;
  /** Servo damping, N·m·s/rad. */
  readonly dampingNmSPerRad: number;
  /** Peak error of a position reading, rad: noise plus quantisation. Required by the energy tank; 0 only if readings are exact. */
  readonly encoderNoiseRad?: number | undefined;
  /** Breakaway torque of the joint, N·m; 0 if absent. */
  readonly dryFrictionNm?: number | undefined;
  /** Margin kept from both position limits, rad; the robot's margin if absent. */
  readonly limitMarginRad?: number | undefined;
}

/** An axis-aligned box in the base frame that the tool point must stay in, m. */
export interface WorkspaceBox {
  readonly minM: readonly [number, number, number];
  readonly maxM: readonly [number, number, number];
}

/** A point of a link that must stay in a box, like the tool point in the workspace. */
export interface LinkPoint {
  readonly name: string;
  /** Name of the joint that moves the link. */
  readonly link: string;
  /** In the link's frame (that of its joint, moving with it), m. */
  readonly positionM: readonly [number, number, number];
  /** Box that it must stay in, base frame; the robot's workspace if absent. */
  readonly workspace?: WorkspaceBox | undefined;
}

/** A link's shape, or a part of it: all points within `radiusM` of a line segment. */
export interface Capsule {
  readonly name: string;
  /** Name of the joint that moves the link, or `base`. */
  readonly link: string;
  /** Ends of the segment in the link's frame, m; equal for a sphere. */
  readonly fromM: readonly [number, number, number];
  readonly toM: readonly [number, number, number];
  readonly radiusM: number;
}

/** An axis-aligned box in the base frame that the listed capsules stay out of: a table, a wall, a camera, m. */
export interface KeepOutBox extends WorkspaceBox {
  readonly name: string;
  /** Names of the capsules that must stay out; all but those on `base` if absent. */
  readonly capsules?: readonly string[] | undefined;
}

/** Collision geometry and the pairs that must not touch. */
export interface CollisionModel {
  readonly capsules: readonly Capsule[];
  /** Pairs of capsules kept apart, by name. */
  readonly pairs: readonly (readonly [string, string])[];
  readonly keepOut?: readonly KeepOutBox[] | undefined;
  /** Distance kept between the capsules of a pair, and from keep-out boxes, m. */
  readonly clearanceM: number;
}

/**
 * Energy tank: bounds the energy that commands inject into the robot beyond what the servos' damping dissipated
 * (`docs/safety-case.md`, energy tank). Needs true `stiffnessNmPerRad`, `dampingNmSPerRad`, `torqueMaxNm` and
 * `encoderNoiseRad` of each joint.
 */
export interface TankModel {
  /** Initial content, J. */
  readonly startJ: number;
  readonly minJ: number;
  readonly maxJ: number;
  /** Largest power that a command may inject, W; braking is exempt. */
  readonly powerMaxW: number;
  /** Fraction of the provably dissipated energy that is credited to the tank, 0 ≤ β < 1. */
  readonly recovery: number;
  /** Refill rate up to `startJ` while the robot stands without a command, W; 0 for none. */
  readonly topUpW: number;
  /** True if the servos add the reference velocity × damping/stiffness to the set-point, as industrial ones do. */
  readonly velocityFeedForward: boolean;
  /** Largest delay from sending a reference until the servo follows it, control periods. */
  readonly delayTicks: number;
}

/** Limits of the contact force and torque at the tool; beyond them the robot stops (row 41). */
export interface ContactModel {
  /** Limit per axis, N. */
  readonly forceMaxN: number;
  /** Limit about each axis, N·m. */
  readonly torqueMaxNm: number;
}

/** `file`: text written to a file and read back. `serial`: bytes as hexadecimal digits. */
export interface PowerRelay {
  readonly kind: 'file' | 'serial';
  readonly path: string;
  readonly closed: string;
  readonly open: string;
}

/** A stop from a given speed of the fastest monitored point: worst-case duration, and worst-case distance of any point. */
export interface StopFigures {
  readonly speedMPerS: number;
  readonly timeS: number;
  readonly distanceM: number;
}

/** Speed and separation monitoring (row 47): limits the arm's speed by the distance that its driver reports. See `separationM`. */
export interface SeparationModel {
  /** Approach speed of a person, m/s. */
  readonly humanSpeedMPerS: number;
  /** Delay from a person's motion to the start of braking: sensor, its transmission, and two ticks, s. */
  readonly reactionS: number;
  /** Distance that a body part reaches in before the sensor detects it, m. */
  readonly intrusionM: number;
  /** Uncertainty of the positions of person and robot together, m. */
  readonly uncertaintyM: number;
  /** Distances older than this count as a person at the arm, ms. */
  readonly freshnessMs: number;
  /** Measured stops; computed from the limits if absent. */
  readonly stops?: readonly StopFigures[] | undefined;
}

/**
 * Model with which the joints' measured torques are compared (row 54 of the fault table), as written by `rein safety
 * identify`. The servo model uses the joints' own stiffness, damping and torque limit.
 */
export interface TorqueObserverModel {
  /** Time constant of the residuals, s; that of the force sensor's own filter if there is one. */
  readonly filterS: number;
  /** `measured` if the torques carry the links' weight; `compensated` otherwise. */
  readonly weight: 'measured' | 'compensated';
  /**
   * Treatment of the tool force, which is excluded from the residuals. `mean`: the driver reports its mean over the period
   * (`meanWrench`), taken as exact; `subtracted`: a sample is subtracted, and the tolerance widened by the same amount;
   * `ignored`: no sensor.
   */
  readonly wrench: 'mean' | 'subtracted' | 'ignored';
  /** True if the servos add the reference velocity × damping/stiffness to the set-point. */
  readonly velocityFeedForward: boolean;
  /** Delay from sending a reference until the servo follows it, control periods. */
  readonly delayTicks: number;
  /** Age of the measured torque beyond that of position and velocity, s: half of its averaging time. */
  readonly torqueAgeS: number;
  /** [n] largest difference between a torque and the servo model, N·m. */
  readonly servoMaxNm: readonly number[];
  /** [n] largest external torque on a joint beyond what the tool's sensor measures, N·m. */
  readonly externalMaxNm: readonly number[];
  /** [n] of `LINK_PARAMETERS` numbers: mass, first moments, inertia, rotor, friction and offset of each joint and its link. */
  readonly links: readonly (readonly number[])[];
}

/** Remedy for an observer that no longer fits the arm. While it is in the file, the command refuses, or row 54 stops the arm. */
export const IDENTIFY_ANEW =
  "take torqueObserver out of the robot's file, then run `rein safety identify ROBOT --force`";

/** A rectangle that a mobile base must stay in, in the frame of its pose when the guard first read it, m. */
export interface Fence {
  readonly minM: readonly [number, number];
  readonly maxM: readonly [number, number];
  /** Radius about the base's origin that contains all of it, m. */
  readonly radiusM: number;
}

export type BaseKind = 'differential' | 'holonomic' | 'ackermann';

/** A mobile base, from which `modelOfBase` makes a robot model. */
export interface BaseModel {
  readonly kind: BaseKind;
  /** Forwards and backwards; also sideways for a holonomic base. */
  readonly speedMaxMPerS: number;
  readonly accelMaxMPerS2: number;
  /** Differential and holonomic. */
  readonly turnMaxRadPerS?: number | undefined;
  readonly turnAccelMaxRadPerS2?: number | undefined;
  /** Ackermann. */
  readonly steeringMaxRad?: number | undefined;
  readonly steeringRateMaxRadPerS?: number | undefined;
  readonly steeringAccelMaxRadPerS2?: number | undefined;
  /** Ackermann: distance between the axles. */
  readonly wheelbaseM?: number | undefined;
  readonly fence?: Fence | undefined;
}

/** An arm on a fixed base, or a mobile base. */
export interface RobotModel {
  readonly name: string;
  /** Present for a mobile base, whose joints are its axes (`axesOf`) and which has no tool. */
  readonly base?: BaseModel | undefined;
  readonly joints: readonly JointModel[];
  /** Tool point (TCP) in the frame of its link. */
  readonly tool: {
    readonly originXyzM: readonly [number, number, number];
    readonly originRpyRad: readonly [number, number, number];
    /** Name of the joint whose link carries the tool; the last joint if absent. */
    readonly link?: string | undefined;
  };
  readonly workspace: WorkspaceBox;
  /** Further points that must stay in the workspace or in a box of their own. */
  readonly points?: readonly LinkPoint[] | undefined;
  readonly collision?: CollisionModel | undefined;
  /** Absent: no energy tank. */
  readonly tank?: TankModel | undefined;
  /** Absent: contact forces are not monitored. */
  readonly contact?: ContactModel | undefined;
  /** Speed limit of every monitored point (`monitoredPoints`), m/s. Absent: only joint velocities are limited. Arms only. */
  readonly toolSpeedMaxMPerS?: number | undefined;
  /** Speed limit at reduced speed, for working beside the arm, m/s; `REDUCED_SPEED_M_PER_S` if absent. */
  readonly reducedSpeedMPerS?: number | undefined;
  /** Absent: no separation monitoring. Arms only. */
  readonly separation?: SeparationModel | undefined;
  /** Relay for the actuators' power, switched by the guardian: see `RelayConfig`. Absent: none. Arms only. */
  readonly powerRelay?: PowerRelay | undefined;
  /** Rated payload of the tool, kg; absent if unknown. Its weight is not compensated for. */
  readonly payloadMaxKg?: number | undefined;
  /** Absent: joint torques are not monitored. Arms only. */
  readonly torqueObserver?: TorqueObserverModel | undefined;
  /** False: the servos alone carry the links' weight, by their position error. Absent: gravity is compensated. */
  readonly gravityCompensated?: boolean | undefined;
  /** False: without torque the robot sinks or falls, and torque is ramped down. Absent: brakes, gears or balance hold it. */
  readonly holdsWithoutTorque?: boolean | undefined;
  /** Duration of the torque ramp-down after braking, s; if `holdsWithoutTorque` is false. */
  readonly exitRampS?: number | undefined;
  /** Guard ticks per second. */
  readonly controlHz: number;
  /** Margin kept from the position limits of each joint without its own (`limitMarginOf`), rad. */
  readonly limitMarginRad: number;
  /** Largest lead of the reference over the measured tool point, m; with the servo's stiffness this bounds the contact force. */
  readonly leashM: number;
  /** Largest lead of the reference over the measured orientation, rad. */
  readonly leashRad: number;
  /** A pose in the middle of the workspace with the tool pointing down, rad. */
  readonly homeRad: readonly number[];
}

/** Reduced speed of an industrial robot's TCP, m/s: ISO 10218-1:2011, 5.6.2, and ISO 10218-1:2025 (from memory; check their text). */
export const REDUCED_SPEED_M_PER_S: number = 0.25;

/** Unit of a joint's positions, although their names contain rad. */
export function positionUnit({ kind }: Pick<JointModel, 'kind'>): 'm' | 'rad' {
  return kind === 'prismatic' || kind === 'path' ? 'm' : 'rad';
}

/** Unit of a joint's torque: a prismatic joint exerts a force. */
export function torqueUnit({ kind }: Pick<JointModel, 'kind'>): 'N' | 'N·m' {
  return kind === 'prismatic' ? 'N' : 'N·m';
}

/** Time lag of a servo behind a steadily moving reference without feed-forward, s; 0 for an undamped axis. */
export function servoLagS({
  dampingNmSPerRad,
  stiffnessNmPerRad,
}: Pick<JointModel, 'dampingNmSPerRad' | 'stiffnessNmPerRad'>): number {
  return dampingNmSPerRad === 0 ? 0 : dampingNmSPerRad / stiffnessNmPerRad;
}

/** True for an axis of a mobile base of which only changes are meaningful. Tick-safe. */
export function isFree(joint: JointModel): boolean {
  return joint.kind === 'path' || joint.kind === 'turn';
}
