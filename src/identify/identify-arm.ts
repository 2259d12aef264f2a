/** A minute of motion through the guard that identifies an arm, with the checks before and after it. */

import type { GuardLink } from '../guard/index.ts';
import { isGravityCompensated, limitMarginOf, positionUnit, ReinError, type RobotModel } from '../model/index.ts';
import { ArmDrive } from './arm-drive.ts';
import { evaluate, type Identification, NO_TORQUE_NM, noTorque } from './evaluate.ts';
import type { Excitation } from './excitation.ts';
import { STANDING_S } from './joint-path.ts';
import { AT_HOME_RAD, approachOf, type ExcitationOptions, excitationOf } from './motion-plan.ts';
import { MotionRecord } from './motion-record.ts';

export interface IdentifyOptions extends ExcitationOptions {
  /** An open link. With torque off, it waits: in real time torque is switched on by a person. */
  readonly link: GuardLink;
  readonly filterS: number;
  /** [n] position of the arm when its motion was announced, rad: from elsewhere it is not moved. */
  readonly announcedRad?: readonly number[] | undefined;
  /** True for a real arm, which has nonzero torques or noise at rest; a simulated one whose weight is held may have none. */
  readonly isReal?: boolean | undefined;
  /** The announced motion. Default: the result of `excitationOf`. */
  readonly excitation?: Excitation | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((passedS: number, wholeS: number) => void) | undefined;
}

/** Largest share of the guard's frames that may be lost. */
const LOST_SHARE_MAX = 0.01;
/**
 * Settling time, s: an arm held by its servos alone sinks onto them when torque is switched on, at last by creeping
 * through dry friction, which is no encoder noise.
 */
const SETTLE_S = 4;
/** Displacement beyond which an arm stands elsewhere, rad: switching torque on moves it by less. */
const ELSEWHERE_RAD = 0.05;

/**
 * Moves the arm about its home pose, after bringing it there. Rejects with `ReinError` if it is stopped, if the guard
 * reports any fault, and if the record is not sufficient.
 */
export async function identifyArm(options: IdentifyOptions): Promise<Identification> {
  const { model, link, durationS, onProgress } = options;
  const excitation = options.excitation ?? excitationOf(options);
  const standing = new MotionRecord(model);
  const moving = new MotionRecord(model);
  const drive = new ArmDrive(model, link, options.signal);
  await drive.awaitReady();
  checkAnnounced(options);
  const approach = approachOf(model, link.latest.referenceRad);
  const settleS = isGravityCompensated(model) ? 0 : SETTLE_S;
  const leadS = settleS + STANDING_S + approach.durationS;
  const passed =
    (beforeS: number) =>
    (atS: number): void =>
      onProgress?.(beforeS + atS, leadS + durationS);
  if (settleS > 0) await drive.stand(settleS, () => undefined, passed(0));
  await drive.stand(STANDING_S, (frame) => standing.add(frame), passed(settleS));
  checkStanding(options, standing);
  try {
    await drive.activate();
    await drive.follow(approach, () => undefined, passed(settleS + STANDING_S));
    checkHome(model, link.latest.referenceRad);
    moving.begin(link.latest.tick);
    await drive.follow(excitation, (frame) => moving.add(frame), passed(leadS));
    moving.end(link.latest.tick);
  } finally {
    await drive.hold();
  }
  checkLost(moving);
  return evaluate(model, options.filterS, standing, moving);
}

/** Checks that the arm is where its motion was announced: consent was given to that path. */
function checkAnnounced({ link: { latest }, announcedRad }: IdentifyOptions): void {
  const isThere = announcedRad?.every((rad, i) => Math.abs(latest.referenceRad[i]! - rad) <= ELSEWHERE_RAD) ?? true;
  if (isThere) return;
  throw new ReinError('driver', 'The arm is not where it was when its motion was announced: it was not moved.', {
    remedy: 'Begin again, from its present pose.',
  });
}

/** Refuses to move an arm that reports no torques, or no time stamps of its readings. */
function checkStanding({ model, isReal = false }: IdentifyOptions, { states }: MotionRecord): void {
  if (states.length === 0) {
    throw new ReinError('driver', "The driver's stamps do not advance: the time of its readings is unknown.", {
      remedy: 'Have the driver stamp each reading with the time at which it was taken.',
    });
  }
  if (isReal && states.every(({ torqueNm }) => torqueNm.every((torque) => Math.abs(torque) <= NO_TORQUE_NM))) {
    throw noTorque(model.joints.map(({ name }) => name));
  }
  const silent = model.joints.filter((_, i) => states.some(({ torqueNm }) => Number.isNaN(torqueNm[i]!)));
  if (silent.length > 0) throw noTorque(silent.map(({ name }) => name));
}

function checkHome(model: RobotModel, referenceRad: ArrayLike<number>): void {
  const off = model.joints.flatMap((joint, i) => {
    const offRad = Math.abs(referenceRad[i]! - model.homeRad[i]!);
    return offRad <= AT_HOME_RAD + limitMarginOf(joint, model)
      ? []
      : [`${joint.name} ${offRad.toFixed(2)} ${positionUnit(joint)}`];
  });
  if (off.length === 0) return;
  throw new ReinError(
    'driver',
    `The arm did not reach its home pose, held back by its limits: ${off.join(', ')} away.`,
    {
      remedy:
        'Bring it nearer to homeRad, so that the straight way there is free of walls and boxes, then begin again.',
    },
  );
}

/** Checks for lost frames: one may have contained the largest residual. */
function checkLost({ lost, rows }: MotionRecord): void {
  if (lost <= LOST_SHARE_MAX * (rows + lost)) return;
  throw new ReinError(
    'link',
    `${lost} of ${rows + lost} frames of the guard were lost: no limits are derived from the rest.`,
    {
      remedy: 'Reduce the load on the computer, then begin again.',
    },
  );
}
