/** Conversion of joint references to the commands of a robot's controller. Pure arithmetic; no allocation after construction. */
import { ArmKinematics, clamp, type RobotModel } from '../../model/index.ts';
import type { RobotState } from '../../rows/index.ts';
import { ackermannAxes } from '../reference-motion.ts';
import { commandSize, type RosDriverOptions } from './options.ts';

/** Input of a command law at each tick. */
export interface LawInput {
  readonly referenceRad: Float64Array;
  readonly referenceVelocityRadPerS: Float64Array;
  readonly measured: RobotState;
  /**
   * `measured` is recent enough for feedback. If not, no error is corrected: a stale one would persist and keep moving
   * the robot.
   */
  readonly isMeasured: boolean;
}

/** Writes a command's numbers into `out`, starting at `at`. Tick-safe. */
export type CommandLaw = (input: LawInput, out: Float64Array, at: number) => void;

/** Returns the law of `command`'s interface for `model`. Throws `RangeError` if the robot does not fit the interface. */
export function createCommandLaw(model: RobotModel, command: RosDriverOptions['command']): CommandLaw {
  const joints = model.joints.length;
  switch (command.interface) {
    case 'position':
      return positionLaw(model, leads(command, joints));
    case 'jointTrajectory':
      return ({ referenceRad, referenceVelocityRadPerS }, out, at) => {
        out.set(referenceRad, at);
        out.set(referenceVelocityRadPerS, at + joints);
      };
    case 'velocity':
      return velocityLaw(model, command.gainPerS);
    case 'effort':
      return effortLaw(model);
    case 'pose':
      return poseLaw(model);
    case 'twist':
    case 'twistStamped':
      return twistLaw(model);
    case 'ackermann':
      return ackermannLaw(model);
  }
}

/**
 * Writes a stop command: zero for interfaces that move or push, the measured position for those that hold. `ackermann`:
 * speed 0, steering angle in `out` unchanged, because straightened wheels would leave the curve. Tick-safe.
 */
export type StopLaw = (measured: RobotState, out: Float64Array, at: number) => void;

/** Returns the stop law of `command`'s interface for `model`. */
export function createStopLaw(model: RobotModel, command: RosDriverOptions['command']): StopLaw {
  const size = commandSize(command.interface, model.joints.length);
  switch (command.interface) {
    case 'position':
      return (measured, out, at) => out.set(measured.positionRad, at);
    case 'jointTrajectory':
      return (measured, out, at) => {
        out.fill(0, at, at + size);
        out.set(measured.positionRad, at);
      };
    case 'pose': {
      const law = poseLaw(model);
      return (measured, out, at) => law({ ...NOTHING, referenceRad: measured.positionRad, measured }, out, at);
    }
    case 'ackermann':
      return (_measured, out, at) => {
        out[at] = 0;
      };
    default:
      return (_measured, out, at) => out.fill(0, at, at + size);
  }
}

const NOTHING = { referenceVelocityRadPerS: new Float64Array(0), isMeasured: true };

function leads(command: RosDriverOptions['command'], joints: number): readonly number[] {
  const { leadS } = command;
  return Array.from({ length: joints }, (_, i) => (leadS.length === 1 ? leadS[0]! : (leadS[i] ?? 0)));
}

/** A servo with a known lag is commanded ahead of the reference by that time; at rest, exactly the reference. */
function positionLaw(model: RobotModel, leadS: readonly number[]): CommandLaw {
  const limits = model.joints;
  return ({ referenceRad, referenceVelocityRadPerS }, out, at) => {
    for (let i = 0; i < limits.length; i++) {
      const led = referenceRad[i]! + leadS[i]! * referenceVelocityRadPerS[i]!;
      out[at + i] = clamp(led, limits[i]!.positionMinRad, limits[i]!.positionMaxRad);
    }
  };
}

function velocityLaw(model: RobotModel, gainPerS: number): CommandLaw {
  const limits = model.joints;
  return ({ referenceRad, referenceVelocityRadPerS, measured, isMeasured }, out, at) => {
    for (let i = 0; i < limits.length; i++) {
      const most = limits[i]!.velocityMaxRadPerS;
      const behind = isMeasured ? referenceRad[i]! - measured.positionRad[i]! : 0;
      out[at + i] = clamp(referenceVelocityRadPerS[i]! + gainPerS * behind, -most, most);
    }
  };
}

/** Gravity is compensated by the robot: efforts are added to its gravity compensation. Without recent measurements, all are 0. */
function effortLaw(model: RobotModel): CommandLaw {
  const limits = model.joints;
  return ({ referenceRad, referenceVelocityRadPerS, measured, isMeasured }, out, at) => {
    if (!isMeasured) {
      out.fill(0, at, at + limits.length);
      return;
    }
    for (let i = 0; i < limits.length; i++) {
      const { stiffnessNmPerRad, dampingNmSPerRad, torqueMaxNm } = limits[i]!;
      const behind = referenceRad[i]! - measured.positionRad[i]!;
      const slower = referenceVelocityRadPerS[i]! - measured.velocityRadPerS[i]!;
      out[at + i] = clamp(stiffnessNmPerRad * behind + dampingNmSPerRad * slower, -torqueMaxNm, torqueMaxNm);
    }
  };
}

/** Velocities of a base's axes, in its own frame: x ahead, y to the left, yaw; m/s and rad/s. */
function twistLaw(model: RobotModel): CommandLaw {
  const places = model.joints.map(({ name }) => ({ x: 0, y: 1, yaw: 5 })[name]);
  if (places.includes(undefined)) throw new RangeError('a twist moves the axes x, y and yaw of a base');
  return ({ referenceVelocityRadPerS }, out, at) => {
    out.fill(0, at, at + 6);
    for (let i = 0; i < places.length; i++) out[at + places[i]!] = referenceVelocityRadPerS[i]!;
  };
}

/** Speed, then steering angle. */
function ackermannLaw(model: RobotModel): CommandLaw {
  const { x, steering } = ackermannAxes(model);
  return ({ referenceRad, referenceVelocityRadPerS }, out, at) => {
    out[at] = referenceVelocityRadPerS[x]!;
    out[at + 1] = referenceRad[steering]!;
  };
}

/** Tool pose at the reference: x, y, z (m), quaternion w, x, y, z. */
function poseLaw(model: RobotModel): CommandLaw {
  const kinematics = new ArmKinematics(model);
  const pose = new Float64Array(7);
  return ({ referenceRad }, out, at) => {
    kinematics.forward(referenceRad);
    kinematics.writeTcp(pose);
    out.set(pose, at);
  };
}
