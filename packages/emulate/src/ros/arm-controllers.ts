/** Motion controllers as a client sees them: messages in, set-points for the hardware out. Those that follow commands at once. */
import { ArmKinematics, allFinite, type RobotModel } from '../../../../src/model/index.ts';

/** Quantity that a controller commands to the hardware. */
export type CommandInterface = 'position' | 'velocity' | 'effort';

/** State of the robot as read by a controller. The arrays are owned by the robot and are [n], in its joint order. */
export interface ArmReading {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  /** Set-points of the joints. */
  readonly setPointRad: Float64Array;
}

/** Pure: time is a parameter. Each class's own `accept` takes messages and returns a reason if it rejects one. */
export interface ArmController {
  readonly name: string;
  /** The plugin's class, as `list_controllers` shows it. */
  readonly type: string;
  readonly commandInterface: CommandInterface;
  /** Starts to command the arm: earlier commands are discarded, and the arm stands still. */
  activate(arm: ArmReading): void;
  /** Writes set-points for the period that begins at `nowS` into `out` ([n]; rad, rad/s or N·m). */
  update(nowS: number, arm: ArmReading, out: Float64Array): void;
}

/** Plugins that forward one kind of command; each has its parameters already set. */
const PLUGINS: Readonly<Record<CommandInterface, string>> = {
  position: 'position_controllers/JointGroupPositionController',
  velocity: 'velocity_controllers/JointGroupVelocityController',
  effort: 'effort_controllers/JointGroupEffortController',
};

/**
 * ros2_control's forward_command_controller: one number per joint, forwarded unchanged until the next one comes. There is
 * no timeout, as in the real one: a client that commands velocities has to send the zero too.
 */
export class ForwardCommandController implements ArmController {
  readonly name: string;
  readonly type: string;
  readonly commandInterface: CommandInterface;
  readonly #command: Float64Array;

  constructor(commandInterface: CommandInterface, joints: number) {
    this.name = `forward_${commandInterface}_controller`;
    this.type = PLUGINS[commandInterface];
    this.commandInterface = commandInterface;
    this.#command = new Float64Array(joints);
  }

  activate(arm: ArmReading): void {
    if (this.commandInterface === 'position') this.#command.set(arm.setPointRad);
    else this.#command.fill(0);
  }

  /** Takes one number per joint, in the robot's order. Returns a reason for an invalid command, and then keeps the old one. */
  accept(values: ArrayLike<number>): string | undefined {
    const joints = this.#command.length;
    if (values.length !== joints) return `a command of ${values.length} numbers for ${joints} joints`;
    if (!allFinite(values)) return 'a command that is not finite';
    this.#command.set(values);
    return undefined;
  }

  update(_nowS: number, _arm: ArmReading, out: Float64Array): void {
    out.set(this.#command);
  }
}

/** Pose as in the message. */
export interface Pose {
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  readonly orientation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
}

/** Frame ids of the robot's base. */
const BASE_FRAMES: readonly string[] = ['', 'base', 'base_link'];
/** Time constant with which the set-point follows a new pose. */
const FOLLOW_S = 0.02;
/** Tolerance of a quaternion's length about 1. */
const QUATERNION_TOLERANCE = 1e-3;

/**
 * Controller that takes poses of the tool, as Cartesian impedance controllers do: the set-point follows the newest
 * pose like a spring with a damper, and the joints' compliance yields to contact.
 */
export class CartesianPoseController implements ArmController {
  readonly name = 'cartesian_impedance_controller';
  readonly type = 'rein_sim/CartesianImpedanceController';
  readonly commandInterface = 'position';
  readonly #kinematics: ArmKinematics;
  readonly #periodS: number;
  readonly #targetRad: Float64Array;
  readonly #solution: Float64Array;
  readonly #pose: Float64Array = new Float64Array(7);

  /** `periodS`: time between two updates. */
  constructor(model: RobotModel, periodS: number) {
    this.#kinematics = new ArmKinematics(model);
    this.#periodS = periodS;
    this.#targetRad = new Float64Array(model.joints.length);
    this.#solution = new Float64Array(model.joints.length);
  }

  activate(arm: ArmReading): void {
    this.#targetRad.set(arm.setPointRad);
  }

  /** Takes a pose of the tool point in the base frame. Returns a reason if it is invalid or out of reach. */
  accept(pose: Pose, frameId: string): string | undefined {
    if (!BASE_FRAMES.includes(frameId)) return `a pose in the frame "${frameId}", only "base" is known`;
    const { position: p, orientation: q } = pose;
    this.#pose.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z]);
    if (!allFinite(this.#pose)) return 'a pose that is not finite';
    if (Math.abs(Math.hypot(q.w, q.x, q.y, q.z) - 1) > QUATERNION_TOLERANCE)
      return 'a pose whose quaternion is no unit';
    if (!this.#kinematics.inverse(this.#pose, this.#targetRad, this.#solution)) return 'a pose that is out of reach';
    this.#targetRad.set(this.#solution);
    return undefined;
  }

  update(_nowS: number, arm: ArmReading, out: Float64Array): void {
    const share = 1 - Math.exp(-this.#periodS / FOLLOW_S);
    for (let i = 0; i < out.length; i++)
      out[i] = arm.setPointRad[i]! + share * (this.#targetRad[i]! - arm.setPointRad[i]!);
  }
}
