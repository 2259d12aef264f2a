/** Normal following errors of a robot (at its own speed, under its own load, in contact) must not trigger row 43. */
import {
  ArmKinematics,
  GRAVITY_M_PER_S2,
  isGravityCompensated,
  positionUnit,
  Rng,
  servoLagS,
  servosLead,
  stictionBandOf,
} from '../model/index.ts';
import { LARGEST_ERROR_M, LARGEST_ERROR_RAD, PRESS_SHARE, STICTION_BANDS } from '../safety/index.ts';
import { type Finding, round } from './finding.ts';
import type { RobotConfig } from './schema/robot.ts';
import { shown } from './text/shown.ts';

/** Numerical tolerance of a computed share of 1. */
const ROUNDING = 1e-9;
/** Random poses inside the limits in which a load is weighed; their worst sag is within a few percent of the true worst. */
const POSES = 500;
/** Value suggested for a refused leash: less than row 43 tolerates, with room for the braking distance. */
const LEASH_M = 0.025;

/** Returns a finding for each case in which row 43 would stop a healthy `robot`. */
export function checkFollowing(robot: RobotConfig): Finding[] {
  if (robot.base !== undefined) return [];
  const lags = servosLead(robot) ? [] : robot.joints.flatMap((_, i) => checkLag(robot, i));
  const sticks = robot.joints.flatMap((_, i) => checkFriction(robot, i));
  return [...lags, ...sticks, ...checkSag(robot), ...checkLeash(robot)];
}

/** Servos without velocity feed-forward lag the reference by damping / stiffness. */
function checkLag(robot: RobotConfig, i: number): Finding[] {
  const joint = robot.joints[i]!;
  const { name, kind, velocityMaxRadPerS } = joint;
  const lag = velocityMaxRadPerS * servoLagS(joint);
  const most = kind === 'prismatic' ? LARGEST_ERROR_M : LARGEST_ERROR_RAD;
  const toolM = toolAwayM(robot, i, lag);
  const share = Math.max(lag / most, toolM / LARGEST_ERROR_M);
  if (!(share > 1 + ROUNDING)) return [];
  const what = lag > most ? `${round(lag)} ${positionUnit({ kind })}` : `${(1e3 * toolM).toFixed(0)} mm at the tool`;
  const slower = Math.floor((100 * velocityMaxRadPerS) / share) / 100;
  const message = `joint "${shown(name)}" lags by damping / stiffness, ${what} at its full speed, and row 43 stops it there (${most} ${positionUnit({ kind })}, ${LARGEST_ERROR_M} m): write velocityMaxRadPerS: ${slower}, or stiffer servos, or velocityFeedForward: true where they lead`;
  return [{ path: ['joints', i, 'velocityMaxRadPerS'], message }];
}

/**
 * Dry friction is refused if a frozen reading (row 14, judged from `STICTION_BANDS` on) would be detected by row 43 only, or never where
 * the leash or the servo's press limit bounds the reference first. The bound is half of that: gravity uses up part of it.
 */
function checkFriction(robot: RobotConfig, i: number): Finding[] {
  const joint = robot.joints[i]!;
  const { name, kind, dryFrictionNm = 0, torqueMaxNm, stiffnessNmPerRad } = joint;
  const [largest, leash] = kind === 'prismatic' ? [LARGEST_ERROR_M, robot.leashM] : [LARGEST_ERROR_RAD, robot.leashRad];
  const pressed = isGravityCompensated(robot) ? largest : (PRESS_SHARE * torqueMaxNm) / stiffnessNmPerRad;
  const most = Math.min(largest, leash, pressed) / 2;
  const share = (STICTION_BANDS * stictionBandOf(joint)) / most;
  if (!(share > 1 + ROUNDING)) return [];
  const less = Math.floor((1000 * dryFrictionNm) / share) / 1000;
  const message = `dryFrictionNm of joint "${shown(name)}" is ${dryFrictionNm}: a frozen reading could not be distinguished from a joint held by friction (row 14): write dryFrictionNm: ${less}, or stiffer servos`;
  return [{ path: ['joints', i, 'dryFrictionNm'], message }];
}

/** Distance of the tool from its home position with joint `i` displaced by `offRad`, m. */
function toolAwayM(robot: RobotConfig, i: number, offRad: number): number {
  const arm = new ArmKinematics(robot);
  arm.forward(robot.homeRad);
  const home = [...arm.tcpPositionM];
  arm.forward(robot.homeRad.map((rad, k) => (k === i ? rad + offRad : rad)));
  return Math.hypot(...home.map((m, axis) => arm.tcpPositionM[axis]! - m));
}

/** Uncompensated servos sag under the payload, which is treated as a force at the tool point; the links count as massless. */
function checkSag(robot: RobotConfig): Finding[] {
  const { payloadMaxKg = 0 } = robot;
  const sag = worstSag(robot, payloadMaxKg * GRAVITY_M_PER_S2);
  if (!(sag.share > 1 + ROUNDING)) return [];
  const lighter = Math.floor((1000 * payloadMaxKg) / sag.share) / 1000;
  const message = `payloadMaxKg is ${payloadMaxKg}: ${sag.what} by that load alone, and row 43 stops it there (${LARGEST_ERROR_RAD} rad, ${LARGEST_ERROR_M} m): write payloadMaxKg: ${lighter}, stiffer servos, or a smaller workspace`;
  return [{ path: ['payloadMaxKg'], message }];
}

interface Sag {
  /** Fraction of row 43's limit. */
  readonly share: number;
  readonly what: string;
}

function worstSag(robot: RobotConfig, weightN: number): Sag {
  let worst: Sag = { share: 0, what: '' };
  if (weightN === 0) return worst;
  const arm = new ArmKinematics(robot);
  const rng = new Rng(1);
  for (let k = 0; k < POSES; k++) {
    const poseRad = robot.joints.map(({ positionMinRad, positionMaxRad }) =>
      rng.uniformIn(positionMinRad, positionMaxRad),
    );
    arm.forward(k === 0 ? robot.homeRad : poseRad);
    const { minM, maxM } = robot.workspace;
    if (!arm.tcpPositionM.every((m, axis) => m >= minM[axis]! && m <= maxM[axis]!)) continue;
    const sag = sagAt(robot, arm, weightN);
    if (sag.share > worst.share) worst = sag;
  }
  return worst;
}

/** Sag in the current pose of `arm`. */
function sagAt({ joints }: RobotConfig, arm: ArmKinematics, weightN: number): Sag {
  const jacobian = arm.jacobian();
  const n = joints.length;
  const sagRad = joints.map(({ stiffnessNmPerRad }, i) => (-weightN * jacobian[2 * n + i]!) / stiffnessNmPerRad);
  const toolM = Math.hypot(
    ...[0, 1, 2].map((row) => sagRad.reduce((sum, rad, i) => sum + rad * jacobian[row * n + i]!, 0)),
  );
  let worst: Sag = {
    share: toolM / LARGEST_ERROR_M,
    what: `its servos let the tool sink ${(1e3 * toolM).toFixed(0)} mm`,
  };
  for (const [i, { name, kind }] of joints.entries()) {
    const sunk = Math.abs(sagRad[i]!);
    const share = sunk / (kind === 'prismatic' ? LARGEST_ERROR_M : LARGEST_ERROR_RAD);
    if (share > worst.share)
      worst = { share, what: `joint "${shown(name)}" sinks ${round(sunk)} ${positionUnit({ kind })}` };
  }
  return worst;
}

/** With gravity compensation only the leash bounds how hard a servo presses, so it has to act before row 43. */
function checkLeash(robot: RobotConfig): Finding[] {
  if (!isGravityCompensated(robot)) return [];
  const findings: Finding[] = [];
  const refuse = (key: 'leashM' | 'leashRad', most: string, to: number) => {
    const message = `${key} is ${robot[key]}: pressing on an obstacle, the arm lags by that much, and row 43 stops it at ${most}: write ${key}: ${to}`;
    findings.push({ path: [key], message });
  };
  if (robot.leashM >= LARGEST_ERROR_M) refuse('leashM', `${LARGEST_ERROR_M} m`, LEASH_M);
  if (robot.leashRad > LARGEST_ERROR_RAD) refuse('leashRad', `${LARGEST_ERROR_RAD} rad`, LARGEST_ERROR_RAD);
  return findings;
}
