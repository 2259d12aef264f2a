/**
 * The arm's inertial parameters and friction, fitted to the rows that the momentum observer itself computes, so that
 * its residual over the record is least. Only base parameters are determined; the rest is held near 0 by the ridge, and
 * does not affect what is computed from them (Gautier and Khalil 1990).
 */
import {
  ArmDynamics,
  ArmKinematics,
  LINK_PARAMETERS,
  type RobotModel,
  type TorqueObserverModel,
} from '../model/index.ts';
import { LeastSquares } from './least-squares.ts';
import type { MotionRecord } from './motion-record.ts';

export interface DynamicsFit {
  readonly weight: 'measured' | 'compensated';
  readonly wrench: TorqueObserverModel['wrench'];
  /** [n][LINK_PARAMETERS] */
  readonly links: readonly (readonly number[])[];
}

/** Time constants after which the filter's initial state is negligible. */
const SETTLED = 5;
/** A wrench that never exceeds this counts as none, N or N·m. */
const NO_WRENCH = 1e-9;
/**
 * Share of the residual below which the model with measured weight is preferred: a robot whose controller compensates
 * its weight shows none.
 */
const CLEARLY = 0.98;

export interface FitTiming {
  readonly filterS: number;
  readonly torqueAgeS: number;
}

/** Fits the dynamics. Samples of the tool's force are ignored if the driver provides its mean. */
export function fitDynamics(model: RobotModel, record: MotionRecord, timing: FitTiming): DynamicsFit {
  const hasWrench = record.states.some(({ wrench }) => wrench.some((value) => Math.abs(value) > NO_WRENCH));
  const sampled = hasWrench ? 'subtracted' : 'ignored';
  const wrench = record.givesMeanWrench ? 'mean' : sampled;
  const compensated = fit(model, record, timing, 'compensated', wrench);
  const measured = fit(model, record, timing, 'measured', wrench);
  const best = measured.left < CLEARLY * compensated.left ? measured : compensated;
  return { weight: best.weight, wrench, links: best.links };
}

function fit(
  model: RobotModel,
  record: MotionRecord,
  { filterS, torqueAgeS }: FitTiming,
  weight: DynamicsFit['weight'],
  wrench: DynamicsFit['wrench'],
): Omit<DynamicsFit, 'wrench'> & { readonly left: number } {
  const n = model.joints.length;
  const size = LINK_PARAMETERS * n;
  const dynamics = new ArmDynamics(model, weight);
  const tool = new ArmKinematics(model);
  const squares = new LeastSquares(size);
  const unit = new Float64Array(size);
  const momentum = [new Float64Array(size * n), new Float64Array(size * n)];
  const drift = [new Float64Array(size * n), new Float64Array(size * n)];
  const columns = new Float64Array(size * n);
  const torqueNm = new Float64Array(n);
  let sum = 0;
  let passedS = 0;
  for (const [k, state] of record.states.entries()) {
    const now = k % 2;
    const before = 1 - now;
    dynamics.place(state.positionRad, state.velocityRadPerS);
    for (let c = 0; c < size; c++) {
      unit.fill(0);
      unit[c] = 1;
      dynamics.apply(unit);
      for (let i = 0; i < n; i++) {
        momentum[now]![size * i + c] = dynamics.momentum[i]!;
        drift[now]![size * i + c] = dynamics.drift[i]!;
      }
    }
    if (record.pieceRow[k] === 0) {
      passedS = 0;
      continue;
    }
    const dtS = record.dtS[k]!;
    const share = 1 - Math.exp(-dtS / filterS);
    passedS += dtS;
    for (let c = 0; c < columns.length; c++) {
      const rate = (momentum[now]![c]! - momentum[before]![c]!) / dtS - 0.5 * (drift[now]![c]! + drift[before]![c]!);
      columns[c] = columns[c]! + share * (rate - columns[c]!);
    }
    tool.forward(state.positionRad);
    const jacobian = tool.jacobian();
    for (let i = 0; i < n; i++) {
      const newest = 0.5 + Math.min(torqueAgeS / dtS, 0.5);
      const mean = newest * state.torqueNm[i]! + (1 - newest) * record.states[k - 1]!.torqueNm[i]!;
      torqueNm[i] = torqueNm[i]! + share * (mean - torqueNm[i]!);
      // Neighbouring rows are redundant: the filter is slower than the tick.
      if (passedS < SETTLED * filterS || k % 2 === 1) continue;
      let value = torqueNm[i]!;
      // A mean includes neither weight nor inertia of the tool, and nothing touches the tool during the record.
      if (wrench === 'subtracted') for (let j = 0; j < 6; j++) value += jacobian[n * j + i]! * state.wrench[j]!;
      const weightOfRow = 1 / model.joints[i]!.torqueMaxNm ** 2;
      squares.add(columns.subarray(size * i, size * (i + 1)), value, weightOfRow);
      sum += weightOfRow * value * value;
    }
  }
  const solution = squares.solve();
  return {
    weight,
    left: Math.max(0, sum - squares.explained()),
    links: model.joints.map((_, i) =>
      Array.from(solution.subarray(LINK_PARAMETERS * i, LINK_PARAMETERS * (i + 1)), (value) =>
        Number(value.toPrecision(7)),
      ),
    ),
  };
}
