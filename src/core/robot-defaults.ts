/**
 * What an absent key of a robot's file means. Each such key is read here and nowhere else (`tests/arch/robot-defaults.test.ts`), so that no two
 * rooms can take it for different things; keys of `tank` have their defaults in the schema. Imports nothing but types: pages are built with it.
 */
import type { JointModel, LinkPoint, RobotModel, WorkspaceBox } from './robot-model.ts';

type Exit = Pick<RobotModel, 'holdsWithoutTorque' | 'exitRampS'>;

/** Whether the controller or a balance holds the links' weight. */
export function isGravityCompensated({ gravityCompensated = true }: Pick<RobotModel, 'gravityCompensated'>): boolean {
  return gravityCompensated;
}

/** Whether brakes, gears or balance hold it up without torque. */
export function holdsItself({ holdsWithoutTorque = true }: Exit): boolean {
  return holdsWithoutTorque;
}

/** How long torque takes to go off, s; 0 where the robot holds itself without it. */
export function exitRampOf(robot: Exit): number {
  return holdsItself(robot) ? 0 : (robot.exitRampS ?? 0);
}

/**
 * Whether the servos lead the set-point by velocity × damping / stiffness. Where neither tank nor observer says it, those of an industrial
 * controller do, which compensates for gravity too, and bare servos do not.
 */
export function servosLead(model: Pick<RobotModel, 'tank' | 'torqueObserver' | 'gravityCompensated'>): boolean {
  return model.tank?.velocityFeedForward ?? model.torqueObserver?.velocityFeedForward ?? isGravityCompensated(model);
}

/** Most by which a reading of the joint's position is off, rad (m where it slides); 0 where nothing is known of it. */
export function encoderNoiseOf({ encoderNoiseRad = 0 }: Pick<JointModel, 'encoderNoiseRad'>): number {
  return encoderNoiseRad;
}

/** How far a reference goes while its servo's torque turns round in the joint's dry friction, which keeps it standing, rad (m where it slides). */
export function stictionBandOf({
  dryFrictionNm = 0,
  stiffnessNmPerRad,
}: Pick<JointModel, 'dryFrictionNm' | 'stiffnessNmPerRad'>): number {
  return (2 * dryFrictionNm) / stiffnessNmPerRad;
}

/** Distance kept from both position limits of a joint, rad (m where it slides): a finger has no room for what an arm needs. */
export function limitMarginOf(
  { limitMarginRad }: Pick<JointModel, 'limitMarginRad'>,
  robot: Pick<RobotModel, 'limitMarginRad'>,
): number {
  return limitMarginRad ?? robot.limitMarginRad;
}

/** [n] the same of each joint, for the tick. */
export function limitMarginsOf(robot: Pick<RobotModel, 'limitMarginRad' | 'joints'>): Float64Array {
  return Float64Array.from(robot.joints, (joint) => limitMarginOf(joint, robot));
}

/** Name of the joint whose link carries joint `i`, or `base`. */
export function parentOf(joints: readonly Pick<JointModel, 'name' | 'parent'>[], i: number): string {
  return joints[i]?.parent ?? joints[i - 1]?.name ?? 'base';
}

/** Name of the joint whose link carries the tool; `base` of a robot without joints. */
export function toolLinkOf({ tool, joints }: Pick<RobotModel, 'tool' | 'joints'>): string {
  return tool.link ?? joints.at(-1)?.name ?? 'base';
}

/** The box that a monitored point stays in. */
export function boxOf({ workspace }: LinkPoint, { workspace: whole }: Pick<RobotModel, 'workspace'>): WorkspaceBox {
  return workspace ?? whole;
}
