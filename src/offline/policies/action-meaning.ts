/** Physical meaning of a policy's action at execution: for the output `command` of exported policies. */

import type { ResolvedConfig } from '../../config/index.ts';
import {
  type ActionRange,
  type ActionSpec,
  ArmKinematics,
  clamp,
  type Environment,
  normalisedRanges,
  physicalAction,
  type RobotModel,
  rangesOf,
  toolAxisOf,
  yawBetween,
} from '../../model/index.ts';
import { ActionMap, createTickTimes } from '../../safety/index.ts';

/** Declared ranges, and the actual execution. */
export interface ActionMeaning {
  /** [A] ranges from which a model computes its `command`. */
  readonly ranges: readonly ActionRange[];
  /** Executes the normalised `action` [A] and returns it in the units of `ranges`, [A]: the reference for `command`. */
  readonly carryOut: (action: Float32Array) => Float64Array;
}

/** Ranges declared by the environment; without them, actions stay normalised. */
export function meaningIn({ actionRanges, actionSize }: Environment): ActionMeaning {
  const ranges = actionRanges ?? normalisedRanges(actionSize);
  return { ranges, carryOut: (action) => physicalAction(ranges, action) };
}

/**
 * For a robot's run: the set-point change from one policy step to the next, as the action map of the safety chain computes it.
 * Limits that depend on the robot's state (leash, workspace, joint limits) are excluded: robots apply them afterwards.
 */
export function meaningOnRobot(spec: ActionSpec, { robot, task }: ResolvedConfig): ActionMeaning {
  const model = withoutBounds(robot);
  const homeRad = Float64Array.from(model.homeRad);
  const home = new ArmKinematics(model);
  home.forward(homeRad);
  const map = new ActionMap(model, spec, 1 / task.policyHz, 1 / model.controlHz, home);
  const input = { referenceRad: homeRad, reference: home, measuredRad: homeRad, measured: home };
  const change = ({ name }: { readonly name: string }): number => {
    const axis = toolAxisOf(spec.kind, name);
    if (axis < 0) {
      const joint = model.joints.findIndex((each) => each.name === name);
      return map.targetRad[joint]! - homeRad[joint]!;
    }
    if (axis === 3) return yawBetween(map.targetRotation, home.tcpRotation);
    return map.targetM[axis]! - home.tcpPositionM[axis]!;
  };
  return {
    ranges: rangesOf(spec),
    carryOut: (action) => {
      map.command(
        Float64Array.from(action, (value) => clamp(value, -1, 1)),
        input,
        createTickTimes(),
      );
      return Float64Array.from(spec.dimensions, change);
    },
  };
}

function withoutBounds(model: RobotModel): RobotModel {
  const [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return {
    ...model,
    leashM: high,
    leashRad: high,
    workspace: { minM: [low, low, low], maxM: [high, high, high] },
    joints: model.joints.map((joint) => ({ ...joint, positionMinRad: low, positionMaxRad: high })),
  };
}
