/** The servo of a joint, as far as the file has one. */
import type { Simulation } from '../mujoco/mujoco-module.ts';
import type { ImportedJoint } from './imported-robot.ts';
import type { LimitedFlags } from './limited.ts';

type Servo = Pick<ImportedJoint, 'torqueMaxNm' | 'stiffnessNmPerRad' | 'dampingNmSPerRad'>;

/** Stiffness and damping of the joint's position actuator, and the largest force of all that drive it, seen at the joint. */
export function servoOf({ module, model }: Simulation, joint: number, limited: LimitedFlags): Servo {
  const count = model.nu as number;
  const each = (from: unknown): number => (count === 0 ? 0 : (from as ArrayLike<number>).length / count);
  const targets = model.actuator_trnid as Int32Array;
  const kinds = model.actuator_trntype as Int32Array;
  const limit = limited.jointForces.has(joint) ? within(model.jnt_actfrcrange as Float64Array, joint) : undefined;
  let servo: Servo = { torqueMaxNm: limit };
  for (let i = 0; i < count; i++) {
    const isOwn = kinds[i] === module.mjtTrn.mjTRN_JOINT.value && targets[each(targets) * i] === joint;
    if (!isOwn) continue;
    const gear = Math.abs((model.actuator_gear as Float64Array)[each(model.actuator_gear) * i]!);
    const gain = (model.actuator_gainprm as Float64Array)[each(model.actuator_gainprm) * i]!;
    const [, stiffness = 0, damping = 0] = (model.actuator_biasprm as Float64Array).subarray(
      each(model.actuator_biasprm) * i,
    );
    const forces = model.actuator_forcerange as Float64Array;
    const own = limited.actuatorForces.has(i) ? within(forces, i) : undefined;
    const most = own === undefined ? undefined : gear * own;
    if (most !== undefined) servo = { ...servo, torqueMaxNm: Math.min(most, limit ?? most) };
    // A position actuator: force = K·(control − position) − d·velocity.
    if (gain > 0 && stiffness < 0) {
      servo = {
        ...servo,
        stiffnessNmPerRad: -stiffness * gear ** 2,
        dampingNmSPerRad: Math.max(0, -damping) * gear ** 2,
      };
    }
  }
  return servo;
}

/** The largest size that a force in both directions may have; absent where it may not have any. */
function within(ranges: Float64Array, index: number): number | undefined {
  const most = Math.min(-ranges[2 * index]!, ranges[2 * index + 1]!);
  return most > 0 ? most : undefined;
}
