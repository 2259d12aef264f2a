import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { Bench, toolBench } from '../../tests/support/chain-bench.ts';
import { fencedBases, guardedArm } from '../../tests/support/guarded-robots.ts';
import { diffBase, ur5eLike } from '../../tests/support/robot-models.ts';
import { ArmKinematics, type RobotModel } from '../model/index.ts';
import { Clearances } from './avoidance/clearances.ts';
import { SHIELD_BRAKE, SHIELD_SCALED } from './bits.ts';
import { SafetyChain } from './chain.ts';
import { createChainReport, STAGE, STAGES } from './chain-report.ts';
import { Margins } from './margins.ts';

function chainOf(model: RobotModel): SafetyChain {
  return new SafetyChain({ model, action: jointSpec(model, 0.05), policyPeriodS: 0.1 });
}

function filled(model: RobotModel, q: ArrayLike<number>, velocity?: number[]) {
  const arm = new ArmKinematics(model);
  const clearances = new Clearances(model);
  arm.forward(q);
  clearances.measure(arm);
  const margins = new Margins(model, Float64Array.from(q), clearances, undefined);
  const report = createChainReport();
  margins.fill(report, Float64Array.from(velocity ?? new Array(q.length).fill(0)));
  return { report, clearances, arm, margins };
}

describe('the room of the reference', () => {
  it('is 1 in the middle of what bounds it, 0 at a limit, and negative outside', () => {
    const middle = ur5eLike.joints.map(() => 0);
    expect(filled(ur5eLike, middle).report.stages[STAGE.brakeBound]!.margin).toBe(1);
    const q = [...middle];
    q[3] = 2 * Math.PI - ur5eLike.limitMarginRad;
    expect(filled(ur5eLike, q).report.stages[STAGE.brakeBound]!.margin).toBeCloseTo(0, 12);
    expect(filled(ur5eLike, q).report.jointMarginRad).toBeCloseTo(0, 12);
    q[3] = 2 * Math.PI;
    expect(filled(ur5eLike, q).report.marginMin).toBeLessThan(0);
    const slow = filled(ur5eLike, middle, [0, 0, Math.PI / 4, 0, 0, 0]).report;
    expect(slow.stages[STAGE.limiter]!.margin).toBeCloseTo(0.75, 12);
  });

  it('says the tool point’s least distance to a wall and the least of all distances', () => {
    const { report, clearances, arm } = filled(guardedArm, guardedArm.homeRad);
    expect(report.clearanceM).toBe(Math.min(...clearances.h));
    const { minM, maxM } = guardedArm.workspace;
    const walls = [0, 1, 2].flatMap((k) => [arm.tcpPositionM[k]! - minM[k]!, maxM[k]! - arm.tcpPositionM[k]!]);
    expect(report.wallMarginM).toBeCloseTo(Math.min(...walls), 12);
    expect(report.stages[STAGE.barrier]!.margin).toBeLessThanOrEqual(1);
  });

  it('takes a point’s own box for its measure', () => {
    const [elbow] = guardedArm.points!;
    const box = { minM: [0.2, -0.1, 0.4], maxM: [0.4, 0.1, 0.6] } as const;
    const { report, clearances } = filled(
      { ...guardedArm, points: [{ ...elbow!, workspace: box }] },
      guardedArm.homeRad,
    );
    const own = [...clearances.h.slice(6, 12)].map((h) => h / 0.1);
    expect(report.stages[STAGE.barrier]!.margin).toBeCloseTo(Math.min(...own), 9);
  });

  it('of a base is a metre, or that to its fence', () => {
    const free = new Bench(diffBase, jointSpec(diffBase, 0.05));
    free.tick(null);
    expect(free.report).toMatchObject({ wallMarginM: 1, clearanceM: 1, marginMin: 1 });
    const fenced = new Bench(fencedBases[0]!, jointSpec(fencedBases[0]!, 0.05));
    fenced.tick(null);
    expect(fenced.report.clearanceM).toBeCloseTo(0.5, 5);
    expect(fenced.report.wallMarginM).toBe(fenced.report.clearanceM);
    expect(fenced.report.marginMin).toBeCloseTo(0.5 / 0.85, 5);
  });
});

describe('a seed', () => {
  it('is refused where capsules touch, and taken inside the clearance, from where the arm may leave', () => {
    const touching = { ...guardedArm, workspace: { minM: [-2, -2, -2], maxM: [2, 2, 2] } } as const;
    const down = [...guardedArm.homeRad];
    const least = (): number => Math.min(...filled(touching, down).clearances.h.slice(18));
    while (least() > -0.001) down[2] = down[2]! + 0.003;
    expect(least()).toBeGreaterThan(-0.005);
    expect(chainOf(touching).seed(down)).toBe('ok');
    while (least() > -0.006) down[2] = down[2]! + 0.003;
    expect(chainOf(touching).seed(down)).toBe('inCollision');
  });

  it('is refused where another point than the tool, or a base, is outside', () => {
    const tight = { ...guardedArm, points: [{ name: 'p', link: 'lift', positionM: [0, 0, 1] as const }] };
    expect(chainOf(tight).seed(guardedArm.homeRad)).toBe('outsideWorkspace');
    const [base] = fencedBases;
    const chain = chainOf(base!);
    expect(chain.seed([5, 0])).toBe('ok');
    expect(chain.seed([6.21, 0])).toBe('outsideWorkspace');
    expect(chain.seed([6.19, 0])).toBe('ok');
  });
});

describe('each stage', () => {
  it('says what it changed itself, and all of them together what the chain did', () => {
    const bench = toolBench();
    const names = new Set<string>();
    for (let k = 0; k < 300; k++) {
      if (k % 10 === 0) bench.issue(1.5, -1, 1, 1);
      bench.tick();
      let bits = 0;
      for (const [i, stage] of bench.report.stages.entries()) {
        expect(stage.changed).toBe(stage.bits !== 0);
        if (stage.changed) names.add(STAGES[i]!);
        bits |= stage.bits;
      }
      expect(bench.report.bits).toBe(bits);
      expect(bench.report.changed).toBe(bits !== 0);
      expect(bench.report.stages[STAGE.shield]!.bits & ~(SHIELD_SCALED | SHIELD_BRAKE)).toBe(0);
    }
    expect(names).toContain('sanitize');
    expect(names).toContain('actionMap');
    expect(STAGES.map((name) => STAGE[name])).toEqual(STAGES.map((_, i) => i));
  });
});
