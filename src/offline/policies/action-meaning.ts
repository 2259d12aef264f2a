/** What the numbers of a policy's action are where they are carried out: for the output `command` of exported policies. */

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
} from '../../core/index.ts';
import { ActionMap, createTickTimes } from '../../safety/index.ts';

/** Declared, and as it is done. */
export interface ActionMeaning {
  /** [A] by which a model works out its `command`. */
  readonly ranges: readonly ActionRange[];
  /** What those who carry out the normalised `action` [A] make of it, [A] in the units of `ranges`: what a `command` must be. */
  readonly carryOut: (action: Float32Array) => Float64Array;
}

/** As the environment declares it; where it does not, actions stay as they are. */
export function meaningIn({ actionRanges, actionSize }: Environment): ActionMeaning {
  const ranges = actionRanges ?? normalisedRanges(actionSize);
  return { ranges, carryOut: (action) => physicalAction(ranges, action) };
}

/**
 * For a robot's run: the change of the set-point from one policy step to the next, as the action map of the safety chain sets it.
 * What depends on where the robot is (leash, workspace, joint limits) is no part of it: robots do that after.
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
