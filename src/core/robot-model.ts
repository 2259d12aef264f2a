/** What a robot is, as data: joints, limits, tool and workspace. Written in `config/robots/*.yaml`. */

/**
 * What a joint's position means. `path` is a distance driven, in m: read m for rad in every name below. `turn` is an
 * angle turned, rad. Both are axes of a mobile base: without limits and measured by odometry, so that only their changes
 * mean something.
 */
export type JointKind = 'revolute' | 'path' | 'turn';

/** One joint and the link that it moves, or one axis of a mobile base. */
export interface JointModel {
  readonly name: string;
  /** `revolute` where absent. */
  readonly kind?: JointKind;
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
  readonly torqueMaxNm: number;
  /** Servo stiffness: torque per position error at rest, N·m/rad. */
  readonly stiffnessNmPerRad: number;
  /** Servo damping, N·m·s/rad. */
  readonly dampingNmSPerRad: number;
}

/** An axis-aligned box in the base frame that the tool point must stay in, m. */
export interface WorkspaceBox {
  readonly minM: readonly [number, number, number];
  readonly maxM: readonly [number, number, number];
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
  };
  readonly workspace: WorkspaceBox;
  /** Guard ticks per second. */
  readonly controlHz: number;
  /** Distance kept from every position limit, rad. */
  readonly limitMarginRad: number;
  /** How far the reference may lead the measured tool point, m; with the servo's stiffness this bounds the contact force. */
  readonly leashM: number;
  /** The same for orientation, rad. */
  readonly leashRad: number;
  /** A pose in the middle of the workspace with the tool pointing down, rad. */
  readonly homeRad: readonly number[];
}

/** An axis of a mobile base that only its changes mean something of. Tick-safe. */
export function isFree(joint: JointModel): boolean {
  return joint.kind === 'path' || joint.kind === 'turn';
}
