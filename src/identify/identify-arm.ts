/** A minute of motion through the guard, and what it tells of servos, encoders and links. */
import { positionUnit, ReinError, type RobotModel, type TorqueObserverModel } from '../core/index.ts';
import type { GuardLink } from '../guard/index.ts';
import { TorqueObserver } from '../safety/index.ts';
import { Approach, AT_HOME_RAD } from './approach.ts';
import { ArmDrive } from './arm-drive.ts';
import { fitDynamics } from './dynamics-fit.ts';
import { Excitation } from './excitation.ts';
import { STANDING_S } from './joint-path.ts';
import { MotionRecord } from './motion-record.ts';
import { inTheWay } from './rehearsal.ts';
import { type Sensitivity, sensitivityOf, toolLeversM } from './sensitivity.ts';
import { fitServos, type ServoFit } from './servo-fit.ts';

export interface IdentifyOptions {
  readonly model: RobotModel;
  /** Open. With torque off it is waited for: in real time it is a person's to put on. */
  readonly link: GuardLink;
  readonly durationS: number;
  readonly filterS: number;
  readonly seed: number;
  /** [n] where the arm was when people were told what it will do, rad: from elsewhere it is not moved. */
  readonly announcedRad?: readonly number[] | undefined;
  /** A real arm that stands gives torques, or its sensors noise; one in a simulation whose weight is held may give none at all. */
  readonly isReal?: boolean | undefined;
  /** What they were told that it will do. Absent: what `excitationOf` gives. */
  readonly excitation?: Excitation | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((passedS: number, wholeS: number) => void) | undefined;
}

export interface Identification {
  readonly servo: ServoFit;
  /** [n] largest deviation of a standing joint from its mean, rad, and its root mean square. */
  readonly noisePeakRad: readonly number[];
  readonly noiseRmsRad: readonly number[];
  /** [n] smallest step between two different readings, rad: the encoder's last bit, or less. */
  readonly stepRad: readonly number[];
  /** [n] largest measured torque, N·m. */
  readonly torquePeakNm: readonly number[];
  readonly observer: TorqueObserverModel;
  /** The least that an observer with these limits notices. */
  readonly sensitivity: Sensitivity;
  readonly rows: number;
  /** Frames of the guard that never came. */
  readonly lost: number;
}

/** What a residual may be: so many times the largest of the minute, and a share of the joint's torque. */
const RESIDUAL_MARGIN = 2;
const SERVO_SHARE = 0.02;
const EXTERNAL_SHARE = 0.05;
/** Of a strike, a tool's sensor that gives samples may miss so much at first, N: nothing finer is asked of the joints. */
const STRIKE_N = 20;
/** A torque that never is more than this is not measured, N·m. */
const NO_TORQUE_NM = 1e-9;
/** More of the minute may not be lost on the way from the guard. */
const LOST_SHARE_MAX = 0.01;
/** Torque that comes on lifts or drops an arm by less, rad. */
const ELSEWHERE_RAD = 0.05;
/** Nothing touches the tool while the arm is identified. */
const UNTOUCHED: Float64Array = new Float64Array(6);

/**
 * Moves the arm about its home pose, where it is brought first. Rejects with `ReinError` where it is stopped, where the guard finds any
 * fault, and where nothing can be learned from it.
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
  const leadS = STANDING_S + approach.durationS;
  const passed =
    (beforeS: number) =>
    (atS: number): void =>
      onProgress?.(beforeS + atS, leadS + durationS);
  await drive.stand(STANDING_S, (frame) => standing.add(frame), passed(0));
  checkStanding(options, standing);
  try {
    await drive.activate();
    await drive.follow(approach, () => undefined, passed(STANDING_S));
    checkHome(model, link.latest.referenceRad);
    moving.begin(link.latest.tick);
    await drive.follow(excitation, (frame) => moving.add(frame), passed(leadS));
    moving.end(link.latest.tick);
  } finally {
    await drive.hold();
  }
  checkLost(moving);
  return evaluate(options, standing, moving);
}

/**
 * What the arm of `model` is moved along, so small that nothing is in the way. Throws `ReinError('config')` where there is no room for
 * it.
 */
export function excitationOf({
  model,
  durationS,
  seed,
}: Pick<IdentifyOptions, 'model' | 'durationS' | 'seed'>): Excitation {
  if (model.base !== undefined) throw new ReinError('config', 'Only arms are identified, and this is a mobile base.');
  const excitation = new Excitation(model, durationS, seed);
  let obstacle: string | undefined;
  while (excitation.isUseful) {
    const found = inTheWay(model, excitation);
    if (found === undefined) return excitation;
    obstacle = found;
    excitation.shrink();
  }
  const what = obstacle === undefined ? '' : ` (in the way: ${obstacle})`;
  throw new ReinError('config', `The arm has no room to move about its home pose${what}.`, {
    remedy: 'Take a homeRad in the middle of the workspace, away from joint limits and boxes.',
  });
}

/** Its way home from `fromRad` ([n], rad). Throws `ReinError('driver')` where something is in it. */
export function approachOf(model: RobotModel, fromRad: ArrayLike<number>): Approach {
  const approach = new Approach(model, fromRad);
  const obstacle = approach.durationS === 0 ? undefined : inTheWay(model, approach);
  if (obstacle === undefined) return approach;
  throw new ReinError('driver', `The straight way home is not free (in the way: ${obstacle}).`, {
    remedy: 'Bring the arm nearer to homeRad by hand or with its own controls, then begin again.',
  });
}

/** Somebody agreed to another way. */
function checkAnnounced({ link: { latest }, announcedRad }: IdentifyOptions): void {
  const isThere = announcedRad?.every((rad, i) => Math.abs(latest.referenceRad[i]! - rad) <= ELSEWHERE_RAD) ?? true;
  if (isThere) return;
  throw new ReinError('driver', 'The arm stands elsewhere than when it was said what it will do: it was not moved.', {
    remedy: 'Begin again, from where it stands now.',
  });
}

/** An arm that does not say its torques at all, or when it was read, is not moved for them. */
function checkStanding({ model, isReal = false }: IdentifyOptions, { states }: MotionRecord): void {
  if (states.length === 0) {
    throw new ReinError('driver', "The driver's stamps do not advance: nobody knows when the arm was read.", {
      remedy: 'Have the driver stamp each reading with the time at which it was taken.',
    });
  }
  if (isReal && states.every(({ torqueNm }) => torqueNm.every((torque) => Math.abs(torque) <= NO_TORQUE_NM))) {
    throw noTorque(model.joints.map(({ name }) => name));
  }
  const silent = model.joints.filter((_, i) => states.some(({ torqueNm }) => Number.isNaN(torqueNm[i]!)));
  if (silent.length > 0) throw noTorque(silent.map(({ name }) => name));
}

function checkHome({ joints, homeRad, limitMarginRad }: RobotModel, referenceRad: ArrayLike<number>): void {
  const off = joints.flatMap((joint, i) => {
    const offRad = Math.abs(referenceRad[i]! - homeRad[i]!);
    return offRad <= AT_HOME_RAD + limitMarginRad ? [] : [`${joint.name} ${offRad.toFixed(2)} ${positionUnit(joint)}`];
  });
  if (off.length === 0) return;
  throw new ReinError(
    'driver',
    `The arm did not reach its home pose, its limits hold it back: ${off.join(', ')} away.`,
    {
      remedy:
        'Bring it nearer to homeRad, so that the straight way there is free of walls and boxes, then begin again.',
    },
  );
}

/** The largest residual may have been in a frame that nobody saw. */
function checkLost({ lost, rows }: MotionRecord): void {
  if (lost <= LOST_SHARE_MAX * (rows + lost)) return;
  throw new ReinError(
    'link',
    `${lost} of ${rows + lost} frames of the guard were lost: limits are not made of the rest.`,
    {
      remedy: 'Take load off the machine, then begin again.',
    },
  );
}

/** What is said of a driver that does not measure the torques of `joints`. */
export function noTorque(joints: readonly string[]): ReinError {
  return new ReinError(
    'driver',
    `The driver measures no torque of ${joints.join(', ')}: nothing can be compared with it.`,
    { remedy: 'Give effort in its joint states, or leave torqueObserver out of the robot file.' },
  );
}

function evaluate({ model, filterS }: IdentifyOptions, standing: MotionRecord, moving: MotionRecord): Identification {
  const torquePeakNm = model.joints.map((_, i) =>
    moving.states.reduce((most, { torqueNm }) => Math.max(most, Math.abs(torqueNm[i]!)), 0),
  );
  if (!torquePeakNm.every((peak) => Number.isFinite(peak) && peak > NO_TORQUE_NM)) {
    const silent = model.joints.filter((_, i) => !(torquePeakNm[i]! > NO_TORQUE_NM)).map(({ name }) => name);
    throw noTorque(silent);
  }
  const servo = fitServos(model, moving);
  const dynamics = fitDynamics(model, moving, { filterS, torqueAgeS: servo.torqueAgeS });
  const limits = { servoMaxNm: unlimited(model), externalMaxNm: unlimited(model) };
  const { velocityFeedForward, delayTicks, torqueAgeS } = servo;
  const bare: TorqueObserverModel = {
    ...{ filterS, ...dynamics, velocityFeedForward, delayTicks, torqueAgeS: rounded(torqueAgeS) },
    ...limits,
  };
  const largest = residuals({ ...model, torqueObserver: bare }, moving);
  const leverM = toolLeversM(model);
  const observer: TorqueObserverModel = {
    ...bare,
    servoMaxNm: model.joints.map((joint, i) => limitOf(largest.servoNm[i]!, SERVO_SHARE * joint.torqueMaxNm)),
    externalMaxNm: model.joints.map((joint, i) =>
      Math.max(
        limitOf(largest.externalNm[i]!, EXTERNAL_SHARE * joint.torqueMaxNm),
        dynamics.wrench === 'subtracted' ? rounded(STRIKE_N * leverM[i]!) : 0,
      ),
    ),
  };
  const noise = model.joints.map((_, i) => noiseOf(standing, i));
  return {
    servo,
    noisePeakRad: noise.map(({ peak }) => peak),
    noiseRmsRad: noise.map(({ rms }) => rms),
    stepRad: model.joints.map((_, i) => smallestStep(moving, i)),
    torquePeakNm,
    observer,
    sensitivity: sensitivityOf(model, observer.externalMaxNm),
    rows: moving.rows,
    lost: moving.lost,
  };
}

function unlimited({ joints }: RobotModel): readonly number[] {
  return joints.map(() => Number.MAX_VALUE);
}

function limitOf(largestNm: number, leastNm: number): number {
  return rounded(RESIDUAL_MARGIN * largestNm + leastNm);
}

/** [n] the largest residuals that an observer of `model` sees in `record`, N·m. */
export function residuals(
  model: RobotModel,
  record: MotionRecord,
): { readonly servoNm: Float64Array; readonly externalNm: Float64Array } {
  const observer = new TorqueObserver(model);
  const servoNm = new Float64Array(record.joints);
  const externalNm = new Float64Array(record.joints);
  for (const [k, state] of record.states.entries()) {
    if (record.pieceRow[k] === 0) observer.restart();
    observer.check(state, record.sentRad[k]!, record.dtS[k]!, true, UNTOUCHED);
    for (let i = 0; i < record.joints; i++) {
      servoNm[i] = Math.max(servoNm[i]!, Math.abs(observer.servoNm[i]!));
      externalNm[i] = Math.max(externalNm[i]!, Math.abs(observer.externalNm[i]!));
    }
  }
  return { servoNm, externalNm };
}

function noiseOf({ states }: MotionRecord, i: number): { readonly peak: number; readonly rms: number } {
  const mean = states.reduce((sum, { positionRad }) => sum + positionRad[i]!, 0) / states.length;
  let peak = 0;
  let square = 0;
  for (const { positionRad } of states) {
    const off = Math.abs(positionRad[i]! - mean);
    peak = Math.max(peak, off);
    square += off * off;
  }
  return { peak, rms: Math.sqrt(square / states.length) };
}

function smallestStep({ states }: MotionRecord, i: number): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let k = 1; k < states.length; k++) {
    const step = Math.abs(states[k]!.positionRad[i]! - states[k - 1]!.positionRad[i]!);
    if (step > 0) smallest = Math.min(smallest, step);
  }
  return smallest;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
