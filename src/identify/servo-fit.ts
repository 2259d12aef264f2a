/**
 * Stiffness, damping and timing of each servo, by its own law: τ = K·(r − q) − d·q̇ + offset + f·ṙ, with its lead f: d,
 * or 0. For a servo that lags, K·(r − q) and d·q̇ are nearly alike, and their difference can be less than a count of
 * its encoder: least squares then underestimates both (12 bits: d by a sixth). References of the last periods and
 * readings some periods off serve as instruments: q correlates with them, and the rounding of this row does not.
 */
import { type RobotModel, variance } from '../model/index.ts';
import { hermite, hermiteMean } from '../safety/index.ts';
import { InstrumentedLeastSquares } from './least-squares.ts';
import type { MotionRecord } from './motion-record.ts';

/** A value and half the width of its 95 % interval. */
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
  /** [n] root mean square of the law's residual, N·m. */
  readonly leftNm: readonly number[];
}

const DELAY_MAX_TICKS = 6;
/** Tried ages of the torque, as parts of half a period; then finer about the best. */
const AGES = 10;
const FINE = 10;
/** Ages of the references that serve as instruments, s: up to a servo's following time. */
const LAGS_S = [0, 0.02, 0.04, 0.08, 0.14, 0.22, 0.32] as const;
/** Offsets of the readings that serve as instruments, before and after a row, s. */
const READINGS_S = [-0.12, -0.06, 0.06, 0.12] as const;
const INSTRUMENTS = LAGS_S.length + READINGS_S.length + 1;
/** The lead is the last regressor: a servo without one is fitted without it. */
const REGRESSORS = 4;
/** Largest ratio of the residual of lagging servos to that of leading ones at which they count as lagging. */
const LEAD_SHARE = 4;
/** Torque share above which rows are skipped: near saturation the law differs. */
const SATURATED_SHARE = 0.95;
/**
 * Length of the record's parts that are fitted separately to estimate the uncertainty of the whole, s; at least
 * `PARTS_MIN`, since few parts estimate their own spread badly.
 */
const PART_S = 6;
const PARTS_MIN = 4;
/** Student's distribution, 97.5 %, for `PARTS_MIN` parts and for each additional one. */
const STUDENT = [3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262] as const;
const PARTS_MAX = PARTS_MIN + STUDENT.length - 1;

interface Timing {
  readonly delayTicks: number;
  readonly ageS: number;
}

/** Rows from `first` up to, not including, `end`. */
interface Rows {
  readonly first: number;
  readonly end: number;
}

interface JointFit {
  readonly stiffness: number;
  readonly damping: number;
  readonly lead: number;
  /** Mean square of the law's residual, projected on the instruments and corrected for noise, (N·m)². */
  readonly shown: number;
  /** Root mean square of the whole residual. */
  readonly leftNm: number;
}

interface Best {
  readonly timing: Timing;
  readonly cost: number;
}

/** Fits all servos with one common timing, that of the least residual. */
export function fitServos(model: RobotModel, record: MotionRecord): ServoFit {
  const periodS = 1 / model.controlHz;
  let lags: Best | undefined;
  let free: Best | undefined;
  const consider = (timing: Timing): void => {
    const [ofLags, ofFree] = costsOf(model, record, timing);
    if (lags === undefined || ofLags < lags.cost) lags = { timing, cost: ofLags };
    if (free === undefined || ofFree < free.cost) free = { timing, cost: ofFree };
  };
  for (let delayTicks = 0; delayTicks <= DELAY_MAX_TICKS; delayTicks++) {
    for (let k = 0; k <= AGES; k++) consider({ delayTicks, ageS: (k / AGES) * (periodS / 2) });
  }
  for (const { timing } of [lags!, free!]) {
    for (let k = 1 - FINE; k < FINE; k++) {
      const ageS = timing.ageS + (k / (AGES * FINE)) * (periodS / 2);
      if (ageS >= 0 && ageS <= periodS / 2) consider({ ...timing, ageS });
    }
  }
  // A lead also explains noise: it is accepted only if it explains most.
  return lags!.cost <= LEAD_SHARE * free!.cost
    ? fitWith(model, record, lags!.timing, 'lags')
    : fitFree(model, record, free!.timing);
}

function fitFree(model: RobotModel, record: MotionRecord, timing: Timing): ServoFit {
  const free = model.joints.map((_, i) => fitJoint(squaresOf(model, record, timing, i), REGRESSORS));
  const leads = sumOf(free, 'lead') > sumOf(free, 'damping') / 2;
  return fitWith(model, record, timing, leads ? 'leads' : 'lags');
}

/** Costs for servos that lag, and for those that may lead. */
function costsOf(model: RobotModel, record: MotionRecord, timing: Timing): readonly [number, number] {
  const costs: [number, number] = [0, 0];
  for (const [i, { torqueMaxNm }] of model.joints.entries()) {
    const squares = squaresOf(model, record, timing, i);
    for (const k of [0, 1] as const) costs[k] += fitJoint(squares, REGRESSORS - 1 + k).shown / torqueMaxNm ** 2;
  }
  return costs;
}

function fitWith(model: RobotModel, record: MotionRecord, timing: Timing, kind: 'leads' | 'lags'): ServoFit {
  const regressors = kind === 'leads' ? REGRESSORS : REGRESSORS - 1;
  const whole = model.joints.map((_, i) => fitJoint(squaresOf(model, record, timing, i), regressors));
  const count = Math.min(Math.max(Math.floor(record.rows / (PART_S * model.controlHz)), PARTS_MIN), PARTS_MAX);
  const parts = Array.from({ length: count }, (_, part) => {
    const first = Math.floor((part * record.rows) / count);
    const end = Math.floor(((part + 1) * record.rows) / count);
    return model.joints.map((_joint, i) => fitJoint(squaresOf(model, record, timing, i, { first, end }), regressors));
  });
  const estimate = (i: number, key: 'stiffness' | 'damping'): Estimate => {
    const values = parts.map((joints) => joints[i]![key]);
    return { value: whole[i]![key], within: STUDENT[count - PARTS_MIN]! * Math.sqrt(variance(values) / count) };
  };
  return {
    velocityFeedForward: kind === 'leads',
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

/** Fits with the first `regressors`. */
function fitJoint(squares: InstrumentedLeastSquares, regressors: number): JointFit {
  const { solution, shown, left } = squares.solve(regressors);
  const [stiffness, damping, , lead = 0] = solution as unknown as [number, number, number, number?];
  const rows = Math.max(1, squares.rows);
  const byChance = ((INSTRUMENTS - regressors) * left) / rows;
  return { stiffness, damping, lead, shown: (shown - byChance) / rows, leftNm: Math.sqrt(left / rows) };
}

/** Accumulates the rows of one servo. */
function squaresOf(
  model: RobotModel,
  record: MotionRecord,
  { delayTicks, ageS }: Timing,
  i: number,
  { first, end }: Rows = { first: 0, end: record.rows },
): InstrumentedLeastSquares {
  const ticks = (s: number): number => Math.round(s * model.controlHz);
  const [lags, offsets] = [LAGS_S.map(ticks), READINGS_S.map(ticks)];
  const [oldest, newest] = [Math.max(delayTicks + 1, lags.at(-1)!), offsets.at(-1)!];
  const squares = new InstrumentedLeastSquares(INSTRUMENTS, REGRESSORS);
  const row = new Float64Array(INSTRUMENTS + REGRESSORS + 1);
  const mostNm = SATURATED_SHARE * model.joints[i]!.torqueMaxNm;
  for (let k = first; k < end; k++) {
    // References from before the piece began are unknown, and readings after its end.
    if (record.pieceRow[k]! < oldest || record.pieceRow[k + newest] !== record.pieceRow[k]! + newest) continue;
    const torqueNm = record.states[k]!.torqueNm[i]!;
    if (Math.abs(torqueNm) > mostNm) continue;
    const { sentRad } = record;
    for (const [j, lag] of lags.entries()) row[j] = sentRad[k - lag]![i]! - (j === 0 ? 0 : sentRad[k]![i]!);
    for (const [j, offset] of offsets.entries())
      row[lags.length + j] = sentRad[k + offset]![i]! - record.states[k + offset]!.positionRad[i]!;
    row[INSTRUMENTS - 1] = 1;
    writeLaw(row, record, k, i, Math.min(2 * ageS, record.dtS[k]!));
    const [reached, before] = [sentRad[k - delayTicks]![i]!, sentRad[k - delayTicks - 1]![i]!];
    row[INSTRUMENTS] = reached - row[INSTRUMENTS]!;
    row[INSTRUMENTS + 2] = 1;
    row[INSTRUMENTS + 3] = (reached - before) * model.controlHz;
    row[INSTRUMENTS + REGRESSORS] = torqueNm;
    squares.add(row);
  }
  return squares;
}

/** Writes the position of joint `i`, and its negated velocity, as means over the `windowS` that end with the reading of row `k`. */
function writeLaw(row: Float64Array, record: MotionRecord, k: number, i: number, windowS: number): void {
  const [before, now] = [record.states[k - 1]!, record.states[k]!];
  const dtS = record.dtS[k]!;
  const [from, to] = [before.positionRad[i]!, now.positionRad[i]!];
  const [fromSpeed, toSpeed] = [before.velocityRadPerS[i]!, now.velocityRadPerS[i]!];
  row[INSTRUMENTS] = hermiteMean(from, to, fromSpeed, toSpeed, windowS, dtS);
  row[INSTRUMENTS + 1] =
    windowS > 0 ? (hermite(from, to, fromSpeed, toSpeed, 1 - windowS / dtS, dtS) - to) / windowS : -toSpeed;
}
