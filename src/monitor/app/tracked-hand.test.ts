import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import type { ActionSpec } from '../../model/index.ts';
import { BrowserTeleop, Clutch, type TeleopCommand } from '../../teleop/index.ts';
import { canFollowHand, type HandOptions, TrackedHand, type TrackedPose } from './tracked-hand.ts';

const action: ActionSpec = {
  kind: 'cartesian',
  dimensions: [
    { name: 'x', scale: 0.01, unit: 'm' },
    { name: 'y', scale: 0.01, unit: 'm' },
    { name: 'z', scale: 0.01, unit: 'm' },
    { name: 'yaw', scale: 0.05, unit: 'rad' },
  ],
};
const behind: HandOptions = { scale: 1, facesRad: 0 };
type Vector = readonly [number, number, number];

const turn = (axis: Vector, rad: number): TrackedPose['orientation'] => {
  const s = Math.sin(rad / 2) / Math.hypot(...axis);
  return { x: axis[0] * s, y: axis[1] * s, z: axis[2] * s, w: Math.cos(rad / 2) };
};
const times = (a: TrackedPose['orientation'], b: TrackedPose['orientation']): TrackedPose['orientation'] => ({
  w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
  x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
  y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
  z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
});
const poseOf = (at: Vector, orientation = turn([0, 1, 0], 0)): TrackedPose => ({
  position: { x: at[0], y: at[1], z: at[2] },
  orientation,
});
const UPRIGHT = poseOf([0, 0, 0]);
const FLAT = poseOf([0, 0, 0], turn([1, 0, 0], -Math.PI / 2));

/** Tool displacement requested by a hand that closed at `from` and moved to `to`: x, y, z, yaw. */
function gone(from: TrackedPose, to: TrackedPose, viewer = UPRIGHT, options = behind): readonly number[] {
  const hand = new TrackedHand(action.dimensions);
  hand.update(from, viewer, true, options);
  hand.update(to, viewer, true, options);
  return hand.pose.at;
}

function expectNear(given: readonly number[], wanted: readonly number[]): void {
  wanted.forEach((value, i) => {
    expect(given[i]).toBeCloseTo(value, 9);
  });
}

describe('a tracked hand', () => {
  it.each([
    ['away from the person is forward', [0, 0, -0.1], [0.1, 0, 0]],
    ['to the left is left', [-0.1, 0, 0], [0, 0.1, 0]],
    ['up is up', [0, 0.1, 0], [0, 0, 0.1]],
  ] as const)('moves the tool as a person behind the robot sees it: %s', (_, to, wanted) => {
    expectNear(gone(UPRIGHT, poseOf(to)), [...wanted, 0]);
  });

  it.each([
    ['an upright phone', turn([0, 1, 0], 0.7)],
    ['a phone that lies flat', times(turn([0, 1, 0], 0.7), FLAT.orientation)],
    ['a phone held half way', times(turn([0, 1, 0], 0.7), turn([1, 0, 0], -0.8))],
  ])('takes for forward where the person looks: %s', (_, looks) => {
    const viewer = poseOf([0, 0, 0], looks);
    const forward = poseOf([-Math.sin(0.7), 0, -Math.cos(0.7)]);
    expectNear(gone(UPRIGHT, forward, viewer), [1, 0, 0, 0]);
  });

  it.each([
    ['in front of the robot', Math.PI, [-1, 0, 0]],
    ['at its left', -Math.PI / 2, [0, -1, 0]],
  ] as const)('turns with where the person stands: %s', (_, facesRad, wanted) => {
    expectNear(gone(UPRIGHT, poseOf([0, 0, -1]), UPRIGHT, { scale: 1, facesRad }), wanted);
  });

  it('scales its way and not its turn, which is the one about the vertical', () => {
    const from = poseOf([1, 2, 3], turn([1, 2, -1], 1));
    const to = poseOf([1, 2.4, 3], times(turn([0, 1, 0], 0.5), from.orientation));
    expectNear(gone(from, to, UPRIGHT, { scale: 0.25, facesRad: 0 }), [0, 0, 0.1, 0.5]);
    const tilted = poseOf([1, 2, 3], times(turn([1, 0, 0], 0.5), from.orientation));
    expectNear(gone(from, tilted), [0, 0, 0, 0]);
  });

  it('begins nothing where nobody knows which way is forward, or where the hand is', () => {
    const hand = new TrackedHand(action.dimensions);
    hand.update(UPRIGHT, undefined, true, behind);
    expect(hand.pose.closing).toBe(0);
    hand.update(UPRIGHT, UPRIGHT, true, behind);
    expect(hand.pose.closing).toBe(0);
    hand.update(UPRIGHT, UPRIGHT, false, behind);
    hand.update(UPRIGHT, UPRIGHT, true, behind);
    expect(hand.pose.closing).toBe(1);
    hand.update(undefined, UPRIGHT, true, behind);
    expect(hand.pose.closing).toBe(0);
    // Tracked again while held: this is no new closing.
    hand.update(poseOf([5, 0, 0]), UPRIGHT, true, behind);
    expect(hand.pose).toEqual({ closing: 0, at: [0, 0, 0, 0] });
  });

  it('keeps its scale until it is closed anew', () => {
    const hand = new TrackedHand(action.dimensions);
    hand.update(UPRIGHT, UPRIGHT, true, behind);
    hand.update(poseOf([0, 1, 0]), UPRIGHT, true, { scale: 0.1, facesRad: 0 });
    expectNear(hand.pose.at, [0, 0, 1, 0]);
  });

  it('follows where a hand can move something', () => {
    expect(canFollowHand(action)).toBe(true);
    expect(canFollowHand({ kind: 'joint', dimensions: [{ name: 'x' }] })).toBe(false);
    expect(canFollowHand({ kind: 'cartesian', dimensions: [{ name: 'grip' }] })).toBe(false);
  });

  it('taken up from 100 poses, and again from anywhere after each letting go, makes no step', () => {
    const number = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
    const anyPose = fc
      .tuple(fc.tuple(number(3), number(3), number(3)), number(1), number(1), number(1), number(3))
      .map(([at, x, y, z, rad]) => poseOf(at, turn([x, y, z + 2], rad)));
    const way = fc.tuple(number(0.03), number(0.03), number(0.03));
    const taking = fc.record({ pose: anyPose, way, facesRad: number(3) });
    let followed = 0;
    fc.assert(
      fc.property(fc.array(taking, { minLength: 100, maxLength: 100 }), (takings) => {
        const clock = new FakeClock(1_000_000_000n);
        const teleop = new BrowserTeleop({ action, clock });
        const clutch = new Clutch(action);
        const hand = new TrackedHand(action.dimensions);
        const tool = [0.4, 0, 0.3, 0];
        const command: TeleopCommand = { active: false, action: new Float32Array(4), phase: 'correct' };
        const step = (pose: TrackedPose, isHeld: boolean, options: HandOptions): readonly number[] => {
          clock.advanceMs(100);
          hand.update(pose, UPRIGHT, isHeld, options);
          const moved = hand.pose;
          const isEnabled = moved.closing !== 0;
          const zeros = [0, 0, 0, 0];
          const input = { isEnabled, isRecovering: false, action: zeros, pose: moved };
          teleop.onInput({ shownAtS: clock.nowS(), ...input });
          teleop.poll(new Float32Array(1), 0, command);
          clutch.apply(command, tool);
          command.action.forEach((value, i) => {
            tool[i]! += value * action.dimensions[i]!.scale;
          });
          return Array.from(command.action);
        };
        expect(teleop.begin({ shownAtS: clock.nowS(), device: 'webxr phone' })).toBe(true);
        for (const [i, { pose, way: by, facesRad }] of takings.entries()) {
          const options = { scale: 1, facesRad };
          expect(step(pose, true, options)).toEqual([0, 0, 0, 0]);
          const before = tool.slice();
          const { x, y, z } = pose.position;
          const there = poseOf([x + by[0], y + by[1], z + by[2]], pose.orientation);
          for (let n = 0; n < 4; n++)
            expect(step(there, true, options).every((value) => Math.abs(value) <= 1)).toBe(true);
          const went = Math.hypot(...[0, 1, 2].map((k) => tool[k]! - before[k]!));
          expect(went).toBeCloseTo(Math.hypot(...by), 5);
          if (went > 0.01) followed++;
          // Carried elsewhere with an open clutch: no motion.
          if (i % 2 === 0) expect(step(poseOf([9, 9, 9]), false, options)).toEqual([0, 0, 0, 0]);
          // Released and closed again between two messages: the opening is never sent.
          else hand.update(poseOf([9, 9, 9]), UPRIGHT, false, options);
        }
      }),
      { numRuns: 5 },
    );
    expect(followed).toBeGreaterThan(50);
  });
});
