/** A minute of motion through the guard, and what it tells of servos, encoders and links. */
import {
  type ActionSpec,
  ArmKinematics,
  ReinError,
  type RobotModel,
  type TorqueObserverModel,
} from '../../core/index.ts';
import { faultsOf, sentenceOf, TorqueObserver } from '../../safety/index.ts';
import { createActionCommand, type GuardLink } from '../guard-link/index.ts';
import { fitDynamics } from './dynamics-fit.ts';
import { Excitation } from './excitation.ts';
import { MotionRecord } from './motion-record.ts';
import { type Sensitivity, sensitivityOf } from './sensitivity.ts';
import { fitServos, type ServoFit } from './servo-fit.ts';

export interface IdentifyOptions {
  readonly model: RobotModel;
  /** Open, with torque on and `active`ly willing: `identifyArm` activates it. */
  readonly link: GuardLink;
  /** The driver has a `meanWrench`. */
  readonly givesMeanWrench: boolean;
  readonly durationS: number;
  readonly filterS: number;
  readonly seed: number;
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
}

/** Actions a second while it moves. */
const ACTION_HZ = 20;
/** First it stands, so that noise is seen by itself, s. */
const STANDING_S = 3;
/** What a residual may be: so many times the largest of the minute, and a share of the joint's torque. */
const RESIDUAL_MARGIN = 2;
const SERVO_SHARE = 0.02;
const EXTERNAL_SHARE = 0.05;
/** Of a strike, a tool's sensor that gives samples may miss so much at first, N: nothing finer is asked of the joints. */
const STRIKE_N = 20;
/** A torque that never is more than this is not measured, N·m. */
const NO_TORQUE_NM = 1e-9;
/** Nothing touches the tool while the arm is identified. */
const UNTOUCHED: Float64Array = new Float64Array(6);

/** The action of an identification: every joint by itself. */
export function identifyAction(model: RobotModel): ActionSpec {
  const dimensions = model.joints.map(({ name, velocityMaxRadPerS }) => ({
    ...{ name, unit: 'rad' as const },
    scale: velocityMaxRadPerS / ACTION_HZ,
  }));
  return { kind: 'joint', dimensions };
}

export const IDENTIFY_PERIOD_S: number = 1 / ACTION_HZ;

/** Moves the arm about its home pose. Rejects with `ReinError` where it is stopped, or where nothing can be learned from it. */
export async function identifyArm(options: IdentifyOptions): Promise<Identification> {
  const { model } = options;
  if (model.base !== undefined) throw new ReinError('config', 'Only arms are identified, and this is a mobile base.');
  const standing = new MotionRecord(model);
  const moving = new MotionRecord(model);
  const excitation = new Excitation(model, options.durationS, options.seed);
  if (!excitation.isUseful) {
    throw new ReinError('config', 'The arm has no room to move about its home pose.', {
      remedy: 'Take a homeRad in the middle of the workspace, away from joint limits.',
    });
  }
  await stand(options, standing);
  await move(options, excitation, moving);
  return evaluate(options, standing, moving);
}

async function stand(
  { model, link, durationS, signal, onProgress }: IdentifyOptions,
  record: MotionRecord,
): Promise<void> {
  const stop = link.onFrame((frame) => record.add(frame, frame.robot.measuredAtS));
  try {
    for (let atS = 0; atS < STANDING_S; atS += IDENTIFY_PERIOD_S) {
      signal?.throwIfAborted();
      await link.advance(Math.max(1, Math.round(model.controlHz / ACTION_HZ)));
      onProgress?.(atS, STANDING_S + durationS);
    }
  } finally {
    stop();
  }
}

async function move(options: IdentifyOptions, excitation: Excitation, record: MotionRecord): Promise<void> {
  const { model, link, durationS, signal, onProgress } = options;
  const ticks = Math.max(1, Math.round(model.controlHz / ACTION_HZ));
  const command = createActionCommand(model.joints.length);
  const target = new Float64Array(model.joints.length);
  const { dimensions } = identifyAction(model);
  command.decider = 'human';
  command.leaseS = 2 * IDENTIFY_PERIOD_S;
  const stop = link.onFrame((frame) => record.add(frame, frame.robot.measuredAtS));
  const startS = link.latest.robot.measuredAtS;
  let isActive = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const atS = link.latest.robot.measuredAtS - startS;
      if (atS >= durationS) break;
      onProgress?.(STANDING_S + atS, STANDING_S + durationS);
      excitation.write(target, atS + IDENTIFY_PERIOD_S);
      for (const [i, { scale }] of dimensions.entries()) {
        const share = (target[i]! - link.latest.referenceRad[i]!) / scale;
        command.action[i] = Math.min(Math.max(share, -1), 1);
      }
      command.seq++;
      command.issuedAtS = link.latest.robot.measuredAtS;
      link.send(command);
      if (!isActive) await ask(link, 'activate');
      isActive = true;
      await link.advance(ticks);
      if (link.latest.state !== 'active.human') throw stopped(link, model);
    }
  } finally {
    stop();
    if (link.lostReason === undefined) await link.request({ kind: 'hold' }).catch(() => undefined);
  }
}

/** Asks the guard for something, and throws with its reason where it refuses. */
export async function ask(link: GuardLink, kind: 'enable' | 'activate'): Promise<void> {
  const answer = await link.request({ kind });
  if (!answer.ok) throw new ReinError('driver', `The guard refuses to ${kind}: ${answer.reason}.`);
}

function stopped(link: GuardLink, { joints }: RobotModel): ReinError {
  const faults = faultsOf(link.latest.faultFlags);
  const why = faults.map((fault) => `${sentenceOf(fault, link.latest, joints)} (row ${fault.row})`).join(' ');
  return new ReinError(
    'driver',
    `The arm was stopped while it was identified: ${why || `it is ${link.latest.state}.`}`,
    {
      remedy: faults[0]?.remedy ?? 'See what stopped it, then begin again.',
    },
  );
}

function evaluate(
  { model, filterS, givesMeanWrench }: IdentifyOptions,
  standing: MotionRecord,
  moving: MotionRecord,
): Identification {
  const torquePeakNm = model.joints.map((_, i) =>
    moving.states.reduce((most, { torqueNm }) => Math.max(most, Math.abs(torqueNm[i]!)), 0),
  );
  if (!torquePeakNm.every((peak) => Number.isFinite(peak) && peak > NO_TORQUE_NM)) {
    const silent = model.joints.filter((_, i) => !(torquePeakNm[i]! > NO_TORQUE_NM)).map(({ name }) => name);
    throw new ReinError(
      'driver',
      `The driver measures no torque of ${silent.join(', ')}: nothing can be compared with it.`,
      {
        remedy: 'Give effort in its joint states, or leave torqueObserver out of the robot file.',
      },
    );
  }
  const servo = fitServos(model, moving);
  const dynamics = fitDynamics(model, moving, { filterS, torqueAgeS: servo.torqueAgeS }, givesMeanWrench);
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
  };
}

/** [n] how far a force at the tool, at home, acts from each joint's axis at most, m (1 for a sliding joint). */
function toolLeversM(model: RobotModel): readonly number[] {
  const n = model.joints.length;
  const kinematics = new ArmKinematics(model);
  kinematics.forward(model.homeRad);
  const jacobian = kinematics.jacobian();
  return model.joints.map((_, i) => Math.hypot(jacobian[i]!, jacobian[n + i]!, jacobian[2 * n + i]!));
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
