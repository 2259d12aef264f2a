/**
 * Rehearses a path through the safety chain before it is announced, in lock-step and without physics, to find what
 * would deflect the arm.
 */

import { createActionCommand } from '../guard/index.ts';
import { ArmKinematics, limitMarginOf, type RobotModel } from '../model/index.ts';
import { createRobotState } from '../rows/index.ts';
import { createChainReport } from '../safety/chain-report.ts';
import { Clearances, createTickTimes, NOW, PASSED, SafetyChain } from '../safety/index.ts';
import type { JointPath } from './joint-path.ts';
import { actionPeriodS, actionTicks, identifyAction, PathFollower } from './path-follower.ts';

/** Tolerance for rounding, rad. */
const SAME_RAD = 1e-6;
/** Any finite lease: here, no command is late. */
const LEASE_S = 1;

/**
 * Returns the first obstacle in the way of `path` for the arm of `model`, such as `forearm: table`, `tool: z min` or
 * `limit of elbow`; `undefined` if the chain passes all of it unchanged. The tank is left out, as during
 * identification.
 */
export function inTheWay(model: RobotModel, path: JointPath): string | undefined {
  const chain = new SafetyChain({
    model: { ...model, tank: undefined },
    action: identifyAction(model),
    policyPeriodS: actionPeriodS(model),
  });
  const state = createRobotState(model.joints.length, 0);
  path.write(state.positionRad, 0);
  if (chain.seed(state.positionRad) !== 'ok') return reachedFirst(model, state.positionRad, state.positionRad);
  const command = createActionCommand(model.joints.length);
  command.decider = 'script';
  command.leaseS = LEASE_S;
  const follower = new PathFollower(model, path);
  const report = createChainReport();
  const times = createTickTimes();
  times[PASSED] = 1 / model.controlHz;
  const aheadRad = new Float64Array(model.joints.length);
  const inFront = (): string => {
    path.write(aheadRad, follower.atS + 2 * actionPeriodS(model));
    return reachedFirst(model, chain.referenceRad, aheadRad);
  };
  while (!follower.isOver) {
    follower.write(command.action, chain.referenceRad);
    command.seq++;
    command.issuedAtS = times[NOW]!;
    for (let k = 0; k < actionTicks(model); k++) {
      chain.apply(command, state, times, report);
      state.positionRad.set(chain.referenceRad);
      times[NOW] = times[NOW]! + times[PASSED]!;
      if (report.changed) return inFront();
    }
    follower.pass(actionPeriodS(model));
    if (follower.left(chain.referenceRad, SAME_RAD) >= 0) return inFront();
  }
  return undefined;
}

/** Returns the limit reached first from `nowRad` in the direction of `aheadRad`, which follows soon after (both [n], rad). */
function reachedFirst(model: RobotModel, nowRad: Float64Array, aheadRad: Float64Array): string {
  const now = roomsOf(model, nowRad);
  const ahead = roomsOf(model, aheadRad);
  // In steps from the one to the other; negative for a limit that is reached already.
  const steps = now.map(({ room }, r) => {
    const closer = room - ahead[r]!.room;
    if (room <= 0) return room;
    return closer > 0 ? room / closer : Number.POSITIVE_INFINITY;
  });
  return now[steps.indexOf(Math.min(...steps))]!.name;
}

/** Returns the distances to all monitored limits for the arm at `jointsRad`: m or rad, < 0 beyond a limit. */
function roomsOf(
  model: RobotModel,
  jointsRad: Float64Array,
): readonly { readonly name: string; readonly room: number }[] {
  const kinematics = new ArmKinematics(model);
  kinematics.forward(jointsRad);
  const clearances = new Clearances(model);
  clearances.measure(kinematics);
  const { rows, h } = clearances;
  const limits = model.joints.map((joint, i) => {
    const left = Math.min(jointsRad[i]! - joint.positionMinRad, joint.positionMaxRad - jointsRad[i]!);
    return { name: `limit of ${joint.name}`, room: left - limitMarginOf(joint, model) };
  });
  return [...rows.map(({ name }, r) => ({ name, room: h[r]! })), ...limits];
}
