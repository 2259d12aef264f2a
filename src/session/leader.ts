/** A leader arm described by a robot's file: its joint positions as the task's action, and its motors within its own limits. */
import { loadRobotFile, type RobotConfig } from '../config/index.ts';
import { driverSpec } from '../config/setup.ts';
import { driverKind } from '../drivers/index.ts';
import {
  type ActionSpec,
  ArmKinematics,
  clamp,
  LinkTopology,
  ReinError,
  TOOL_AXES,
  type Vec,
  wrapAngleRad,
  yawBetween,
} from '../model/index.ts';
import type { LeaderArm, LeaderMotors, OperatorConfig } from '../teleop/index.ts';
import { LeaderSource } from './leader-source.ts';

type LeaderConfig = Extract<OperatorConfig, { readonly kind: 'leader' }>;

/** Mapping from a leader's file to the task's action. */
export interface LeaderModel {
  readonly model: RobotConfig;
  /** Writes the leader's pose in the action's dimensions ([A], m and rad). */
  readonly poseOf: (out: Float64Array, positionRad: ArrayLike<number>) => void;
  /** Index of the leader's joint that corresponds to the robot's joint of this name; −1 for none. */
  readonly jointOf: (name: string) => number;
}

/** Reads the leader's file and checks it against the action. Throws `ReinError`. */
export function leaderOf(config: LeaderConfig, action: ActionSpec): LeaderModel {
  const { robot: model } = loadRobotFile(config.robot);
  const names = model.joints.map(({ name }) => name);
  const jointOf = (name: string): number => names.indexOf(config.joints[name] ?? name);
  const refuse = (message: string, remedy: string): never => {
    throw new ReinError('config', `The leader arm ${model.name}: ${message}.`, { remedy });
  };
  const has = `It has ${names.join(', ')}.`;
  if (config.clutch !== undefined && !names.includes(config.clutch.joint))
    refuse(`its clutch is ${config.clutch.joint}, which is none of its joints`, has);
  if (driverKind(model.driver.kind).needs === 'ros')
    refuse('its driver needs ROS 2, which only guards have', 'Name a driver of another kind.');
  if (config.rampPerS !== undefined && config.scale !== 1)
    refuse("rampPerS brings the robot to the leader's own pose, and scale away from it", 'Leave one of them out.');
  if (action.kind === 'cartesian') {
    if (config.rampPerS !== undefined) refuse('rampPerS is for joint actions', 'Leave it out: the difference stays.');
    const scales = action.dimensions.map(({ name }) => (TOOL_AXES.includes(name) ? config.scale : 1));
    return { model, jointOf, poseOf: scaled(toolPose(model, action, jointOf), scales) };
  }
  const places = action.dimensions.map(({ name }) => jointOf(name));
  const lacking = action.dimensions.find((_, i) => places[i]! < 0);
  if (lacking !== undefined) refuse(`no joint is mapped to ${lacking.name}`, `Name one in joints. ${has}`);
  const links = new LinkTopology(model);
  const scales = places.map((at) => (links.moves(at, links.toolLink) ? config.scale : 1));
  return {
    model,
    jointOf,
    poseOf: scaled((out, positionRad) => {
      for (let i = 0; i < out.length; i++) out[i] = positionRad[places[i]!]!;
    }, scales),
  };
}

/** Only pose differences are meaningful, so scaling a number scales its motion. A gripper is not scaled, so that it closes. */
function scaled(poseOf: LeaderModel['poseOf'], scales: readonly number[]): LeaderModel['poseOf'] {
  return (out, positionRad) => {
    poseOf(out, positionRad);
    for (let i = 0; i < out.length; i++) out[i]! *= scales[i]!;
  };
}

/**
 * Pose by forward kinematics. Yaw is relative to the first pose, as only its differences are meaningful, and unwrapped beyond half a turn,
 * so that a scaled yaw has no jump. A joint beside the tool, such as a gripper's, follows the leader's corresponding joint; without one it
 * stays put.
 */
function toolPose(model: RobotConfig, action: ActionSpec, jointOf: LeaderModel['jointOf']): LeaderModel['poseOf'] {
  const arm = new ArmKinematics(model);
  const axes = action.dimensions.map(({ name }) => TOOL_AXES.indexOf(name));
  const besides = action.dimensions.map(({ name }, i) => (axes[i]! < 0 ? jointOf(name) : -1));
  const joints = new Float64Array(model.joints.length);
  let first: Float64Array | undefined;
  let yawRad = 0;
  return (out, positionRad) => {
    joints.set(positionRad);
    arm.forward(joints);
    first ??= arm.tcpRotation.slice();
    const turnedRad = yawBetween(arm.tcpRotation, first) - yawRad;
    // A reading that is not a number stays one, without affecting later ones.
    if (Number.isFinite(turnedRad)) yawRad += wrapAngleRad(turnedRad);
    const now = Number.isFinite(turnedRad) ? yawRad : turnedRad;
    for (let i = 0; i < out.length; i++) {
      const axis = axes[i]!;
      if (axis < 0) out[i] = positionRad[besides[i]!] ?? 0;
      else out[i] = axis === 3 ? now : arm.tcpPositionM[axis]!;
    }
  };
}

/** Opens the leader's driver, without torque. A lost leader is reopened automatically. Rejects with `ReinError`. */
export async function openLeader({ alongside }: LeaderConfig, model: RobotConfig): Promise<LeaderArm> {
  const task = { name: 'leader', signalNames: [] };
  const spec = driverSpec(model, task, { scene: noScene, surroundings: undefined });
  const source = new LeaderSource(spec, model);
  await source.open();
  if (alongside !== undefined && !source.limitsTorque) {
    await source.close();
    throw new ReinError('driver', `The driver of the leader arm ${model.name} cannot limit its torque.`, {
      remedy: 'Leave out alongside: the leader is passive.',
    });
  }
  return {
    positionRad: source.positionRad,
    read: () => source.read(),
    takeNotice: () => source.takeNotice(),
    ...(alongside === undefined ? {} : { motors: motorsOf(source, model, alongside) }),
    close: () => void source.close().catch(() => undefined), // released either way
  };
}

function motorsOf(
  source: LeaderSource,
  { joints }: RobotConfig,
  { torqueRatio, speedRatio }: NonNullable<LeaderConfig['alongside']>,
): LeaderMotors {
  const reference = source.positionRad.slice() as Vec<'rad'>;
  return {
    velocityMaxRadPerS: joints.map(({ velocityMaxRadPerS }) => speedRatio * velocityMaxRadPerS),
    hold: () => {
      source.driver?.torque(1);
      if (source.limitsTorque) source.driver?.torque(torqueRatio);
    },
    move: (wanted) => {
      for (const [i, { positionMinRad, positionMaxRad }] of joints.entries())
        reference[i] = clamp(wanted[i]!, positionMinRad, positionMaxRad);
      source.driver?.write(reference);
    },
    release: () => source.driver?.torque(0),
  };
}

function noScene(): never {
  throw new ReinError('config', 'A leader arm cannot be simulated in a task scene.', {
    remedy: 'Name a robot that is real, or a driver of another kind.',
  });
}
