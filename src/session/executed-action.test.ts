import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { standingFrame } from '../../tests/support/frames.ts';
import { createActionCommand } from '../guard/index.ts';
import type { ActionSpec } from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import { ExecutedAction } from './executed-action.ts';

const cartesian: ActionSpec = {
  kind: 'cartesian',
  dimensions: [
    { name: 'x', scale: 0.01, unit: 'm' },
    { name: 'y', scale: 0.01, unit: 'm' },
    { name: 'z', scale: 0.02, unit: 'm' },
    { name: 'yaw', scale: 0.06, unit: 'rad' },
  ],
};
const joint: ActionSpec = {
  kind: 'joint',
  dimensions: [0, 1, 2, 3].map((i) => ({ name: `joint_${i}`, scale: 0.05, unit: 'rad' as const })),
};

/** Executed action measured between `before` and `after`, for the command `asked`. */
function executed(spec: ActionSpec, before: GuardFrame, after: GuardFrame, asked: readonly number[]): number[] {
  const measure = new ExecutedAction(spec, 6);
  const command = createActionCommand(4);
  command.seq = 7;
  command.action.set(asked);
  const out = new Float32Array(4);
  measure.begin(before);
  measure.end(after, command, out);
  return [...out];
}

const unit = fc.double({ min: -1, max: 1, noNaN: true });

describe('the executed action', () => {
  it('of a command that was followed is what was asked, less what the filters kept from it, within [−1, 1]', () => {
    fc.assert(
      fc.property(fc.tuple(unit, unit, unit, unit), fc.tuple(unit, unit, unit, unit), (asked, shortfall) => {
        const after = standingFrame({ tipM: [0.3, 0, 0] });
        after.commandSeq = 7;
        after.shortfall.set(shortfall);
        for (const [i, value] of executed(cartesian, standingFrame(), after, asked).entries()) {
          expect(value).toBeCloseTo(Math.max(-1, Math.min(1, asked[i]! + shortfall[i]!)), 6);
        }
      }),
    );
  });

  it('of a command that was refused or ran out is the way that the reference still went', () => {
    const before = standingFrame({ tipM: [0.1, 0.2, 0.3] });
    const after = standingFrame({ tipM: [0.104, 0.199, 0.28] });
    // The shortfall of a command that is not followed is meaningless.
    after.shortfall.fill(0.5);
    const way = [0.4, -0.1, -1, 0].map((value) => expect.closeTo(value, 5));
    for (const seq of [-1, 6]) {
      after.commandSeq = seq;
      expect(executed(cartesian, before, after, [1, 1, 1, 1])).toEqual(way);
    }
  });

  it('of a refused joint command is the way of each joint', () => {
    const before = standingFrame();
    const after = standingFrame();
    before.referenceRad.set([1, 1, 1, 1, 1, 1]);
    after.referenceRad.set([1.01, 0.99, 1, 3, 1, 1]);
    const way = [0.2, -0.2, 0, 1].map((value) => expect.closeTo(value, 5));
    expect(executed(joint, before, after, [0, 0, 0, 0])).toEqual(way);
  });

  it('of a joint action that moves some joints, in another order than the robot has them, is the way of those', () => {
    const dimensions = ['joint_5', 'joint_1'].map((name) => ({ name, scale: 0.05, unit: 'rad' as const }));
    const jointNames = [0, 1, 2, 3, 4, 5].map((i) => `joint_${i}`);
    const measure = new ExecutedAction({ kind: 'joint', dimensions }, 6, jointNames);
    const after = standingFrame();
    measure.begin(standingFrame());
    after.referenceRad[1] = after.referenceRad[1]! - 0.02;
    after.referenceRad[5] = after.referenceRad[5]! + 0.01;
    after.commandSeq = -1;
    const out = new Float32Array(2);
    measure.end(after, { ...createActionCommand(2), seq: 7 }, out);
    expect([...out]).toEqual([0.2, -0.4].map((value) => expect.closeTo(value, 5)));
  });
});
