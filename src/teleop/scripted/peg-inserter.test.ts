import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActionSpec, ObservationSpec } from '../../model/index.ts';
import { PegInserter, type PegInserterOptions } from './peg-inserter.ts';

const observation: ObservationSpec = {
  frames: 2,
  fields: [
    { name: 'hole_offset', size: 3, unit: 'm / 0.03', frame: 'base' },
    { name: 'yaw_offset', size: 1, unit: 'rad / 0.2', frame: 'base' },
    { name: 'force', size: 3, unit: 'tanh(N / 10)', frame: 'base' },
    { name: 'torque', size: 3, unit: 'tanh(N*m / 0.5)', frame: 'base' },
  ],
};
const SIZE = 10;

function inserter(options: Partial<PegInserterOptions> = {}): PegInserter {
  return new PegInserter({
    observation,
    action: {
      kind: 'cartesian',
      dimensions: [
        { name: 'x', scale: 0.01, unit: 'm' },
        { name: 'y', scale: 0.01, unit: 'm' },
        { name: 'z', scale: 0.01, unit: 'm' },
        { name: 'yaw', scale: 0.06, unit: 'rad' },
      ],
    },
    spiralPitchM: 0.0015,
    searchStepM: 0.003,
    searchRadiusM: 0.0045,
    tremor: 0.05,
    seed: 1,
    ...options,
  });
}

/** Returns the observation with the estimate `offsetM` away and a force; the older frame is invalid. */
function seen(offsetM: readonly number[], forceN: readonly number[] = [0, 0, 0], yawRad = 0): Float32Array {
  const frame = [...offsetM.map((m) => m / 0.03), yawRad / 0.2, ...forceN.map((n) => Math.tanh(n / 10)), 0, 0, 0];
  return Float32Array.from([...Array(SIZE).fill(-7), ...frame]);
}

const value = fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom(-1, 1, 0, -50, 50));
const observations = fc.array(fc.array(value, { minLength: 2 * SIZE, maxLength: 2 * SIZE }), { maxLength: 60 });

describe("the scripted operator's hand", () => {
  it('does the same where it sees the same, changes nothing that it sees, and stays within [−1, 1]', () => {
    fc.assert(
      fc.property(
        observations,
        fc.constantFrom('above' as const, 'in contact' as const),
        fc.nat(),
        (seenByBoth, start, seed) => {
          const [one, other] = [inserter({ seed }), inserter({ seed })];
          one.begin(start);
          other.begin(start);
          const [a, b] = [new Float32Array(4), new Float32Array(4)];
          for (const numbers of seenByBoth) {
            const given = Float32Array.from(numbers);
            one.act(given, a);
            expect(given).toEqual(Float32Array.from(numbers));
            other.act(given, b);
            expect(a).toEqual(b);
            expect([...a].every((x) => x >= -1 && x <= 1)).toBe(true);
          }
        },
      ),
    );
  });

  it('goes above the estimate before it goes down, and turns to it', () => {
    const hand = inserter({ tremor: 0 });
    hand.begin('above');
    const out = new Float32Array(4);
    hand.act(seen([0.02, -0.005, -0.04], [0, 0, 0], -0.03), out);
    expect([...out]).toEqual([1, -0.5, 0, -0.5].map((x) => expect.closeTo(x, 5)));
    hand.act(seen([0.001, -0.001, -0.03]), out);
    expect(out[2]).toBe(-1);
  });

  it('moves each axis the same whatever the order of the dimensions, and by the scale of each', () => {
    const dimensions = [
      { name: 'x', scale: 0.01, unit: 'm' as const },
      { name: 'y', scale: 0.02, unit: 'm' as const },
      { name: 'z', scale: 0.005, unit: 'm' as const },
      { name: 'yaw', scale: 0.06, unit: 'rad' as const },
    ];
    const order = [3, 0, 2, 1];
    const straight: ActionSpec = { kind: 'cartesian', dimensions };
    const mixed: ActionSpec = { kind: 'cartesian', dimensions: order.map((k) => dimensions[k]!) };
    fc.assert(
      fc.property(observations, fc.nat(), (seenByBoth, seed) => {
        const [one, other] = [inserter({ seed, action: straight }), inserter({ seed, action: mixed })];
        const [a, b] = [new Float32Array(4), new Float32Array(4)];
        for (const numbers of seenByBoth) {
          one.act(Float32Array.from(numbers), a);
          other.act(Float32Array.from(numbers), b);
          expect([...b]).toEqual(order.map((k) => a[k]));
        }
      }),
    );
    const hand = inserter({ tremor: 0, action: straight });
    hand.begin('above');
    const out = new Float32Array(4);
    hand.act(seen([0.005, -0.005, -0.04], [0, 0, 0], -0.03), out);
    expect([out[0], out[1], out[3]]).toEqual([0.5, -0.25, -0.5].map((x) => expect.closeTo(x, 5)));
  });

  it('needs the axes that it moves', () => {
    const action: ActionSpec = { kind: 'cartesian', dimensions: [{ name: 'x', scale: 0.01, unit: 'm' }] };
    expect(() => inserter({ action })).toThrow('"y"');
  });

  it('looks at the newest frame only', () => {
    const [one, other] = [inserter(), inserter()];
    const [a, b] = [new Float32Array(4), new Float32Array(4)];
    const newer = seen([0.01, 0.002, -0.02]);
    one.act(newer, a);
    newer.fill(3, 0, SIZE);
    other.act(newer, b);
    expect(a).toEqual(b);
  });

  it('lifts first where it takes over in contact, and calls only that recovering', () => {
    const hand = inserter({ tremor: 0 });
    const out = new Float32Array(4);
    const takeOver = (): unknown[] =>
      Array.from({ length: 6 }, () => {
        const isRecovering = hand.isRecovering;
        hand.act(seen([0, 0, -0.001], [0, 0, 6]), out);
        return [isRecovering, out[2]! > 0];
      });
    for (let times = 0; times < 2; times++) {
      hand.begin('in contact');
      const steps = takeOver();
      expect(steps.slice(0, 3)).toEqual(Array(3).fill([true, true]));
      expect(steps.at(-1)).toEqual([false, false]);
    }
    hand.begin('above');
    expect(hand.isRecovering).toBe(false);
  });

  it('searches all around the estimate while it presses gently, and pushes once the peg drops', () => {
    const hand = inserter({ tremor: 0 });
    hand.begin('above');
    const out = new Float32Array(4);
    hand.act(seen([0, 0, -0.004]), out);
    const wanted: [number, number][] = [];
    for (let i = 0; i < 60; i++) {
      hand.act(seen([0, 0, 0.0005], [0, 0, 6]), out);
      wanted.push([out[0]! * 0.01, out[1]! * 0.01]);
      expect(Math.abs(out[2]!)).toBeLessThan(0.1);
    }
    const quadrants = new Set(wanted.map(([x, y]) => `${Math.sign(x)} ${Math.sign(y)}`));
    for (const quadrant of ['1 1', '1 -1', '-1 1', '-1 -1']) expect(quadrants).toContain(quadrant);
    const radii = wanted.map(([x, y]) => Math.hypot(x, y));
    expect(Math.max(...radii)).toBeLessThan(0.0045);
    expect(Math.max(...radii)).toBeGreaterThan(0.002);
    hand.act(seen([0, 0, 0.004], [0, 0, 0]), out);
    expect(out[2]).toBeCloseTo(-0.6, 5);
  });

  it('lifts and starts again where a push gets nowhere', () => {
    const hand = inserter({ tremor: 0 });
    hand.begin('above');
    const out = new Float32Array(4);
    for (const z of [-0.004, 0, 0.004]) hand.act(seen([0, 0, z], [0, 0, z === 0 ? 5 : 0]), out);
    let steps = 0;
    while (!hand.isRecovering && steps < 30) {
      hand.act(seen([0, 0, 0.004], [0, 0, 15]), out);
      steps++;
    }
    expect(steps).toBeGreaterThan(3);
    expect(steps).toBeLessThan(12);
  });

  it('needs the fields that it goes by', () => {
    const fields = observation.fields.filter((field) => field.name !== 'torque');
    expect(() => inserter({ observation: { ...observation, fields } })).toThrow('"torque"');
  });
});
