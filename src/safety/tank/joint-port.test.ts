import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import { bookedJ, bookedWithBrakeJ, injectedJ, sentJ, withBrakeJ } from '../../../tests/support/spring-costs.ts';
import { springsJ } from '../../../tests/support/springs.ts';
import { times } from '../../../tests/support/times.ts';
import { Rng, type RobotModel, type TankModel } from '../../model/index.ts';
import { brakeStep, writeBrakeRate } from '../limits/brake.ts';
import { JointPort } from './joint-port.ts';
import { DISSIPATED, RELEASED } from './port.ts';

const tank: TankModel = {
  startJ: 2,
  minJ: 0.1,
  maxJ: 4,
  powerMaxW: 80,
  recovery: 0.9,
  topUpW: 0,
  velocityFeedForward: false,
  delayTicks: 0,
};

function modelWith(changes: Partial<TankModel> = {}, servo: Partial<RobotModel['joints'][number]> = {}): RobotModel {
  return {
    ...oddArm3,
    controlHz: 100,
    joints: oddArm3.joints.map((joint) => ({ ...joint, ...servo })),
    tank: { ...tank, ...changes },
  };
}

const T = 0.01;

function brakeRate(model: RobotModel, velocity: Float64Array): number {
  const rate = new Float64Array(1);
  writeBrakeRate(rate, model, velocity);
  return rate[0]!;
}
const near = fc.array(fc.double({ min: -0.4, max: 0.4, noNaN: true }), { minLength: 3, maxLength: 3 });
const shape = fc.record({
  velocityFeedForward: fc.boolean(),
  delayTicks: fc.integer({ min: 0, max: 3 }),
  k: fc.double({ min: 5, max: 500, noNaN: true }),
  d: fc.double({ min: 0, max: 20, noNaN: true }),
  seed: fc.integer(),
});
type Shape = typeof shape extends fc.Arbitrary<infer S> ? S : never;

/** A port in the middle of operation. */
function busyPort(
  { k, d, seed, ...changes }: Shape,
  ticks = 5,
  encoderNoiseRad = 0,
): { port: JointPort; rng: Rng; q: Float64Array } {
  const port = new JointPort(modelWith(changes, { stiffnessNmPerRad: k, dampingNmSPerRad: d, encoderNoiseRad }));
  const rng = new Rng(seed);
  const q = new Float64Array(3);
  port.restAt(q);
  for (let i = 0; i < ticks; i++) {
    for (let j = 0; j < 3; j++) q[j] = q[j]! + rng.uniformIn(-0.02, 0.02);
    port.begin(q, rng.uniform() < 0.9, Float64Array.of(T));
    port.send(port.sentRad.map((each) => each + rng.uniformIn(-0.02, 0.02)));
  }
  return { port, rng, q };
}

describe('the joint port', () => {
  it('books exactly what a moved set-point puts into the springs', () => {
    const model = modelWith();
    const port = new JointPort(model);
    port.restAt([0, 0, 0]);
    port.begin([0.01, -0.02, 0.3], true, Float64Array.of(T));
    const to = [0.05, 0, -0.1];
    const before = springsJ(model, [0, 0, 0], [0.01, -0.02, 0.3]);
    const after = springsJ(model, to, [0.01, -0.02, 0.3]);
    expect(injectedJ(port, to)).toBeCloseTo(after - before, 12);
    expect(sentJ(port, to)).toBeCloseTo(after - before, 12);
    expect([...port.sentRad]).toEqual(to);
    // The second time it is already there.
    expect(bookedJ(port, to)).toBe(0);
  });

  it('knows how far a servo with feed-forward leads', () => {
    const model = modelWith({ velocityFeedForward: true });
    const port = new JointPort(model);
    port.restAt([0, 0, 0]);
    port.begin([0, 0, 0], true, Float64Array.of(T));
    const lead = (1 / 20) * 100;
    expect(sentJ(port, [0.001, 0, 0])).toBeCloseTo(springsJ(model, [0.001 * (1 + lead), 0, 0], [0, 0, 0]), 12);
    port.begin([0, 0, 0], true, Float64Array.of(T));
    // Standing still removes the lead.
    expect(sentJ(port, [0.001, 0, 0])).toBeLessThan(0);
  });

  it('books at most τ_max·|Δs| where nobody knows where the robot is', () => {
    const port = new JointPort(modelWith());
    port.restAt([0, 0, 0]);
    port.begin([0, 0, 0], false, Float64Array.of(T));
    expect(sentJ(port, [0.01, -0.02, 0])).toBeCloseTo(5 * 0.03, 12);
    port.begin([0.3, 0, 0], true, Float64Array.of(T));
    port.begin([0.3, 0.01, 0], true, Float64Array.of(T));
    expect(port.costJ[DISSIPATED]!).toBeGreaterThan(0);
  });

  it('settles what it booked without a reading at the next one, at the worst place between the two', () => {
    const model = modelWith();
    const port = new JointPort(model);
    port.restAt([0, 0, 0]);
    port.begin([0.01, 0, 0], true, Float64Array.of(T));
    port.begin([0, 0, 0], false, Float64Array.of(T));
    const booked = sentJ(port, [0.02, -0.02, 0]);
    port.begin([0, 0, 0], false, Float64Array.of(T));
    expect(port.costJ[RELEASED]).toBe(0);
    port.begin([0.015, 0.01, 0], true, Float64Array.of(T));
    const worstJ = springsJ(model, [0.02, -0.02, 0], [0.01, 0.01, 0]) - springsJ(model, [0, 0, 0], [0.01, 0.01, 0]);
    expect(port.costJ[RELEASED]).toBeCloseTo(booked - worstJ, 12);
    port.begin([0.015, 0.01, 0], true, Float64Array.of(T));
    expect(port.costJ[RELEASED]).toBe(0);
  });

  it('credits what happened between two readings over all the time between them', () => {
    const port = new JointPort(modelWith());
    port.restAt([0, 0, 0]);
    port.begin([0, 0, 0], true, Float64Array.of(T));
    port.begin([0.002, 0, 0], true, Float64Array.of(T));
    const oneJ = port.costJ[DISSIPATED]!;
    port.restAt([0, 0, 0]);
    port.begin([0, 0, 0], true, Float64Array.of(T));
    port.begin([0, 0, 0], false, Float64Array.of(T));
    expect(port.costJ[DISSIPATED]).toBe(0);
    port.begin([0.002, 0, 0], true, Float64Array.of(T));
    expect(port.costJ[DISSIPATED]).toBeCloseTo(oneJ / 2, 12);
  });

  it('leaves booked what it sent while it saw nothing for too long', () => {
    const port = new JointPort(modelWith());
    port.restAt([0, 0, 0]);
    port.begin([0, 0, 0], true, Float64Array.of(T));
    for (let k = 1; k <= 5; k++) {
      port.begin([0, 0, 0], false, Float64Array.of(T));
      port.send([k < 3 ? 0.001 * k : 0.002, 0, 0]);
    }
    port.begin([0.001, 0, 0], true, Float64Array.of(T));
    expect(port.costJ[RELEASED]).toBe(0);
    expect(port.costJ[DISSIPATED]).toBe(0);
  });

  it('always has something to send at no cost', () => {
    fc.assert(
      fc.property(shape, fc.boolean(), near, (drawn, isMeasured, q) => {
        const { port } = busyPort(drawn);
        port.begin(q, isMeasured, Float64Array.of(T));
        const hold = new Float64Array(3);
        port.writeHold(hold);
        expect(bookedJ(port, hold)).toBeLessThanOrEqual(1e-9);
      }),
    );
  });

  it('has costs that are convex in what is sent: between two that can be paid, all can', () => {
    fc.assert(
      fc.property(shape, near, near, near, fc.double({ min: 0, max: 1, noNaN: true }), (drawn, q, a, b, share) => {
        const { port } = busyPort(drawn);
        port.begin(q, true, Float64Array.of(T));
        const mix = a.map((each, i) => each + share * (b[i]! - each));
        for (const cost of [
          (each: number[]) => injectedJ(port, each),
          (each: number[]) => bookedJ(port, each),
          (each: number[]) => withBrakeJ(port, each, each, 0.1),
          (each: number[]) => bookedWithBrakeJ(port, each, each, 0.1),
        ]) {
          expect(cost(mix)).toBeLessThanOrEqual(cost(a) + share * (cost(b) - cost(a)) + 1e-9);
        }
      }),
    );
  });

  it('reckons with the whole brake: from where the robot stands still it costs no more', () => {
    fc.assert(
      fc.property(shape, near, near, (drawn, q, u) => {
        const noise = 0.002;
        const { port, rng } = busyPort({ ...drawn, delayTicks: 0 }, 5, noise);
        const model = modelWith({}, { stiffnessNmPerRad: drawn.k, dampingNmSPerRad: drawn.d });
        const read = () => q.map((each) => each + rng.uniformIn(-noise, noise));
        port.begin(read(), true, Float64Array.of(T));
        const velocity = Float64Array.from(u);
        const at = port.sentRad.map((each, i) => each + velocity[i]! * T);
        const mostJ = withBrakeJ(port, at, velocity, 0.5 / brakeRate(model, velocity));
        let sum = sentJ(port, at);
        while (velocity.some((each) => each !== 0)) {
          brakeStep(velocity, model, velocity.slice(), times(T));
          for (let i = 0; i < 3; i++) at[i] = at[i]! + velocity[i]! * T;
          port.begin(read(), true, Float64Array.of(T));
          sum += sentJ(port, at);
          expect(sum).toBeLessThanOrEqual(mostJ + 1e-9);
        }
      }),
    );
  });

  it('has booked at least what every set-point cost, whenever within its delay it came into force', () => {
    fc.assert(
      fc.property(shape, (drawn) => {
        const { delayTicks, velocityFeedForward, k, d } = drawn;
        const encoderNoiseRad = drawn.seed % 2 === 0 ? 0 : 0.05;
        const servo = { stiffnessNmPerRad: k, dampingNmSPerRad: d, encoderNoiseRad };
        const model = modelWith({ delayTicks, velocityFeedForward }, servo);
        const port = new JointPort(model);
        const rng = new Rng(drawn.seed);
        const lead = velocityFeedForward ? (d / k) * 100 : 0;
        const q = new Float64Array(3);
        port.restAt(q);
        const underWay: { readonly setPoint: Float64Array; age: number }[] = [];
        const inForce = new Float64Array(3);
        let booked = 0;
        let real = 0;
        const goal = new Float64Array(3);
        let isMeasured = true;
        for (let tick = 0; tick < 40; tick++) {
          // The robot may be pushed anywhere, but its positions between two readings lie between them.
          for (let i = 0; i < 3 && isMeasured; i++) goal[i] = q[i]! + rng.uniformIn(-0.3, 0.3);
          isMeasured = rng.uniform() < 0.8;
          for (let i = 0; i < 3; i++) q[i] = isMeasured ? goal[i]! : q[i]! + rng.uniform() * (goal[i]! - q[i]!);
          const read = q.map((each) => each + encoderNoiseRad * rng.uniformIn(-1, 1));
          port.begin(read, isMeasured, Float64Array.of(T));
          booked -= port.costJ[RELEASED]!;
          const before = port.sentRad.slice();
          const to = tick < 30 ? before.map((each) => each + rng.uniformIn(-0.1, 0.1)) : before.slice();
          booked += sentJ(port, to);
          underWay.push({ setPoint: to.map((each, i) => each + lead * (each - before[i]!)), age: 0 });
          // Some take effect at once, some late, none too late, and always in order.
          while (underWay.length > 0 && (underWay[0]!.age >= delayTicks || rng.uniform() < 0.3)) {
            const { setPoint } = underWay.shift()!;
            real += springsJ(model, setPoint, q) - springsJ(model, inForce, q);
            inForce.set(setPoint);
          }
          for (const each of underWay) each.age++;
          expect(booked).toBeGreaterThanOrEqual(real - 1e-9);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('credits a joint that stands nothing, however its readings jump within their noise', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 0.01, noNaN: true }), fc.integer(), (encoderNoiseRad, seed) => {
        const port = new JointPort(modelWith({}, { encoderNoiseRad }));
        const rng = new Rng(seed);
        port.restAt([0, 0, 0]);
        for (let tick = 0; tick < 40; tick++) {
          const jump = (): number => encoderNoiseRad * (tick % 3 === 0 ? rng.uniformIn(-1, 1) : 2 * rng.int(2) - 1);
          port.begin([jump(), jump(), jump()], rng.uniform() < 0.9, Float64Array.of(T));
          expect(port.costJ[DISSIPATED]).toBe(0);
          port.send([0, 0, 0]);
        }
      }),
    );
  });

  it('credits a joint in motion no more than its damper took out, and most of it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 2e-3, noNaN: true }),
        fc.double({ min: 0.2, max: 1, noNaN: true }),
        fc.integer(),
        (encoderNoiseRad, speed, seed) => {
          const port = new JointPort(modelWith({}, { encoderNoiseRad, stiffnessNmPerRad: 0.1 }));
          const rng = new Rng(seed);
          port.restAt([0, 0, 0]);
          let creditedJ = 0;
          const ticks = 60;
          for (let tick = 0; tick <= ticks; tick++) {
            const q = speed * T * tick + encoderNoiseRad * rng.uniformIn(-1, 1);
            port.begin([q, 0, 0], true, Float64Array.of(T));
            creditedJ += port.costJ[DISSIPATED]!;
            // Credited when the window ends: until here never more than was dissipated.
            expect(creditedJ).toBeLessThanOrEqual(speed * speed * T * tick + 1e-12);
            port.send([0, 0, 0]);
          }
          expect(creditedJ).toBeGreaterThan(0.5 * speed * speed * T * ticks);
        },
      ),
    );
  });

  it('never prices a step, nor a brake, lower than it costs with the joint anywhere that its reading allows', () => {
    fc.assert(
      fc.property(
        shape,
        near,
        near,
        near,
        fc.double({ min: 0, max: 0.02, noNaN: true }),
        (drawn, read, to, off, noise) => {
          const { k, d, seed, ...changes } = drawn;
          const servo = { stiffnessNmPerRad: k, dampingNmSPerRad: d, encoderNoiseRad: noise };
          const model = modelWith({ ...changes, velocityFeedForward: false, delayTicks: 0 }, servo);
          const port = new JointPort(model);
          port.restAt([0, 0, 0]);
          port.begin(read, true, Float64Array.of(T));
          const q = read.map((each, i) => each + (noise * off[i]!) / 0.4);
          const realJ = springsJ(model, to, q) - springsJ(model, [0, 0, 0], q);
          expect(bookedJ(port, to)).toBeGreaterThanOrEqual(realJ - 1e-9);
          expect(bookedWithBrakeJ(port, to, [0, 0, 0], 0)).toBeGreaterThanOrEqual(bookedJ(port, to) - 1e-9);
        },
      ),
    );
  });

  it('gives back at the end of the delay what a resting robot was booked too much', () => {
    const model = modelWith({ delayTicks: 2 });
    const port = new JointPort(model);
    port.restAt([0, 0, 0]);
    port.begin([0, 0, 0], true, Float64Array.of(T));
    expect(sentJ(port, [0.02, 0, 0])).toBeCloseTo(0.1, 12);
    const released: number[] = [];
    for (let i = 0; i < 3; i++) {
      port.begin([0, 0, 0], true, Float64Array.of(T));
      expect(port.isRelaxed).toBe(false);
      released.push(port.costJ[RELEASED]!);
      port.send([0.02, 0, 0]);
    }
    expect(released[0]).toBe(0);
    expect(released[1]).toBeCloseTo(0.1 - springsJ(model, [0.02, 0, 0], [0, 0, 0]), 12);
    expect(released[2]).toBe(0);
  });

  it('credits nothing while it has lost sight of what is in force', () => {
    const port = new JointPort(modelWith({ delayTicks: 1 }));
    port.restAt([0, 0, 0]);
    let q = 0;
    // Ticks without time: no window ends.
    for (let i = 0; i < 12; i++) {
      port.begin([0, 0, 0], true, Float64Array.of(0));
      port.send([0.001 * (i + 1), 0, 0]);
    }
    let blind = 0;
    let creditedJ = 0;
    for (let i = 0; i < 30; i++) {
      q += 1e-3;
      port.begin([q, 0, 0], true, Float64Array.of(T));
      creditedJ += port.costJ[DISSIPATED]!;
      if (creditedJ === 0) blind++;
    }
    expect(blind).toBeGreaterThanOrEqual(7);
    expect(blind).toBeLessThan(20);
    port.restAt([0, 0, 0]);
    // Readings may be a tick late: a window lasts five times that, of which one is uncertain.
    for (let tick = 0; tick <= 4; tick++) port.begin([0.001 * tick, 0, 0], true, Float64Array.of(T));
    expect(port.costJ[DISSIPATED]!).toBeCloseTo(0.004 ** 2 / (5 * T), 12);
    port.begin([0.005, 0, 0], true, Float64Array.of(Number.NaN));
    expect(port.costJ[DISSIPATED]!).toBe(0);
  });

  it('knows a robot at rest with nothing pulling at it', () => {
    const port = new JointPort(modelWith());
    port.restAt([0, 0, 0]);
    port.begin([0, 0, 0], true, Float64Array.of(T));
    expect(port.isRelaxed).toBe(false);
    port.begin([0, 0, 0], true, Float64Array.of(T));
    expect(port.isRelaxed).toBe(true);
    port.begin([0.0002, 0, 0], true, Float64Array.of(T));
    expect(port.isRelaxed).toBe(false);
    port.begin([0.1, 0, 0], true, Float64Array.of(T));
    port.begin([0.1, 0, 0], true, Float64Array.of(T));
    expect(port.isRelaxed).toBe(false);
  });

  it('takes up to half of a torque limit for weight where springs hold that up, and no more', () => {
    const isRelaxedAt = (model: RobotModel, shareOfLimit: number): boolean => {
      const { torqueMaxNm, stiffnessNmPerRad } = model.joints[0]!;
      const port = new JointPort(model);
      port.restAt([0, 0, 0]);
      const saggedRad = [(shareOfLimit * torqueMaxNm) / stiffnessNmPerRad, 0, 0];
      for (let tick = 0; tick < 3; tick++) port.begin(saggedRad, true, Float64Array.of(T));
      return port.isRelaxed;
    };
    const compensated = modelWith();
    const sagging = { ...compensated, gravityCompensated: false };
    expect([0.01, 0.03, 0.49, 0.51].map((share) => isRelaxedAt(compensated, share))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect([0.01, 0.03, 0.49, 0.51].map((share) => isRelaxedAt(sagging, share))).toEqual([true, true, true, false]);
  });

  it.each([
    [{ delayTicks: -1 }, {}],
    [{ delayTicks: 0.5 }, {}],
    [{}, { stiffnessNmPerRad: 0 }],
    [{}, { dampingNmSPerRad: -1 }],
    [{}, { torqueMaxNm: 0 }],
    [{}, { encoderNoiseRad: undefined }],
    [{}, { encoderNoiseRad: -1e-3 }],
  ])('refuses %o %o', (changes, servo) => {
    expect(() => new JointPort(modelWith(changes, servo))).toThrow(RangeError);
  });

  it('refuses a model without a tank', () => {
    expect(() => new JointPort(oddArm3)).toThrow(RangeError);
  });
});
