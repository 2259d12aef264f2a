/**
 * Defaults of absent keys in a robot file. Each such key is read here and nowhere else (`tests/arch/robot-defaults.test.ts`), so that all
 * rooms agree on them; keys of `tank` have their defaults in the schema. Imports nothing but types: pages are built with it.
 */
import type { JointModel, LinkPoint, RobotModel, WorkspaceBox } from './robot-model.ts';

type Exit = Pick<RobotModel, 'holdsWithoutTorque' | 'exitRampS'>;

/** True if the controller or a counterbalance carries the links' weight. */
export function isGravityCompensated({ gravityCompensated = true }: Pick<RobotModel, 'gravityCompensated'>): boolean {
  return gravityCompensated;
}

/** True if brakes, gears or balance hold the robot without torque. */
export function holdsItself({ holdsWithoutTorque = true }: Exit): boolean {
  return holdsWithoutTorque;
}

/** Duration of the torque ramp-down, s; 0 if the robot holds itself without torque. */
export function exitRampOf(robot: Exit): number {
  return holdsItself(robot) ? 0 : (robot.exitRampS ?? 0);
}

/**
 * True if the servos lead the set-point by velocity × damping / stiffness. Default if neither tank nor observer states it: an
 * industrial controller, which also compensates for gravity, does; bare servos do not.
 */
export function servosLead(model: Pick<RobotModel, 'tank' | 'torqueObserver' | 'gravityCompensated'>): boolean {
  return model.tank?.velocityFeedForward ?? model.torqueObserver?.velocityFeedForward ?? isGravityCompensated(model);
}

/** Peak error of a position reading of the joint, rad (m if prismatic); 0 if unknown. */
export function encoderNoiseOf({ encoderNoiseRad = 0 }: Pick<JointModel, 'encoderNoiseRad'>): number {
  return encoderNoiseRad;
}

/** Reference travel while the servo's torque reverses through dry friction and the joint sticks, rad (m if prismatic). */
export function stictionBandOf({
  dryFrictionNm = 0,
  stiffnessNmPerRad,
}: Pick<JointModel, 'dryFrictionNm' | 'stiffnessNmPerRad'>): number {
  return (2 * dryFrictionNm) / stiffnessNmPerRad;
}

/** Margin kept from both position limits of a joint, rad (m if prismatic): a finger has no room for an arm's margin. */
export function limitMarginOf(
  { limitMarginRad }: Pick<JointModel, 'limitMarginRad'>,
  robot: Pick<RobotModel, 'limitMarginRad'>,
): number {
  return limitMarginRad ?? robot.limitMarginRad;
}

/** [n] `limitMarginOf` each joint, for the tick. */
export function limitMarginsOf(robot: Pick<RobotModel, 'limitMarginRad' | 'joints'>): Float64Array {
  return Float64Array.from(robot.joints, (joint) => limitMarginOf(joint, robot));
}

/** Name of the joint that moves the parent link of joint `i`, or `base`. */
export function parentOf(joints: readonly Pick<JointModel, 'name' | 'parent'>[], i: number): string {
  return joints[i]?.parent ?? joints[i - 1]?.name ?? 'base';
}

/** Name of the joint whose link carries the tool; `base` for a robot without joints. */
export function toolLinkOf({ tool, joints }: Pick<RobotModel, 'tool' | 'joints'>): string {
  return tool.link ?? joints.at(-1)?.name ?? 'base';
}

/** Workspace box of a monitored point. */
export function boxOf({ workspace }: LinkPoint, { workspace: whole }: Pick<RobotModel, 'workspace'>): WorkspaceBox {
  return workspace ?? whole;
}
