/** Stiffness, damping and timing of each servo, by its own law: τ = K·(r − q) − d·q̇ + f·ṙ + offset, f its lead: d, or 0. */
import { type RobotModel, variance } from '../core/index.ts';
import { hermite, hermiteMean } from '../safety/index.ts';
import { LeastSquares } from './least-squares.ts';
import type { MotionRecord } from './motion-record.ts';

/** A number and half the width of its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly within: number;
}

export interface ServoFit {
  readonly velocityFeedForward: boolean;
  readonly delayTicks: number;
  readonly torqueAgeS: number;
  /** [n] N·m/rad. */
  readonly stiffness: readonly Estimate[];
  /** [n] N·m·s/rad. */
  readonly damping: readonly Estimate[];
  /** [n] root mean square of what the law leaves, N·m. */
  readonly leftNm: readonly number[];
}

const DELAY_MAX_TICKS = 6;
/** Ages of the torque that are tried, a period's parts; then finer about the best. */
const AGES = 10;
const FINE = 10;
/** Near saturation the law is another. */
const SATURATED_SHARE = 0.95;
/** Parts of the record that are fitted by themselves, so that what they differ by shows how sure the whole is. */
const PARTS = 4;
/** Of Student's distribution with PARTS − 1 degrees of freedom, 97.5 %. */
const STUDENT = 3.182;

interface Timing {
  readonly delayTicks: number;
  readonly ageS: number;
}

interface JointFit {
  readonly stiffness: number;
  readonly damping: number;
  readonly lead: number;
  readonly leftNm: number;
}

/** Fits all servos with one timing: the one that leaves least. */
export function fitServos(model: RobotModel, record: MotionRecord): ServoFit {
  const periodS = 1 / model.controlHz;
  let best: { timing: Timing; cost: number } | undefined;
  const consider = (timing: Timing): void => {
    const cost = costOf(model, record, timing);
    if (best === undefined || cost < best.cost) best = { timing, cost };
  };
  for (let delayTicks = 0; delayTicks <= DELAY_MAX_TICKS; delayTicks++) {
    for (let k = 0; k <= AGES; k++) consider({ delayTicks, ageS: (k / AGES) * (periodS / 2) });
  }
  const { timing } = best!;
  for (let k = 1 - FINE; k < FINE; k++) {
    const ageS = timing.ageS + (k / (AGES * FINE)) * (periodS / 2);
    if (ageS >= 0 && ageS <= periodS / 2) consider({ ...timing, ageS });
  }
  return fitWith(model, record, best!.timing);
}

function costOf(model: RobotModel, record: MotionRecord, timing: Timing): number {
  let cost = 0;
  for (const [i, { torqueMaxNm }] of model.joints.entries()) {
    const { leftNm } = fitJoint(model, record, timing, i, 0, record.rows);
    cost += (leftNm / torqueMaxNm) ** 2;
  }
  return cost;
}

function fitWith(model: RobotModel, record: MotionRecord, timing: Timing): ServoFit {
  const whole = model.joints.map((_, i) => fitJoint(model, record, timing, i, 0, record.rows));
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const from = Math.floor((part * record.rows) / PARTS);
    const to = Math.floor(((part + 1) * record.rows) / PARTS);
    return model.joints.map((_joint, i) => fitJoint(model, record, timing, i, from, to));
  });
  const estimate = (i: number, key: 'stiffness' | 'damping'): Estimate => {
    const values = parts.map((joints) => joints[i]![key]);
    return { value: whole[i]![key], within: STUDENT * Math.sqrt(variance(values) / PARTS) };
  };
  return {
    velocityFeedForward: sumOf(whole, 'lead') > sumOf(whole, 'damping') / 2,
    delayTicks: timing.delayTicks,
    torqueAgeS: timing.ageS,
    stiffness: model.joints.map((_, i) => estimate(i, 'stiffness')),
    damping: model.joints.map((_, i) => estimate(i, 'damping')),
    leftNm: whole.map(({ leftNm }) => leftNm),
  };
}

function sumOf(fits: readonly JointFit[], key: 'lead' | 'damping'): number {
  return fits.reduce((sum, fit) => sum + fit[key], 0);
}

/** One servo over the rows [first, end). */
function fitJoint(
  model: RobotModel,
  record: MotionRecord,
  { delayTicks, ageS }: Timing,
  i: number,
  first: number,
  end: number,
): JointFit {
  const squares = new LeastSquares(4);
  const row = new Float64Array(4);
  const mostNm = SATURATED_SHARE * model.joints[i]!.torqueMaxNm;
  let sum = 0;
  for (let k = first; k < end; k++) {
    // A reference of before the piece began is not known.
    if (record.pieceRow[k]! <= delayTicks) continue;
    const { positionRad, velocityRadPerS, torqueNm } = record.states[k]!;
    if (Math.abs(torqueNm[i]!) > mostNm) continue;
    const before = record.states[k - 1]!;
    const dtS = record.dtS[k]!;
    const windowS = Math.min(2 * ageS, dtS);
    const from = before.positionRad[i]!;
    const to = positionRad[i]!;
    const fromSpeed = before.velocityRadPerS[i]!;
    const toSpeed = velocityRadPerS[i]!;
    const reached = record.sentRad[k - delayTicks]![i]!;
    const reachedBefore = record.sentRad[k - delayTicks - 1]![i]!;
    row[0] = reached - hermiteMean(from, to, fromSpeed, toSpeed, windowS, dtS);
    row[1] = windowS > 0 ? (hermite(from, to, fromSpeed, toSpeed, 1 - windowS / dtS, dtS) - to) / windowS : -toSpeed;
    row[2] = (reached - reachedBefore) * model.controlHz;
    row[3] = 1;
    squares.add(row, torqueNm[i]!);
    sum += torqueNm[i]! ** 2;
  }
  const [stiffness, damping, lead] = squares.solve() as unknown as [number, number, number];
  const left = Math.max(0, sum - squares.explained());
  return { stiffness, damping, lead, leftNm: Math.sqrt(left / Math.max(1, squares.rows)) };
}
