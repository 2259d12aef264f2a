import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../../../tests/support/long.ts';
import {
  costOf,
  PROGRAM_KINDS,
  type ProgramKind,
  type QuadraticProgram,
  randomProgram,
  residualOf,
  solveByPackage,
} from '../../../tests/support/quadratic-programs.ts';
import { Rng } from '../../model/index.ts';
import { ActiveSet, type ActiveSetStatus, MOST_ROUNDS } from './active-set.ts';

/** Number of problems per kind. `npm run evidence` tries ten times as many. */
const PROGRAMS = Number(process.env['REIN_PROGRAMS'] ?? (IS_LONG ? 1000 : 300));
const TOLERANCE = 1e-9;
const LOOSE = 1e-13;

const solvers = Array.from({ length: 17 }, (_, n) => (n === 0 ? null : new ActiveSet(n, 64)));

function solve(p: QuadraticProgram): { status: ActiveSetStatus; u: Float64Array; rounds: number } {
  const solver = solvers[p.weights.length]!;
  const status = solver.solve(p.weights, p.wanted, p.low, p.high, p.rows, p.offsets, p.rowCount);
  return { status, u: solver.solution, rounds: solver.rounds };
}

/** Difference of the costs, relative where they are above 1. */
function gap(program: QuadraticProgram, u: Float64Array, other: Float64Array): number {
  const cost = costOf(program, other);
  return Math.abs(costOf(program, u) - cost) / Math.max(1, cost);
}

describe.each(PROGRAM_KINDS)('programs: %s', (kind: ProgramKind) => {
  it(`${PROGRAMS} of them have the minimum that another solver finds`, () => {
    const rng = new Rng(PROGRAM_KINDS.indexOf(kind) + 1);
    const seen = { solved: 0, loosened: 0, mostRounds: 0, gap: 0, gapLoosened: 0, residual: 0 };
    for (let k = 0; k < PROGRAMS; k++) {
      const program = randomProgram(rng, kind);
      const { status, u, rounds } = solve(program);
      seen.mostRounds = Math.max(seen.mostRounds, rounds);
      expect(status, `program ${k}`).not.toBe('capped');
      if (program.inside !== null) expect(status, `program ${k}`).toBe('solved');
      if (kind === 'just infeasible') expect(status, `program ${k}`).toBe('infeasible');
      const other = solveByPackage(program);
      if (kind === 'anything') expect(status === 'solved', `program ${k}`).toBe(other !== null);
      if (status !== 'solved') continue;
      seen.solved++;
      seen.residual = Math.max(seen.residual, residualOf(program, u));
      if (other !== null) {
        seen.gap = Math.max(seen.gap, gap(program, u, other));
        continue;
      }
      // The package gives up where many constraints meet in one point. Shifted slightly they do not, and the minimum
      // falls by an equally small multiple of the multipliers.
      const near = solveByPackage(program, () => LOOSE * rng.uniform());
      seen.loosened++;
      expect(near, `program ${k}`).not.toBe(null);
      seen.gapLoosened = Math.max(seen.gapLoosened, gap(program, u, near!));
    }
    if (PROGRAMS > 1000) console.info(`${kind}: ${JSON.stringify(seen)}`);
    expect(seen.residual).toBeLessThanOrEqual(TOLERANCE);
    expect(seen.gap).toBeLessThanOrEqual(TOLERANCE);
    expect(seen.mostRounds).toBeLessThan(MOST_ROUNDS);
    expect(seen.gapLoosened).toBeLessThanOrEqual(1e6 * LOOSE);
  });
});

describe('the solver', () => {
  const one = Float64Array.of(1);
  const none = new Float64Array(0);

  it('leaves a point inside as it is, to the last place', () => {
    const solver = new ActiveSet(2, 1);
    const wanted = Float64Array.of(0.1, 0.2);
    const args = [Float64Array.of(3, 0.7), wanted, Float64Array.of(-1, -1), Float64Array.of(1, 1)] as const;
    expect(solver.solve(...args, Float64Array.of(1, 1), one, 1)).toBe('solved');
    expect(solver.rounds).toBe(0);
    for (let i = 0; i < 2; i++) expect(solver.solution[i]).toBeCloseTo(wanted[i]!, 15);
  });

  it('weighs the variables: the cheaper one gives way', () => {
    const solver = new ActiveSet(2, 1);
    const bounds = [Float64Array.of(-9, -9), Float64Array.of(9, 9)] as const;
    // min ½(4(u₀−1)² + (u₁−1)²), u₀ + u₁ ≤ 1: u = (0.8, 0.2).
    solver.solve(Float64Array.of(2, 1), Float64Array.of(1, 1), ...bounds, Float64Array.of(1, 1), one, 1);
    expect(solver.solution[0]).toBeCloseTo(0.8, 14);
    expect(solver.solution[1]).toBeCloseTo(0.2, 14);
  });

  it('takes infinite bounds and rows without a direction', () => {
    const solver = new ActiveSet(1, 2);
    const open = [Float64Array.of(-Infinity), Float64Array.of(Infinity)] as const;
    expect(solver.solve(one, Float64Array.of(5), ...open, Float64Array.of(0, 1), Float64Array.of(0, 2), 2)).toBe(
      'solved',
    );
    expect(solver.solution[0]).toBeCloseTo(2, 14);
    expect(solver.solve(one, Float64Array.of(5), ...open, Float64Array.of(0), Float64Array.of(-1), 1)).toBe(
      'infeasible',
    );
  });

  it('is a box clip without rows', () => {
    const solver = new ActiveSet(1, 0);
    expect(solver.solve(one, Float64Array.of(5), Float64Array.of(-2), Float64Array.of(0.3), none, none, 0)).toBe(
      'solved',
    );
    expect(solver.solution[0]).toBe(0.3);
  });

  it('calls what is no problem infeasible, and never answers with a NaN', () => {
    const solver = new ActiveSet(1, 1);
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, 5e-324, -1];
    for (const at of [0, 1, 2, 3, 4, 5]) {
      for (const value of odd) {
        const p = [1, 0.5, -1, 1, 1, 0.2].map((x, k) => Float64Array.of(k === at ? value : x));
        const status = solver.solve(p[0]!, p[1]!, p[2]!, p[3]!, p[4]!, p[5]!, 1);
        if (Number.isNaN(value)) expect(status).toBe('infeasible');
        if (status === 'solved') expect(Number.isFinite(solver.solution[0])).toBe(true);
      }
    }
    expect(solver.solve(one, one, Float64Array.of(1), Float64Array.of(0.9), none, none, 0)).toBe('infeasible');
    expect(solver.solve(one, Float64Array.of(Infinity), one, one, none, none, 0)).toBe('infeasible');
    const beyond = Float64Array.of(Infinity);
    expect(solver.solve(one, one, beyond, beyond, none, none, 0)).toBe('infeasible');
  });

  it('gives up when it may go no further', () => {
    const solver = new ActiveSet(2, 0, 1);
    const high = Float64Array.of(0, 0);
    const wanted = Float64Array.of(1, 1);
    expect(solver.solve(wanted, wanted, Float64Array.of(-1, -1), high, none, none, 0)).toBe('capped');
    expect(solver.rounds).toBe(1);
  });

  it('refuses sizes that it is not made for', () => {
    expect(() => new ActiveSet(0, 1)).toThrow(RangeError);
    expect(() => new ActiveSet(17, 1)).toThrow(RangeError);
    expect(() => new ActiveSet(6, 65)).toThrow(RangeError);
    expect(() => new ActiveSet(6, -1)).toThrow(RangeError);
  });
});
