/** Whatever stops a robot at full speed, it stands within its bound: states, chain and watchdogs together, on lock-step time. */
import { describe, expect, it } from 'vitest';
import { MOCK_FAULTS } from '../../src/drivers/mock/mock-faults.ts';
import { Rng } from '../../src/model/index.ts';
import { FaultRig } from '../support/fault-rig.ts';
import { reactionBound } from '../support/reaction-bound.ts';
import { oddArm3, ur5eLike } from '../support/robot-models.ts';

const LEASE_S = 0.2;
const TRIALS = 60;
/** Free of walls and leashes, and of limits near by, so that full speed is reached. */
const roomy = [oddArm3, ur5eLike].map((model) => ({
  ...model,
  joints: model.joints.map((joint) => ({ ...joint, positionMinRad: -50, positionMaxRad: 50 })),
  workspace: { minM: [-2, -2, -2], maxM: [2, 2, 2] } as const,
  leashM: 20,
  leashRad: 20,
  contact: { forceMaxN: 100, torqueMaxNm: 10 },
}));

/** What may happen: each gives what it is seen by, s after it began. */
const CAUSES: Readonly<Record<string, (rig: FaultRig) => Promise<unknown> | unknown>> = {
  ...Object.fromEntries(
    (['stop', 'hold', 'disable'] as const).map((kind) => [kind, (rig: FaultRig) => rig.link.request({ kind })]),
  ),
  silence: () => undefined,
  NaN: (rig) => rig.push(Number.NaN),
  'a person who lets go': (rig) => rig.push(0, { decider: 'human', leaseS: 0.1 }),
  ...Object.fromEntries(
    MOCK_FAULTS.filter((fault) => !['absent', 'slow', 'late'].includes(fault)).map((fault) => [
      fault,
      (rig: FaultRig) => rig.driver.inject(fault, 1000),
    ]),
  ),
  'a tick held up': (rig) => {
    for (let k = 0; k < 4; k++) rig.clock.step();
  },
  overload: (rig) => {
    rig.timing.overruns += 20;
  },
};

describe.each(roomy)('$name at full speed', (model) => {
  const bound = reactionBound(model, LEASE_S);
  const T = 1 / model.controlHz;

  it.each(Object.entries(CAUSES))('stands within its bound after %s', async (_name, cause) => {
    const rng = new Rng(5);
    let slowestS = 0;
    for (let trial = 0; trial < TRIALS / Object.keys(CAUSES).length + 1; trial++) {
      const rig = await FaultRig.active({ model, scale: 0.09 });
      rig.push(0.3);
      await rig.link.advance(1);
      const direction = rng.uniform() < 0.5 ? -1 : 1;
      for (let step = 0; step < 4 + 8 * rng.uniform(); step++) {
        rig.push(direction * rng.uniformIn(0.3, 1));
        await rig.link.advance(Math.ceil(0.05 / T));
      }
      rig.push(direction);
      await rig.link.advance(1);
      await cause(rig);
      const ticks = await rig.ticksUntil(() => stands(rig), 600);
      expect(ticks).toBeGreaterThanOrEqual(0);
      slowestS = Math.max(slowestS, ticks * T);
      expect(rig.link.latest.violations).toBe(0);
    }
    expect(slowestS).toBeLessThanOrEqual(bound.totalS + T);
  });
});

describe('the bound of a reaction', () => {
  it('is the sum of what passes until standstill, with the slowest brake of all joints', () => {
    const { detectionS, tickS, busS, brakeS, totalS } = reactionBound(oddArm3, 0.2);
    expect([detectionS, tickS, busS]).toEqual([0.2, 0.04, 0.005]);
    expect(brakeS).toBeCloseTo(0.9 / 1.5, 12);
    expect(totalS).toBeCloseTo(0.2 + 0.04 + 0.005 + 0.6, 12);
  });

  it('lets each joint go at full speed until it brakes, and half as far while it does', () => {
    const { distance } = reactionBound(oddArm3, 0.2);
    expect(distance).toEqual([1.2, 0.9, 3].map((speed) => expect.closeTo(speed * (0.245 + 0.6 / 2), 12)));
  });
});

/** The reference stands, or the torque is off. */
function stands(rig: FaultRig): boolean {
  const { latest } = rig.link;
  if (latest.state === 'fault' || latest.state === 'standby') return true;
  const last = (rig as { last?: Float64Array }).last;
  const isStill = last !== undefined && latest.referenceRad.every((q, i) => q === last[i]);
  (rig as { last?: Float64Array }).last = Float64Array.from(latest.referenceRad);
  return isStill;
}

describe('the reaction bound', () => {
  it('adds what passes until it is seen, two ticks, the bus, and the longest brake', () => {
    const { totalS, brakeS, distance } = reactionBound(oddArm3, 0.2);
    expect(brakeS).toBeCloseTo(0.9 / 1.5, 9);
    expect(totalS).toBeCloseTo(0.2 + 0.04 + 0.005 + 0.6, 9);
    expect(distance[0]).toBeCloseTo(1.2 * (0.845 - 0.3), 9);
    expect(() => reactionBound(oddArm3, Number.NaN)).toThrow(RangeError);
  });
});
