import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../../tests/support/adversary.ts';
import { Bench } from '../../../tests/support/chain-bench.ts';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { times } from '../../../tests/support/times.ts';
import type { Decider } from '../../rows/index.ts';
import { LimitMonitor } from '../watch/limit-monitor.ts';
import { HandoverWatch } from './handover.ts';

const STEP_S = 0.1;
const YOUNG_S = 1;

/** A watch of one number, with a step of 0.1 s between commands. */
class Watched {
  readonly watch: HandoverWatch = new HandoverWatch(1, YOUNG_S);
  nowS = 50;

  next(value: number, version: number, decider: Decider = 'policy', run = 1): boolean {
    this.nowS += STEP_S;
    const action = Float64Array.of(value);
    return this.watch.isHandover(
      { seq: 0, decider, issuedAtS: this.nowS, leaseS: 0.2, policyVersion: version, policyRun: run, action },
      action,
      times(0.02, this.nowS),
    );
  }
}

describe('a hand-over', () => {
  it('is none where small steps of one learning follow each other, one a command', () => {
    const seen = new Watched();
    for (let k = 0; k < 100; k++) expect(seen.next(0.25 * (k % 2), k + 1)).toBe(false);
  });

  it('is a jump of the command at new weights, by more than a quarter of its scale', () => {
    for (const [to, expected] of [
      [0.25, false],
      [0.26, true],
    ] as const) {
      const seen = new Watched();
      for (let k = 0; k < 40; k++) seen.next(0, 1);
      expect(seen.next(to, 2)).toBe(expected);
    }
  });

  it('stays one for whoever swaps weights at every command and jumps: swaps make nothing usual', () => {
    const seen = new Watched();
    seen.next(-1, 1);
    for (let k = 0; k < 60; k++) expect(seen.next(k % 2 === 0 ? 1 : -1, k + 2)).toBe(true);
  });

  it('is a jump of the second command too, and none of weights that have been there for a second', () => {
    const late = new Watched();
    late.next(0, 1);
    late.next(0, 1);
    expect([late.next(0, 2), late.next(0.9, 2)]).toEqual([false, true]);
    const old = new Watched();
    old.next(0, 1);
    old.next(0, 2);
    for (let k = 0; k < YOUNG_S / STEP_S; k++) old.next(0, 2);
    expect(old.next(0.9, 2)).toBe(false);
  });

  it('is none where the weights before asked for as much from command to command, as exploring does', () => {
    const seen = new Watched();
    for (let k = 0; k < 20; k++) seen.next(0.4 * (k % 2), 1);
    expect(seen.next(0.6, 2)).toBe(false);
    expect(seen.next(-0.05, 2)).toBe(true);
  });

  it('is weights of another run, however alike their versions and actions, and once only', () => {
    const seen = new Watched();
    seen.next(0.1, 20);
    const runs = [1, 2, 2, 1, 1];
    expect(runs.map((run) => seen.next(0.1, 20, 'policy', run))).toEqual([false, true, false, true, false]);
  });

  it('is every step back, and every skip of more than 16 versions, however alike their actions', () => {
    const seen = new Watched();
    seen.next(0.1, 20);
    expect([20, 21, 37, 36, 36, 53, 52].map((version) => seen.next(0.1, version))).toEqual([
      false,
      false,
      false,
      true,
      false,
      true,
      true,
    ]);
    expect(seen.next(0.1, Number.NaN)).toBe(true);
  });

  it.each([
    ['of another run', { run: 2, version: 20 }],
    ['that were rolled back', { run: 1, version: 19 }],
    ['that skipped versions', { run: 1, version: 40 }],
  ])('takes nothing for usual that weights before those %s have asked for', (_name, { run, version }) => {
    const seen = new Watched();
    for (let k = 0; k < 40; k++) seen.next(k % 2 === 0 ? 1 : -1, 20);
    expect([seen.next(0, version, 'policy', run), seen.next(0, version, 'policy', run)]).toEqual([true, false]);
    expect(seen.next(0.9, version + 1, 'policy', run)).toBe(true);
  });

  it('is none of weights that begin at rest, however they differ from those before, until the next ones come', () => {
    for (const run of [1, 2]) {
      const seen = new Watched();
      for (let k = 0; k < 40; k++) seen.next(0, 1);
      seen.next(0, 2);
      seen.watch.reset();
      expect([0, 0.9, -0.9].map((value) => seen.next(value, 30, 'policy', run))).toEqual([false, false, false]);
      seen.watch.reset();
      for (let k = 0; k < 40; k++) seen.next(0, 30, 'policy', run);
      expect(seen.next(0.3, 31, 'policy', run)).toBe(true);
    }
  });

  it('is another decider, and nobody at rest', () => {
    const seen = new Watched();
    expect([seen.next(1, 1), seen.next(1, 1, 'human'), seen.next(1, 1, 'human'), seen.next(-1, 1)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    seen.watch.reset();
    expect(seen.next(1, 9)).toBe(false);
  });
});

describe('an adversary who swaps weights', () => {
  it('never gets more than half the acceleration out of a jump, whatever the versions, and breaks no limit', () => {
    const spec = jointSpec(ur5eLike, 0.3);
    const A = spec.dimensions.length;
    const commands = fc.array(
      fc.record({
        rise: fc.constantFrom(1, 1, 1, 2, 16, 17, -1),
        action: fc.array(fc.constantFrom(-1, -0.26, 0, 0.26, 1), { minLength: A, maxLength: A }),
      }),
      { minLength: 2, maxLength: 25 },
    );
    fc.assert(
      fc.property(commands, (given) => {
        const bench = new Bench(ur5eLike, spec);
        const monitor = new LimitMonitor(ur5eLike);
        monitor.restart(bench.chain.referenceRad);
        const calm = new Array<number>(A).fill(0);
        bench.command.policyVersion = 100;
        bench.issue(...calm);
        bench.run(4);
        let before = calm;
        let tightUntilS = Number.NEGATIVE_INFINITY;
        for (const { rise, action } of given) {
          const jump = Math.max(...action.map((value, i) => Math.abs(value - before[i]!)));
          before = action;
          bench.command.policyVersion += rise;
          bench.issue(...action);
          // No weights stay for a second command, so that no change is remembered.
          if (jump > 0.25 || rise < 0 || rise > 16) tightUntilS = bench.nowS + 1;
          for (let k = 0; k < 4; k++) {
            const isTight = bench.nowS < tightUntilS;
            const velocity = Float64Array.from(bench.chain.referenceVelocityRadPerS);
            bench.tick();
            expect(monitor.check(bench.chain.referenceRad, bench.periodS)).toBe(0);
            ur5eLike.joints.forEach(({ accelMaxRadPerS2 }, i) => {
              const [v, u] = [velocity[i]!, bench.chain.referenceVelocityRadPerS[i]!];
              // Slowing down is exempt: nothing may arrive later because of a hand-over.
              const isSpeedingUp = Math.abs(u) > Math.abs(v) && u * v >= 0;
              const share = Math.abs(u - v) / (bench.periodS * accelMaxRadPerS2);
              if (isTight && isSpeedingUp) expect(share).toBeLessThanOrEqual(0.5 + 1e-9);
            });
          }
        }
      }),
      {
        numRuns: 60,
        examples: [
          [Array.from({ length: 20 }, (_, k) => ({ rise: 1, action: new Array<number>(A).fill(k % 2 ? 1 : -1) }))],
        ],
      },
    );
  });
});
