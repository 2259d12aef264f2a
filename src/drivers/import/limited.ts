/** Which ranges of a file are in force. MuJoCo's WebAssembly build gives no view of the compiled flags: the file's own show them. */
import type { MainModule, MjSpec, mjtLimited } from '@mujoco/mujoco';
import { elementsOf } from '../mujoco/model-file.ts';

/** By number in the compiled model. */
export interface LimitedFlags {
  /** Joints whose position has a range. */
  readonly joints: ReadonlySet<number>;
  /** Joints whose actuators' force has one. */
  readonly jointForces: ReadonlySet<number>;
  /** Actuators whose force has one. */
  readonly actuatorForces: ReadonlySet<number>;
}

/** Of a spec that has been compiled. */
export function limitedFlags(module: MainModule, spec: MjSpec): LimitedFlags {
  const automatic = spec.compiler.autolimits;
  const holds = (flag: mjtLimited, range: ArrayLike<number>): boolean => {
    const { value } = flag as unknown as { value: number };
    const { mjLIMITED_TRUE, mjLIMITED_AUTO } = module.mjtLimited;
    return value === mjLIMITED_TRUE.value || (value === mjLIMITED_AUTO.value && automatic && range[0]! < range[1]!);
  };
  const joints = new Set<number>();
  const jointForces = new Set<number>();
  const actuatorForces = new Set<number>();
  for (const element of elementsOf(module, spec, module.mjtObj.mjOBJ_JOINT)) {
    const { limited, range, actfrclimited, actfrcrange } = module.mjs_asJoint(element)!;
    if (holds(limited, range)) joints.add(module.mjs_getId(element));
    if (holds(actfrclimited, actfrcrange)) jointForces.add(module.mjs_getId(element));
  }
  for (const element of elementsOf(module, spec, module.mjtObj.mjOBJ_ACTUATOR)) {
    const { forcelimited, forcerange } = module.mjs_asActuator(element)!;
    if (holds(forcelimited, forcerange)) actuatorForces.add(module.mjs_getId(element));
  }
  return { joints, jointForces, actuatorForces };
}
