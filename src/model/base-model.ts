/**
 * Robot model of a mobile base for the safety chain: axes with speed and acceleration limits take the place of joints. Driven
 * distances and turned angles are free axes; a steering angle has position limits like a joint.
 */
import type { BaseModel, JointModel, RobotModel } from './robot-model.ts';

/** Position limit of free axes, which start at 0 where the base started; no base gets this far, m or rad. */
const FREE_RANGE = 1e9;
/** Half-size of the workspace box, m: a base has no tool, and its tool point stays in the box's centre. */
const BOX_M = 1;
/** Margin kept from both steering limits, rad. */
const STEERING_MARGIN_RAD = 0.005;
/** Steering leash, rad: larger than any steering angle, so that the measured angle never holds the reference back. */
const LEASH_RAD = 1;

/** Returns the model of a base named `name` whose guard runs at `controlHz`. Joints: `axesOf(base)`. */
export function modelOfBase(name: string, base: BaseModel, controlHz: number): RobotModel {
  const joints = axesOf(base);
  return {
    name,
    base,
    joints,
    tool: { originXyzM: [0, 0, 0], originRpyRad: [0, 0, 0] },
    workspace: { minM: [-BOX_M, -BOX_M, -BOX_M], maxM: [BOX_M, BOX_M, BOX_M] },
    controlHz,
    limitMarginRad: STEERING_MARGIN_RAD,
    leashM: BOX_M,
    leashRad: LEASH_RAD,
    homeRad: joints.map(() => 0),
  };
}

/**
 * Returns the axes of a base: `x` (forward, m) and `yaw` (counter-clockwise, rad); `x`, `y` (left, m) and `yaw` for a holonomic
 * base; `x` and `steering` (wheels to the left, rad) for Ackermann steering. Throws `RangeError` if a limit is missing.
 */
export function axesOf(base: BaseModel): readonly JointModel[] {
  const x = axis('x', 'path', base.speedMaxMPerS, base.accelMaxMPerS2);
  if (base.kind === 'ackermann') return [x, steeringOf(base)];
  const yaw = axis('yaw', 'turn', given(base, 'turnMaxRadPerS'), given(base, 'turnAccelMaxRadPerS2'));
  if (base.kind === 'differential') return [x, yaw];
  return [x, axis('y', 'path', base.speedMaxMPerS, base.accelMaxMPerS2), yaw];
}

function steeringOf(base: BaseModel): JointModel {
  const angleRad = given(base, 'steeringMaxRad');
  const rates = [given(base, 'steeringRateMaxRadPerS'), given(base, 'steeringAccelMaxRadPerS2')] as const;
  return { ...axis('steering', 'revolute', ...rates), positionMinRad: -angleRad, positionMaxRad: angleRad };
}

function given(base: BaseModel, key: Exclude<keyof BaseModel, 'kind' | 'fence'>): number {
  const value = base[key];
  if (value === undefined) throw new RangeError(`a base of the kind ${base.kind} needs ${key}`);
  return value;
}

function axis(
  name: string,
  kind: NonNullable<JointModel['kind']>,
  velocityMaxRadPerS: number,
  accelMaxRadPerS2: number,
): JointModel {
  return {
    name,
    kind,
    originXyzM: [0, 0, 0],
    originRpyRad: [0, 0, 0],
    axis: [0, 0, 1],
    positionMinRad: -FREE_RANGE,
    positionMaxRad: FREE_RANGE,
    velocityMaxRadPerS,
    accelMaxRadPerS2,
    torqueMaxNm: 1,
    stiffnessNmPerRad: 1,
    dampingNmSPerRad: 0,
  };
}
