import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arm6Setup, pegTask } from '../../tests/support/arm6.ts';
import { standingFrame } from '../../tests/support/frames.ts';
import { ArmKinematics, frameSize, observationSize, Rng } from '../model/index.ts';
import { PegInsertion } from './peg-insertion.ts';
import type { Verdict } from './task.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 31 });

describe.each(['insert', 'insert-tight'] as const)('the layouts of %s', (name) => {
  const setup = arm6Setup(name);
  const measures = pegTask(setup);
  const { robot } = setup.config;
  const task = new PegInsertion(measures, robot);
  const kinematics = new ArmKinematics(robot);
  const within = (value: number, middle: number, spread: number): void =>
    expect(Math.abs(value - middle)).toBeLessThanOrEqual(spread + 1e-6);

  it('stay within the spreads that are declared', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { objects, signals } = task.drawLayout(new Rng(seed));
        const { hole, estimate } = measures;
        const [x, y, z, yaw] = objects['hole']!;
        within(x, hole.originM[0], hole.spreadM);
        within(y, hole.originM[1], hole.spreadM);
        expect(z).toBe(hole.originM[2]);
        within(yaw, 0, hole.yawSpreadRad);
        within(signals['holeXM']!, x, estimate.errorM);
        within(signals['holeYM']!, y, estimate.errorM);
        within(signals['holeZM']!, z, estimate.heightErrorM);
        within(signals['holeYawRad']!, yaw, estimate.yawErrorRad);
      }),
    );
  });

  it('start with a vertical tool inside the spread, the workspace and the joint limits', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { jointsRad } = task.drawLayout(new Rng(seed));
        kinematics.forward(jointsRad);
        const { hole, start } = measures;
        const tip = kinematics.tcpPositionM;
        within(tip[0]!, hole.originM[0], start.spreadM);
        within(tip[1]!, hole.originM[1], start.spreadM);
        within(tip[2]!, hole.originM[2] + start.heightM, start.heightSpreadM);
        for (let k = 0; k < 3; k++) {
          expect(tip[k]).toBeGreaterThan(robot.workspace.minM[k]!);
          expect(tip[k]).toBeLessThan(robot.workspace.maxM[k]!);
        }
        expect(kinematics.tcpRotation[8]).toBeCloseTo(-1, 9);
        const quarter = Math.PI / 2;
        const yaw = Math.atan2(kinematics.tcpRotation[3]!, kinematics.tcpRotation[0]!);
        within(yaw - Math.round(yaw / quarter) * quarter, 0, start.yawSpreadRad);
        for (const [i, joint] of robot.joints.entries()) {
          expect(jointsRad[i]).toBeGreaterThanOrEqual(joint.positionMinRad + robot.limitMarginRad);
          expect(jointsRad[i]).toBeLessThanOrEqual(joint.positionMaxRad - robot.limitMarginRad);
        }
      }),
    );
  });

  it('use the whole spread', () => {
    const rng = new Rng(3);
    const errors = Array.from({ length: 300 }, () => {
      const { objects, signals } = task.drawLayout(rng);
      return signals['holeXM']! - objects['hole']![0];
    });
    expect(Math.min(...errors)).toBeLessThan(-0.9 * measures.estimate.errorM);
    expect(Math.max(...errors)).toBeGreaterThan(0.9 * measures.estimate.errorM);
  });

  it('are the same for the same seed and differ for others', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const layout = task.drawLayout(new Rng(seed));
        expect(task.drawLayout(new Rng(seed))).toEqual(layout);
        expect(task.drawLayout(new Rng(seed + 1))).not.toEqual(layout);
      }),
      { numRuns: 20 },
    );
  });

  it('are refused, saying what to do, where the arm cannot reach', () => {
    const far = new PegInsertion({ ...measures, hole: { ...measures.hole, originM: [1.6, 0, 0.15] } }, robot);
    expect(() => far.drawLayout(new Rng(0))).toThrow(
      expect.objectContaining({ name: 'ReinError', kind: 'task', remedy: expect.stringContaining('hole.originM') }),
    );
  });
});

describe('the observation of peg insertion', () => {
  const setup = arm6Setup();
  const measures = pegTask(setup);
  const task = new PegInsertion(measures, setup.config.robot);
  const size = frameSize(task.observation);
  const small = fc.double({ min: -0.05, max: 0.05, noNaN: true });
  const angle = fc.double({ min: -3, max: 3, noNaN: true });

  function observe(
    hole: readonly [number, number, number, number],
    tipM: readonly [number, number, number],
    yawRad: number,
    wrench: readonly number[] = [],
    previous: readonly number[] = [0, 0, 0, 0],
  ): Record<string, number[]> {
    const out = new Float32Array(size + 7).fill(99);
    task.observe(out, 3, standingFrame({ tipM, yawRad, signals: [0, ...hole], wrench }), Float32Array.from(previous));
    // Nothing outside its own range is written.
    expect([...out.subarray(0, 3), ...out.subarray(3 + size)]).toEqual(Array(7).fill(99));
    const seen: Record<string, number[]> = {};
    let at = 3;
    for (const field of task.observation.fields) {
      seen[field.name] = [...out.subarray(at, at + field.size)];
      at += field.size;
    }
    return seen;
  }

  it('has the sizes that it declares', () => {
    expect(task.observation.fields.map(({ name, size }) => [name, size])).toEqual([
      ['hole_offset', 3],
      ['hole_offset_fine', 3],
      ['yaw_offset', 1],
      ['yaw_offset_fine', 1],
      ['force', 3],
      ['torque', 3],
      ['previous_executed', 4],
    ]);
    expect(observationSize(task.observation)).toBe(measures.historyFrames * 18);
  });

  it('shows the way to the estimate in the units that it declares', () => {
    fc.assert(
      fc.property(fc.tuple(small, small, small), fc.tuple(small, small, small), (offset, tip) => {
        const seen = observe([tip[0] + offset[0], tip[1] + offset[1], tip[2] + offset[2], 0], tip, 0);
        for (let k = 0; k < 3; k++) {
          expect(seen['hole_offset']![k]).toBeCloseTo(offset[k]! / 0.03, 5);
          expect(seen['hole_offset_fine']![k]).toBeCloseTo(Math.tanh(offset[k]! / 0.003), 5);
        }
      }),
    );
    expect(task.observation.fields[0]!.unit).toBe('m / 0.03');
    expect(task.observation.fields[1]!.unit).toBe('tanh(m / 0.003)');
  });

  it('shows the turn that is still to be made, the same for every quarter turn of the peg', () => {
    fc.assert(
      fc.property(
        angle,
        fc.double({ min: -0.7, max: 0.7, noNaN: true }),
        fc.integer({ min: -4, max: 4 }),
        (tool, by, turns) => {
          const hole = tool + by + (turns * Math.PI) / 2;
          const seen = observe([0, 0, 0, hole], [0, 0, 0], tool);
          expect(seen['yaw_offset']![0]).toBeCloseTo(by / 0.2, 4);
          expect(seen['yaw_offset_fine']![0]).toBeCloseTo(Math.tanh(by / 0.03), 4);
        },
      ),
    );
  });

  it('shows force, torque and the action before, bounded', () => {
    const seen = observe([0, 0, 0, 0], [0, 0, 0], 0, [5, -10, 1e6, 0.25, 0, -1e6], [0.1, -0.2, 1, -1]);
    expect(seen['force']![0]).toBeCloseTo(Math.tanh(0.5), 6);
    expect(seen['force']![1]).toBeCloseTo(Math.tanh(-1), 6);
    expect(seen['force']![2]).toBe(1);
    expect(seen['torque']![0]).toBeCloseTo(Math.tanh(0.5), 6);
    expect(seen['torque']![2]).toBe(-1);
    for (const [k, value] of [0.1, -0.2, 1, -1].entries()) expect(seen['previous_executed']![k]).toBeCloseTo(value, 6);
  });
});

describe('the verdict of peg insertion', () => {
  const setup = arm6Setup();
  const measures = pegTask(setup);
  const task = new PegInsertion(measures, setup.config.robot);

  it.each([
    [measures.success.depthM, true],
    [measures.success.depthM + 0.01, true],
    [measures.success.depthM - 1e-6, false],
    [0, false],
    [-0.03, false],
  ])('at a depth of %d m: %s', (depthM, isIn) => {
    const verdict: Verdict = { reward: 9, terminated: !isIn, success: !isIn };
    task.judge(standingFrame({ signals: [depthM, 0, 0, 0, 0] }), verdict);
    expect(verdict).toEqual({ reward: isIn ? 1 : 0, terminated: isIn, success: isIn });
  });
});
