/** What a robot is, as data: joints, limits, tool and workspace. Written in `config/robots/*.yaml`. */

/** One revolute joint and the link that it moves. */
export interface JointModel {
  readonly name: string;
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

/** A serial arm on a fixed base. */
export interface RobotModel {
  readonly name: string;
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
