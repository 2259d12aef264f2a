/** Evaluates the motion of an arm: its servos, encoders and links, and the limits that follow. */
import { mean, ReinError, type RobotModel, type TorqueObserverModel } from '../model/index.ts';
import { TorqueObserver } from '../safety/index.ts';
import { fitDynamics } from './dynamics-fit.ts';
import type { MotionRecord } from './motion-record.ts';
import { type Sensitivity, sensitivityOf, toolLeversM } from './sensitivity.ts';
import { fitServos, type ServoFit } from './servo-fit.ts';

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
  /** Sensitivity of an observer with these limits. */
  readonly sensitivity: Sensitivity;
  readonly rows: number;
  /** Frames of the guard that were never received. */
  readonly lost: number;
}

/** Limit of a residual: a multiple of the largest in the record, plus a share of the joint's torque. */
const RESIDUAL_MARGIN = 2;
const SERVO_SHARE = 0.02;
const EXTERNAL_SHARE = 0.05;
/** Force of an impact that a sampling tool sensor may miss at first, N: the joints' limits need not be finer. */
const STRIKE_N = 20;
/** A torque that never exceeds this counts as not measured, N·m. */
export const NO_TORQUE_NM = 1e-9;
/** Nothing touches the tool during identification. */
const UNTOUCHED: Float64Array = new Float64Array(6);

/** Returns the error for a driver that does not measure the torques of `joints`. */
export function noTorque(joints: readonly string[]): ReinError {
  return new ReinError(
    'driver',
    `The driver measures no torque of ${joints.join(', ')}: nothing can be compared with it.`,
    { remedy: 'Give effort in its joint states, or leave torqueObserver out of the robot file.' },
  );
}

/**
 * Fits servos and links to the record of the motion, and estimates the sensors' noise from the record at rest.
 * `filterS`: of the observer, s. Throws `ReinError('driver')` for joints whose torques are always 0.
 */
export function evaluate(
  model: RobotModel,
  filterS: number,
  standing: MotionRecord,
  moving: MotionRecord,
): Identification {
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
    filterS,
    ...dynamics,
    velocityFeedForward,
    delayTicks,
    torqueAgeS: rounded(torqueAgeS),
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

/** [n] largest residuals that an observer of `model` computes for `record`, N·m. */
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
  const middle = mean(states.map(({ positionRad }) => positionRad[i]!));
  let peak = 0;
  let square = 0;
  for (const { positionRad } of states) {
    const off = Math.abs(positionRad[i]! - middle);
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
