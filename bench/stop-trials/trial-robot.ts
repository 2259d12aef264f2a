/** Robot of the stop trials: the bundled arm's joints and limits, with room for full speed. */

import { resolveConfig } from '../../src/config/index.ts';
import type { ActionSpec, RobotModel } from '../../src/model/index.ts';
import { brakeS } from '../../src/safety-check/witness/stop-watch.ts';

export const POLICY_PERIOD_S = 0.1;
/** As in `rein run`: twice the policy's period. */
export const LEASE_S = 0.2;
/** Time permitted for a stop on the bus, s (`docs/safety-case.md`). */
export const BUS_S = 0.005;
/** Reach of a command, rad: so far that a joint at full speed would still be moving when the lease ends. */
const REACH_RAD = 2;
const ROOM_M = 10;
/** Folded, the tool down and 0.2 m beside the axis of the first joint: at full speed the mock's lag is not a tracking error yet. */
const HOME_RAD: readonly number[] = [Math.PI, -2.5, 2.5, -Math.PI / 2, -Math.PI / 2, 0];
/** The joint with the longest stopping time moves back and forth; the others hold, so that none of them slows it down. */
const DRIVEN = 'shoulder_pan';

/**
 * Joints, limits and rate of `config/robots/arm6.yaml`. Omitted: walls, shapes, tank and leash, which would keep the arm from its
 * full speed long before a fault. The cause and the kind of braking are the same.
 */
export function trialRobot(): RobotModel {
  const { name, joints, tool, controlHz, limitMarginRad } = resolveConfig({ task: 'insert', seed: 0 }).robot;
  const workspace = { minM: [-ROOM_M, -ROOM_M, -ROOM_M], maxM: [ROOM_M, ROOM_M, ROOM_M] } as const;
  const room = { workspace, leashM: ROOM_M, leashRad: 2 * REACH_RAD };
  return { name, joints: joints.map(withoutJerk), tool, controlHz, limitMarginRad, homeRad: HOME_RAD, ...room };
}

export function trialAction(): ActionSpec {
  return { kind: 'joint', dimensions: [{ name: DRIVEN, scale: REACH_RAD, unit: 'rad' }] };
}

/** Distance of the driven joint from full speed to rest, less half a period on either side of the first slower reference, rad. */
export function brakeWayRad({ joints, controlHz }: RobotModel): number {
  const { velocityMaxRadPerS, accelMaxRadPerS2 } = joints[0]!;
  return velocityMaxRadPerS ** 2 / (2 * accelMaxRadPerS2) - velocityMaxRadPerS / controlHz;
}

/** Latest time after a fault at which the arm begins to brake, s: the lease, and the tick that evaluates it. */
export function detectionBoundS(model: RobotModel): number {
  return LEASE_S + 1 / model.controlHz + BUS_S;
}

/** Latest time after a fault at which the arm stands, s. */
export function reactionBoundS(model: RobotModel): number {
  return detectionBoundS(model) + brakeS(model);
}

function withoutJerk<J extends { readonly jerkMaxRadPerS3?: number | undefined }>(joint: J): J {
  return { ...joint, jerkMaxRadPerS3: undefined };
}
