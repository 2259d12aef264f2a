/** MuJoCo joints, bodies and shapes of the robot model's joints and links. */
import { type JointModel, ReinError, type RobotModel, toolLinkOf } from '../model/index.ts';
import type { Simulation } from './mujoco-module.ts';

/** Indices of a joint in MuJoCo's vectors. */
export interface JointAddress {
  readonly joint: number;
  readonly position: number;
  readonly dof: number;
  /** Body that the joint moves. */
  readonly body: number;
}

/** Returns the addresses of the robot model's joints, in its order. Throws `ReinError('config')` if the file lacks one. */
export function jointsOf(simulation: Simulation, robot: RobotModel): JointAddress[] {
  return robot.joints.map((joint) => addressOf(simulation, joint));
}

export function missingJoint(name: string): ReinError {
  return new ReinError('config', `the robot's file has no joint named "${name}"`, {
    remedy: 'name the joints as the MJCF or URDF does',
  });
}

function addressOf({ module, model }: Simulation, { name, kind }: JointModel): JointAddress {
  const joint = module.mj_name2id(model, module.mjtObj.mjOBJ_JOINT.value, name);
  if (joint < 0) throw missingJoint(name);
  const types = module.mjtJoint;
  const wanted = kind === 'prismatic' ? types.mjJNT_SLIDE : types.mjJNT_HINGE;
  if ((model.jnt_type as Int32Array)[joint] !== wanted.value) {
    throw new ReinError(
      'config',
      `joint "${name}" is ${kind ?? 'revolute'} here, but another kind in the robot's file`,
    );
  }
  return {
    joint,
    position: (model.jnt_qposadr as Int32Array)[joint]!,
    dof: (model.jnt_dofadr as Int32Array)[joint]!,
    body: (model.jnt_bodyid as Int32Array)[joint]!,
  };
}

/** Returns all bodies that are rigidly connected to `body`, including itself. */
export function rigidBodies({ model }: Simulation, body: number): Set<number> {
  const welds = model.body_weldid as Int32Array;
  return new Set([...welds.keys()].filter((other) => welds[other] === welds[body]));
}

/** Returns the bodies of the link that joint `link` moves; for `base`, all that never move. */
export function linkBodies(simulation: Simulation, robot: RobotModel, link: string): Set<number> {
  if (link === 'base') return rigidBodies(simulation, 0);
  const joint = robot.joints.find(({ name }) => name === link);
  if (joint === undefined) throw missingJoint(link);
  return rigidBodies(simulation, addressOf(simulation, joint).body);
}

/** Returns the bodies of the link that carries the tool. */
export function toolBodies(simulation: Simulation, robot: RobotModel): Set<number> {
  if (robot.base !== undefined) return robotBodies(simulation);
  return linkBodies(simulation, robot, toolLinkOf(robot));
}

/** Returns all bodies that can move. */
export function robotBodies({ model }: Simulation): Set<number> {
  const welds = model.body_weldid as Int32Array;
  return new Set([...welds.keys()].filter((body) => welds[body] !== 0));
}
