import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { diffBase, oddArm3 } from '../../../tests/support/robot-models.ts';
import type { RobotModel } from '../../model/index.ts';
import { FROZEN_READING, STALLED, TRACKING_ERROR } from '../fault-table/flags.ts';
import { FollowingWatchdog } from './following.ts';

const DT_S = 0.02;

/** A model whose tool error does not mask the checks of single joints. */
const shortArm: RobotModel = {
  ...oddArm3,
  joints: oddArm3.joints.map((joint) => ({ ...joint, originXyzM: [0, 0, 0] as const })),
  tool: { originXyzM: [0, 0, 0], originRpyRad: [0, 0, 0] },
};

/** Joint `turn` moves at `speed`, the others stand. Returns the time, ms, of the first flag, and the flag. */
function run(options: {
  readonly model?: RobotModel;
  readonly referenceRadPerS: number;
  readonly read: (reference: number, tick: number) => number;
  readonly ticks?: number;
}): { ms: number; flags: number } | undefined {
  const dog = new FollowingWatchdog(options.model ?? shortArm);
  for (let tick = 0; tick <= (options.ticks ?? 200); tick++) {
    const reference = options.referenceRadPerS * tick * DT_S;
    const flags = dog.check([reference, 0, 0], [options.read(reference, tick), 0, 0], DT_S);
    if (flags !== 0) return { ms: Math.round(tick * DT_S * 1e3), flags };
  }
  return undefined;
}

// The joint's highest speed is 1.2 rad/s, a twentieth of it 0.06 rad/s.
describe('row 14, a frozen reading', () => {
  faultRow(14, 'fake', 'is seen 100 ms after a joint was asked to move at a twentieth of its speed', () => {
    expect(run({ referenceRadPerS: 0.0601, read: () => 0 })).toEqual({ ms: 100, flags: FROZEN_READING });
    expect(run({ referenceRadPerS: -1, read: () => 0.05 })).toEqual({ ms: 100, flags: FROZEN_READING });
  });

  it('is seen once slower motion has gone as far', () => {
    expect(run({ referenceRadPerS: 0.03, read: () => 0 })).toEqual({ ms: 200, flags: FROZEN_READING });
  });

  it('lets a coarse encoder stand until the reference is ten times its noise away', () => {
    const [first, ...others] = shortArm.joints;
    const coarse: RobotModel = { ...shortArm, joints: [{ ...first!, encoderNoiseRad: 0.00154 }, ...others] };
    // 0.0012 rad a tick: 0.0154 rad are reached in the 13th.
    expect(run({ model: coarse, referenceRadPerS: 0.06, read: () => 0 })).toEqual({ ms: 260, flags: FROZEN_READING });
    expect(run({ model: coarse, referenceRadPerS: 1, read: () => 0 })).toEqual({ ms: 100, flags: FROZEN_READING });
  });

  it('lets a joint stand in the dry friction of its file, and sees it frozen beyond', () => {
    const [first, ...others] = shortArm.joints;
    // A servo's torque reverses over 0.02 rad: from full friction to the opposite.
    const joint = { ...first!, encoderNoiseRad: 0.0001, dryFrictionNm: 0.01 * first!.stiffnessNmPerRad };
    const stuck = { ...shortArm, joints: [joint, ...others] };
    // 0.001 rad a tick: 0.03 rad are reached in the 30th.
    expect(run({ model: stuck, referenceRadPerS: 0.05, read: () => 0 })).toEqual({ ms: 600, flags: FROZEN_READING });
    expect(run({ model: stuck, referenceRadPerS: 1, read: () => 0 })).toEqual({ ms: 100, flags: FROZEN_READING });
  });

  it('lets a coarse encoder stand while its servo, which lags, turns round', () => {
    const [first, ...others] = shortArm.joints;
    const { stiffnessNmPerRad } = first!;
    const joint = { ...first!, encoderNoiseRad: 0.00154, dampingNmSPerRad: 0.04 * stiffnessNmPerRad };
    const model: RobotModel = { ...shortArm, joints: [joint, ...others], gravityCompensated: false };
    const dog = new FollowingWatchdog(model);
    let [reference, position, radPerS] = [0, 0, 0.2];
    for (let tick = 0; tick < 60; tick++) {
      if (tick > 25) radPerS = Math.max(radPerS - 2 * DT_S, -0.2);
      reference += radPerS * DT_S;
      for (let step = 0; step < 20; step++) {
        // Dry friction of 4 mrad of error.
        const error = reference - position;
        position += (Math.sign(error) * Math.max(0, Math.abs(error) - 0.004) * DT_S) / 20 / 0.04;
      }
      const counted = 0.00154 * Math.round(position / 0.00154);
      expect(dog.check([reference, 0, 0], [counted, 0, 0], DT_S), `tick ${tick}`).toBe(0);
    }
    // A frozen encoder is detected later by at most the lag: 0.0154 rad at 0.2 rad/s and 40 ms.
    expect(run({ model, referenceRadPerS: 0.2, read: () => 0 })).toEqual({ ms: 120, flags: FROZEN_READING });
  });

  it('is no fault while nothing is asked for, however long', () => {
    expect(run({ referenceRadPerS: 0, read: () => 0.1 })).toBeUndefined();
  });

  it('is no fault where the reading moves at all, as in contact', () => {
    expect(run({ referenceRadPerS: 0.5, read: (r) => Math.min(0.002, 0.01 * r), ticks: 15 })).toBeUndefined();
  });

  it('takes an encoder that flickers by a count for one that stands, and one that goes on for none', () => {
    const [first, ...others] = shortArm.joints;
    const countRad = 0.00154;
    const coarse: RobotModel = { ...shortArm, joints: [{ ...first!, encoderNoiseRad: countRad }, ...others] };
    const flickers = (_: number, tick: number): number => (tick % 2) * countRad;
    expect(run({ model: coarse, referenceRadPerS: 0.3, read: flickers })?.flags).toBe(FROZEN_READING);
    const creeps = (reference: number): number => Math.floor((0.3 * reference) / countRad) * countRad;
    expect(run({ model: coarse, referenceRadPerS: 0.3, read: creeps, ticks: 40 })).toBeUndefined();
  });

  it('takes noise below any encoder for standing still', () => {
    expect(run({ referenceRadPerS: 0.5, read: (_, tick) => (tick % 2) * 1e-7 })?.flags).toBe(FROZEN_READING);
  });

  it('begins anew after a restart, and lets no time pass for a broken period', () => {
    const dog = new FollowingWatchdog(shortArm);
    for (let tick = 0; tick < 5; tick++) expect(dog.check([tick * 0.02, 0, 0], [0, 0, 0], DT_S)).toBe(0);
    dog.restart();
    for (let tick = 5; tick < 10; tick++) expect(dog.check([tick * 0.02, 0, 0], [0, 0, 0], DT_S)).toBe(0);
    for (const broken of [Number.NaN, -1, 0]) expect(dog.check([0.2, 0, 0], [0, 0, 0], broken)).toBe(0);
    expect(dog.check([0.2, 0, 0], [0, 0, 0], DT_S)).toBe(FROZEN_READING);
  });

  it('gives a joint that stood for long the same time to begin', () => {
    const stoodTicks = 100;
    const dog = new FollowingWatchdog(shortArm);
    for (let tick = 0; tick <= stoodTicks; tick++) expect(dog.check([0, 0, 0], [0, 0, 0], DT_S)).toBe(0);
    for (let tick = 1; tick < 5; tick++) expect(dog.check([0.02 * tick, 0, 0], [0, 0, 0], DT_S)).toBe(0);
    expect(dog.check([0.1, 0, 0], [0, 0, 0], DT_S)).toBe(FROZEN_READING);
  });

  it('gives a joint the same time that stands with less than what breaks it loose', () => {
    const dog = new FollowingWatchdog(shortArm);
    const least = 0.05 * shortArm.joints[0]!.velocityMaxRadPerS * 0.1;
    for (let tick = 0; tick <= 100; tick++)
      expect(dog.check([Math.min(tick * 0.1, 0.9) * least, 0, 0], [0, 0, 0], DT_S)).toBe(0);
    for (let tick = 1; tick < 5; tick++) expect(dog.check([(0.9 + tick) * least, 0, 0], [0, 0, 0], DT_S)).toBe(0);
    expect(dog.check([6 * least, 0, 0], [0, 0, 0], DT_S)).toBe(FROZEN_READING);
  });

  it('asks nothing of a servo at its limit whose reference comes back to where it pulls less', () => {
    const [first, ...others] = shortArm.joints;
    const knee = 0.1;
    const model = { ...shortArm, joints: [{ ...first!, torqueMaxNm: knee * first!.stiffnessNmPerRad }, ...others] };
    const torqueNm = [model.joints[0]!.torqueMaxNm, 0, 0];
    const dog = new FollowingWatchdog(model);
    for (let tick = 0; tick < 20; tick++) {
      const reference = 0.19 - 0.004 * tick;
      expect(dog.check([reference, 0, 0], [0, 0, 0], DT_S, torqueNm)).toBe(0);
    }
    // Farther out than ever, it is asked to move again.
    let flags = 0;
    for (let tick = 0; tick < 10; tick++) flags |= dog.check([0.114 + 0.02 * tick, 0, 0], [0, 0, 0], DT_S, torqueNm);
    expect(flags & STALLED).toBe(STALLED);
  });

  it('takes what a joint is held by for a stall only after half a second, where its driver lets it pull with less than its limit', () => {
    const { torqueMaxNm, stiffnessNmPerRad } = shortArm.joints[0]!;
    // A cap so low that a servo reaches it long before the leash limits its reference.
    const capNm = 0.2 * torqueMaxNm;
    const dog = new FollowingWatchdog(shortArm, [capNm, 1e3, 1e3]);
    const flagsAt = (tick: number): number => {
      const aheadRad = Math.min(0.15, 0.01 * tick);
      const torqueNm = Math.min(capNm, aheadRad * stiffnessNmPerRad);
      return dog.check([aheadRad, 0, 0], [0, 0, 0], DT_S, [torqueNm, 0, 0]);
    };
    const ticks = Array.from({ length: 60 }, (_, tick) => flagsAt(tick)).findIndex((flags) => flags !== 0);
    expect(ticks * DT_S).toBeCloseTo(0.5, 1);
    expect(flagsAt(60)).toBe(STALLED);
  });

  it('gives the wheels of a base 500 ms', () => {
    const [first, ...others] = shortArm.joints;
    const base: RobotModel = { ...shortArm, joints: [{ ...first!, kind: 'path' }, ...others] };
    expect(run({ model: base, referenceRadPerS: 1, read: () => 0 })).toEqual({ ms: 500, flags: FROZEN_READING });
  });
});

describe('row 43, the tracking error', () => {
  faultRow(43, 'fake', 'is seen when it was more than 0.2 rad for 100 ms', () => {
    expect(run({ referenceRadPerS: 0, read: (_, tick) => 0.2001 + 1e-5 * tick })).toEqual({
      ms: 80,
      flags: TRACKING_ERROR,
    });
    expect(run({ referenceRadPerS: 0, read: (_, tick) => -0.1999 + 1e-5 * (tick % 2) })).toBeUndefined();
  });

  it('is forgiven when it was shorter', () => {
    expect(run({ referenceRadPerS: 0, read: (_, tick) => (tick % 5 === 0 ? 0 : 0.5) })).toBeUndefined();
  });

  it('means nothing for distances that a base has driven', () => {
    const [first, ...others] = shortArm.joints;
    const base: RobotModel = { ...shortArm, joints: [{ ...first!, kind: 'turn' }, ...others] };
    expect(run({ model: base, referenceRadPerS: 0.5, read: (r) => 0.5 * r })).toBeUndefined();
  });

  it('is 30 mm for a joint that slides', () => {
    const [first, ...others] = shortArm.joints;
    const slider: RobotModel = { ...shortArm, joints: [{ ...first!, kind: 'prismatic' }, ...others] };
    expect(run({ model: slider, referenceRadPerS: 0, read: (_, tick) => 0.0301 + 1e-5 * tick })?.flags).toBe(
      TRACKING_ERROR,
    );
    expect(run({ model: slider, referenceRadPerS: 0, read: (_, tick) => 0.0299 - 1e-5 * (tick % 2) })).toBeUndefined();
  });

  faultRow(43, 'fake', 'is 30 mm at the tool of a long arm, whatever its joints say, and nothing of a base', () => {
    const reachM = Math.hypot(...oddArm3.joints.slice(2).map((joint) => joint.originXyzM[0]), 0.25);
    const away = { referenceRadPerS: 0, read: (_: number, tick: number) => 0.15 + 1e-5 * tick };
    expect(reachM * 0.15).toBeGreaterThan(0.03);
    expect(run({ ...away, model: oddArm3 })).toEqual({ ms: 80, flags: TRACKING_ERROR });
    expect(run({ ...away, model: oddArm3, read: (_, tick) => 0.04 + 1e-5 * (tick % 2) })).toBeUndefined();
    expect(run({ ...away, model: diffBase })).toBeUndefined();
  });
});

describe('a joint that stands with torque, rows 14 and 37', () => {
  const [first] = shortArm.joints;
  const capNm = first!.torqueMaxNm;
  /** The first joint belongs to a gripper: it does not move the tool. */
  const withGripper: RobotModel = {
    ...shortArm,
    joints: shortArm.joints.map((joint, i) => (i === 1 ? { ...joint, parent: 'base' } : joint)),
  };

  /** All but the first joint stand; torque is the first one's. Returns all flags of 60 ticks. */
  function flagsOf(model: RobotModel, torqueNm: (errorRad: number) => number, radPerS = 0.5): number {
    const dog = new FollowingWatchdog(model);
    let flags = 0;
    for (let tick = 0; tick < 60; tick++) {
      const reference = radPerS * tick * DT_S;
      flags |= dog.check([reference, 0, 0], [0, 0, 0], DT_S, [torqueNm(reference), 0, 0]);
    }
    return flags;
  }
  const servo =
    ({ stiffnessNmPerRad }: RobotModel['joints'][number]) =>
    (errorRad: number): number =>
      Math.max(-capNm, Math.min(capNm, stiffnessNmPerRad * errorRad));

  faultRow(37, 'fake', 'one that gives all it may is stalled, after 100 ms, and not frozen', (promised) => {
    const dog = new FollowingWatchdog(shortArm);
    const torqueNm = promised('capShare') * capNm;
    const seen: number[] = [];
    for (let tick = 0; tick <= 5; tick++) seen.push(dog.check([0.02 * tick, 0, 0], [0, 0, 0], DT_S, [-torqueNm, 0, 0]));
    expect(seen).toEqual([0, 0, 0, 0, 0, STALLED]);
    expect(promised('afterS')).toBeCloseTo(5 * DT_S, 9);
  });

  it('is frozen with less torque, and where none is measured', () => {
    expect(flagsOf(shortArm, () => 0.89 * capNm) & (FROZEN_READING | STALLED)).toBe(FROZEN_READING);
    expect(flagsOf(shortArm, () => Number.NaN) & (FROZEN_READING | STALLED)).toBe(FROZEN_READING);
  });

  faultRow(14, 'fake', 'a gripper that presses on what it holds, by an encoder of coarse steps, is well', () => {
    const gripper = withGripper.joints[0]!;
    expect(flagsOf(withGripper, servo(gripper))).toBe(0);
    expect(flagsOf(withGripper, servo(gripper), -0.5)).toBe(0);
    // The same joint as part of the arm.
    expect(flagsOf(shortArm, servo(gripper)) & (STALLED | FROZEN_READING)).not.toBe(0);
  });

  faultRow(14, 'fake', 'a gripper whose encoder is frozen is seen by its torque, which is not that of pressing', () => {
    const gripper = withGripper.joints[0]!;
    expect(flagsOf(withGripper, () => 0) & FROZEN_READING).toBe(FROZEN_READING);
    expect(flagsOf(withGripper, (error) => 0.4 * servo(gripper)(error)) & FROZEN_READING).toBe(FROZEN_READING);
    expect(flagsOf(withGripper, (error) => -servo(gripper)(error)) & (FROZEN_READING | STALLED)).not.toBe(0);
  });

  faultRow(
    14,
    'fake',
    'one that pushes against something, by an encoder of coarse steps, is held and not frozen',
    () => {
      const law = servo(first!);
      // In addition to a weight, with half the stiffness in its file, and up to 0.9 of its cap.
      const pushing = (error: number): number =>
        0.2 * capNm + Math.sign(error) * Math.min(0.5 * Math.abs(law(error)), 0.6 * capNm);
      const reachRad = (0.5 * capNm) / first!.stiffnessNmPerRad;
      for (const way of [1, -1]) {
        const dog = new FollowingWatchdog(shortArm);
        let flags = 0;
        for (let tick = 0; tick < 25; tick++) {
          const reference = way * Math.min(0.02 * tick, reachRad);
          flags |= dog.check([reference, 0, 0], [0, 0, 0], DT_S, [pushing(reference), 0, 0]);
        }
        expect(flags & (FROZEN_READING | STALLED), `way ${way}`).toBe(0);
      }
      // Tolerated for 0.5 s: the servo's own encoder may have frozen while its joint runs.
      expect(flagsOf(shortArm, (error) => 0.5 * law(error), 0.1) & FROZEN_READING).toBe(FROZEN_READING);
      // A weight alone is no push, however heavy, and neither is a falling torque.
      expect(flagsOf(shortArm, () => 0.8 * capNm) & FROZEN_READING).toBe(FROZEN_READING);
      expect(flagsOf(shortArm, (error) => 0.5 * capNm - 0.3 * law(error)) & FROZEN_READING).toBe(FROZEN_READING);
    },
  );

  it('is held for longer where another joint, which stands too, has come near its cap since', () => {
    const law = servo(first!);
    const flagsWith = (otherShare: number): number => {
      const dog = new FollowingWatchdog(shortArm);
      let flags = 0;
      for (let tick = 0; tick < 60; tick++) {
        const reference = 0.1 * tick * DT_S;
        const otherNm = tick === 0 ? 0 : otherShare * shortArm.joints[1]!.torqueMaxNm;
        flags |= dog.check([reference, 0, 0], [0, 0, 0], DT_S, [0.5 * law(reference), otherNm, 0]);
      }
      return flags & (FROZEN_READING | STALLED);
    };
    expect(flagsWith(0.7)).toBe(0);
    expect(flagsWith(-0.7)).toBe(0);
    expect(flagsWith(0.6)).toBe(FROZEN_READING);
  });

  it('that presses harder than it may is stalled, gripper or not', () => {
    expect(flagsOf(withGripper, () => 1.2 * capNm) & STALLED).toBe(STALLED);
  });
});
