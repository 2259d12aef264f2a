/** What a robot is, as data: joints, limits, tool and workspace. Written in `config/robots/*.yaml`. */

/**
 * What a joint's position means. `prismatic` slides along its axis, and `path` is a distance driven, both in m: read m for
 * rad (and N for N·m) in every name below. `turn` is an angle turned, rad. `path` and `turn` are axes of a mobile base:
 * without limits and measured by odometry, so that only their changes mean something.
 */
export type JointKind = 'revolute' | 'prismatic' | 'path' | 'turn';

/** One joint and the link that it moves, or one axis of a mobile base. */
export interface JointModel {
  readonly name: string;
  /** `revolute` where absent. */
  readonly kind?: JointKind | undefined;
  /**
   * Name of the joint whose link carries this one, or `base`. The joint before it in the list where absent, `base` for the
   * first: only arms that branch need it. It must come earlier in the list.
   */
  readonly parent?: string | undefined;
  /** Position of the joint frame in the parent link's frame, m. */
  readonly originXyzM: readonly [number, number, number];
  /** Orientation of the joint frame in the parent link's frame: fixed-axis roll, pitch, yaw as in URDF, rad. */
  readonly originRpyRad: readonly [number, number, number];
  /** Unit axis of rotation in the joint frame. */
  readonly axis: readonly [number, number, number];
  readonly positionMinRad: number;
  readonly positionMaxRad: number;
  readonly velocityMaxRadPerS: number;
  readonly accelMaxRadPerS2: number;
  /**
   * How fast the acceleration may grow, either way, while a command is followed, rad/s³; falling back towards 0 and braking are
   * free. Absent: no limit.
   */
  readonly jerkMaxRadPerS3?: number | undefined;
  readonly torqueMaxNm: number;
  /** Servo stiffness: torque per position error at rest, N·m/rad. */
  readonly stiffnessNmPerRad: number;
  /** Servo damping, N·m·s/rad. */
  readonly dampingNmSPerRad: number;
  /**
   * Most by which a reading of the position is off, rad: noise and quantisation together, peak. An energy tank needs it; 0 only
   * where readings are exact.
   */
  readonly encoderNoiseRad?: number | undefined;
  /** What it takes to break the joint loose, N·m; 0 where absent. */
  readonly dryFrictionNm?: number | undefined;
  /** Distance kept from both of its position limits, rad; that of the robot where absent. */
  readonly limitMarginRad?: number | undefined;
}

/** An axis-aligned box in the base frame that the tool point must stay in, m. */
export interface WorkspaceBox {
  readonly minM: readonly [number, number, number];
  readonly maxM: readonly [number, number, number];
}

/** A point of a link that has to stay in a box, as the tool point has to stay in the workspace. */
export interface LinkPoint {
  readonly name: string;
  /** Name of the joint that moves the link. */
  readonly link: string;
  /** In the link's frame (the joint's, turned with it), m. */
  readonly positionM: readonly [number, number, number];
  /** Box that it stays in, base frame; the robot's workspace where absent. */
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
  /** Names of the capsules that must stay out; all but those on `base` where absent. */
  readonly capsules?: readonly string[] | undefined;
}

/** What must not touch what. */
export interface CollisionModel {
  readonly capsules: readonly Capsule[];
  /** Pairs of capsules that are kept apart, by name. */
  readonly pairs: readonly (readonly [string, string])[];
  readonly keepOut?: readonly KeepOutBox[] | undefined;
  /** Distance kept between the capsules of a pair, and from keep-out boxes, m. */
  readonly clearanceM: number;
}

/**
 * The energy tank: what the commands may put into the robot beyond what its servos' dampers took out
 * (`docs/safety-case.md`, energy tank). Needs true `stiffnessNmPerRad`, `dampingNmSPerRad`, `torqueMaxNm` and
 * `encoderNoiseRad` of each joint.
 */
export interface TankModel {
  /** Content at the start, J. */
  readonly startJ: number;
  readonly minJ: number;
  readonly maxJ: number;
  /** Most power that a command may inject, W; braking is exempt. */
  readonly powerMaxW: number;
  /** Share of the energy that the dampers provably took out which is credited, 0 ≤ β < 1. */
  readonly recovery: number;
  /** Bounded top-up while the robot stands with no command, W; 0 for none. */
  readonly topUpW: number;
  /** The servos add the reference's velocity × damping/stiffness to the set-point, as industrial ones do. */
  readonly velocityFeedForward: boolean;
  /** Most control periods between a reference being sent and the servo following it. */
  readonly delayTicks: number;
}

/** What the tool may press with before the robot stops (row 41). */
export interface ContactModel {
  /** Of any axis, N. */
  readonly forceMaxN: number;
  /** About any axis, N·m. */
  readonly torqueMaxNm: number;
}

/** `file`: text that is written to a file and read back. `serial`: bytes as hexadecimal digits. */
export interface PowerRelay {
  readonly kind: 'file' | 'serial';
  readonly path: string;
  readonly closed: string;
  readonly open: string;
}

/** A stop from a speed of the fastest monitored point: how long it took, and how far a point went, at worst. */
export interface StopFigures {
  readonly speedMPerS: number;
  readonly timeS: number;
  readonly distanceM: number;
}

/** Speed and separation (row 47): how fast the arm may be for the distance that its driver reports. See `separationM`. */
export interface SeparationModel {
  /** How fast a person comes, m/s. */
  readonly humanSpeedMPerS: number;
  /** From a person's motion to the brake's beginning: sensor, its line, and two ticks, s. */
  readonly reactionS: number;
  /** How far a part of the body reaches in before the sensor sees it, m. */
  readonly intrusionM: number;
  /** By how much the positions of person and robot may be wrong, m. */
  readonly uncertaintyM: number;
  /** A distance that is older counts as none, ms. */
  readonly freshnessMs: number;
  /** Stops as they were measured; reckoned from the limits where absent. */
  readonly stops?: readonly StopFigures[] | undefined;
}

/**
 * What the joints' measured torques are compared with (row 54 of the fault table), as `rein safety identify` wrote it down. The
 * servo's law is that of the joints' own stiffness, damping and torque limit.
 */
export interface TorqueObserverModel {
  /** Time constant of the residuals, s; that of the force sensor's own filter where there is one. */
  readonly filterS: number;
  /** Whether the measured torques hold the links' weight, or something else does. */
  readonly weight: 'measured' | 'compensated';
  /**
   * What the tool's force sensor feels is no residual. `mean`: the driver gives the force's mean over the period (`meanWrench`),
   * which is taken for exact; `subtracted`: a sample, beside which the same again is allowed for; `ignored`: there is none.
   */
  readonly wrench: 'mean' | 'subtracted' | 'ignored';
  /** The servos add the reference's velocity × damping/stiffness to the set-point. */
  readonly velocityFeedForward: boolean;
  /** Control periods between a reference being sent and the servo following it. */
  readonly delayTicks: number;
  /** How much older the measured torque is than position and velocity, s: half the time that it is the mean over. */
  readonly torqueAgeS: number;
  /** [n] most that a torque may differ from the servo's law, N·m. */
  readonly servoMaxNm: readonly number[];
  /** [n] most that the surroundings may exert on a joint beyond what the tool's sensor feels, N·m. */
  readonly externalMaxNm: readonly number[];
  /** [n] of `LINK_PARAMETERS` numbers: mass, first moments, inertia, rotor, friction and offset of each joint and its link. */
  readonly links: readonly (readonly number[])[];
}

/** What to do about an observer that fits the arm no more. With it in the file the command refuses that, or row 54 stops the arm. */
export const IDENTIFY_ANEW =
  "take torqueObserver out of the robot's file, then run `rein safety identify ROBOT --force`";

/** A rectangle that a mobile base stays in, in the frame in which it stood when the guard first saw it, m. */
export interface Fence {
  readonly minM: readonly [number, number];
  readonly maxM: readonly [number, number];
  /** All of the base lies within this distance of its origin, m. */
  readonly radiusM: number;
}

export type BaseKind = 'differential' | 'holonomic' | 'ackermann';

/** A mobile base: what `modelOfBase` makes a robot model of. */
export interface BaseModel {
  readonly kind: BaseKind;
  /** Ahead and back; sideways too for a holonomic base. */
  readonly speedMaxMPerS: number;
  readonly accelMaxMPerS2: number;
  /** Differential and holonomic. */
  readonly turnMaxRadPerS?: number | undefined;
  readonly turnAccelMaxRadPerS2?: number | undefined;
  /** Ackermann. */
  readonly steeringMaxRad?: number | undefined;
  readonly steeringRateMaxRadPerS?: number | undefined;
  readonly steeringAccelMaxRadPerS2?: number | undefined;
  /** Ackermann: distance of the axles. */
  readonly wheelbaseM?: number | undefined;
  readonly fence?: Fence | undefined;
}

/** A serial arm on a fixed base, or a mobile base. */
export interface RobotModel {
  readonly name: string;
  /** Present for a mobile base, whose joints are its axes (`axesOf`) and which has no tool. */
  readonly base?: BaseModel | undefined;
  readonly joints: readonly JointModel[];
  /** Tool point (TCP) in the last link's frame. */
  readonly tool: {
    readonly originXyzM: readonly [number, number, number];
    readonly originRpyRad: readonly [number, number, number];
    /** Name of the joint whose link carries the tool; the last joint where absent. */
    readonly link?: string | undefined;
  };
  readonly workspace: WorkspaceBox;
  /** Further points, beside the tool point, that stay in the workspace or in a box of their own. */
  readonly points?: readonly LinkPoint[] | undefined;
  readonly collision?: CollisionModel | undefined;
  /** Absent: no energy tank. */
  readonly tank?: TankModel | undefined;
  /** Absent: contact forces are not watched. */
  readonly contact?: ContactModel | undefined;
  /** No monitored point (`monitoredPoints`) moves faster, m/s. Absent: only the joints' speeds are limited. Arms only. */
  readonly toolSpeedMaxMPerS?: number | undefined;
  /** The same at reduced speed, in which people begin beside the arm, m/s; `REDUCED_SPEED_M_PER_S` where absent. */
  readonly reducedSpeedMPerS?: number | undefined;
  /** Absent: nobody's distance is watched. Arms only. */
  readonly separation?: SeparationModel | undefined;
  /** A relay that carries the actuators' power, which the guardian switches: see `RelayConfig`. Absent: none. Arms only. */
  readonly powerRelay?: PowerRelay | undefined;
  /** The heaviest load that the tool is meant to carry, kg; absent where nobody said. Its weight is not compensated for. */
  readonly payloadMaxKg?: number | undefined;
  /** Absent: the joints' torques are not watched. Arms only. */
  readonly torqueObserver?: TorqueObserverModel | undefined;
  /** False: the servos alone hold the links' weight, by their position error. Absent: something compensates for it. */
  readonly gravityCompensated?: boolean | undefined;
  /** False: without torque it sinks or falls, and torque goes off as a ramp. Absent: brakes, gears or balance hold it. */
  readonly holdsWithoutTorque?: boolean | undefined;
  /** How long torque takes to go off at the end of the brake, s; where `holdsWithoutTorque` is false. */
  readonly exitRampS?: number | undefined;
  /** Guard ticks per second. */
  readonly controlHz: number;
  /** Distance kept from the position limits of each joint that has none of its own (`limitMarginOf`), rad. */
  readonly limitMarginRad: number;
  /** How far the reference may lead the measured tool point, m; with the servo's stiffness this bounds the contact force. */
  readonly leashM: number;
  /** The same for orientation, rad. */
  readonly leashRad: number;
  /** A pose in the middle of the workspace with the tool pointing down, rad. */
  readonly homeRad: readonly number[];
}

/** Reduced speed of an industrial robot's tool point, m/s: ISO 10218-1:2011, 5.6.2, and ISO 10218-1:2025 (from memory; check their text). */
export const REDUCED_SPEED_M_PER_S: number = 0.25;

/** What positions of a joint are in, though their names say rad. */
export function positionUnit({ kind }: Pick<JointModel, 'kind'>): 'm' | 'rad' {
  return kind === 'prismatic' || kind === 'path' ? 'm' : 'rad';
}

/** What the torque of a joint is in: one that slides gives a force. */
export function torqueUnit({ kind }: Pick<JointModel, 'kind'>): 'N' | 'N·m' {
  return kind === 'prismatic' ? 'N' : 'N·m';
}

/** How far a servo lags behind a steady reference that it does not lead, in time, s; 0 of an axis that nothing dampens. */
export function servoLagS({
  dampingNmSPerRad,
  stiffnessNmPerRad,
}: Pick<JointModel, 'dampingNmSPerRad' | 'stiffnessNmPerRad'>): number {
  return dampingNmSPerRad === 0 ? 0 : dampingNmSPerRad / stiffnessNmPerRad;
}

/** An axis of a mobile base that only its changes mean something of. Tick-safe. */
export function isFree(joint: JointModel): boolean {
  return joint.kind === 'path' || joint.kind === 'turn';
}
