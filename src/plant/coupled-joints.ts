/**
 * Joints that a model file couples to one of the robot's (`<equality><joint joint1 joint2 polycoef>`), such as the
 * second finger of a gripper: they have no servo, follow that joint, and are placed with it.
 */
import type { MainModule, MjSpec } from '@mujoco/mujoco';
import { codeOf, elementsOf } from './model/model-file.ts';
import type { Simulation } from './mujoco-module.ts';

/** Numbers of one constraint in `eq_data`, and of its polynomial (MuJoCo, mjmodel.h: mjNEQDATA). */
const EQUALITY_NUMBERS = 11;
const POWERS = 5;

/** Returns the joints that follow (as `joint1`) one of `named`, directly or through others. Deletes inactive couplings from the model. */
export function coupledTo(module: MainModule, spec: MjSpec, named: ReadonlySet<string>): ReadonlySet<string> {
  const pairs = elementsOf(module, spec, module.mjtObj.mjOBJ_EQUALITY).flatMap((element) => {
    const { name1, name2, type, active } = module.mjs_asEquality(element)!;
    const isOfJoints = codeOf(type) === module.mjtEq.mjEQ_JOINT.value;
    if (isOfJoints && !active) module.mjs_delete(spec, element);
    return isOfJoints && active && name2 !== '' ? [[name1, name2] as const] : [];
  });
  const found = new Set<string>();
  const isMoved = (name: string): boolean => named.has(name) || found.has(name);
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [follower, leader] of pairs) if (isMoved(leader) && !named.has(follower)) found.add(follower);
  }
  return found;
}

/** Places the coupled joints. */
export class CoupledJoints {
  readonly #couplings: readonly {
    readonly follower: number;
    readonly leader: number;
    /** Positions at which the polynomial equals its constant. */
    readonly followerAt0: number;
    readonly leaderAt0: number;
    readonly coefficients: Float64Array;
  }[];

  /** `named`: addresses in `qpos` of the robot's own joints, which are placed by the caller. */
  constructor({ module, model }: Simulation, named: readonly number[]) {
    const [types, ones, others] = [model.eq_type, model.eq_obj1id, model.eq_obj2id] as Int32Array[];
    const addresses = model.jnt_qposadr as Int32Array;
    const at0 = model.qpos0 as Float64Array;
    this.#couplings = Array.from({ length: model.neq }, (_, i) => i).flatMap((i) => {
      if (types![i] !== module.mjtEq.mjEQ_JOINT.value || others![i]! < 0) return [];
      const [follower, leader] = [addresses[ones![i]!]!, addresses[others![i]!]!];
      if (named.includes(follower)) return [];
      const numbers = (model.eq_data as Float64Array).slice(EQUALITY_NUMBERS * i, EQUALITY_NUMBERS * i + POWERS);
      return [{ follower, leader, followerAt0: at0[follower]!, leaderAt0: at0[leader]!, coefficients: numbers }];
    });
  }

  /** Writes their positions into `qpos`, in which the robot's joints are set. A chain of couplings is followed in file order. */
  place(qpos: Float64Array): void {
    for (const { follower, leader, followerAt0, leaderAt0, coefficients } of this.#couplings) {
      const x = qpos[leader]! - leaderAt0;
      let y = 0;
      for (let power = POWERS - 1; power >= 0; power--) y = y * x + coefficients[power]!;
      qpos[follower] = followerAt0 + y;
    }
  }
}
