import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ActionSpec, Rng } from '../model/index.ts';
import { WaypointPolicy } from './waypoint-policy.ts';

const action: ActionSpec = {
  kind: 'cartesian',
  dimensions: [
    { name: 'x', scale: 0.02, unit: 'm' },
    { name: 'y', scale: 0.01, unit: 'm' },
    { name: 'yaw', scale: 0.1, unit: 'rad' },
  ],
};
const noise = { rng: new Rng(1), purpose: 'evaluate' } as const;
const metres = fc.double({ min: -0.3, max: 0.3, noNaN: true });
const target = fc.tuple(metres, metres, fc.constantFrom(Number.NaN, 0.4));

it('goes through all targets in their order, in straight lines at its pace, and leaves alone what no target names', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(target, { minLength: 1, maxLength: 4 }),
      fc.double({ min: 0.1, max: 1, noNaN: true }),
      async (way, pace) => {
        const robot = [0, 0, 1];
        const policy = new WaypointPolicy({ action, reference: () => robot, way, pace });
        const out = new Float32Array(3);
        const isThere = (at: readonly number[]): boolean =>
          action.dimensions.every(({ scale }, i) => !(Math.abs(at[i]! - robot[i]!) > 0.05 * scale + 1e-9));
        let next = 0;
        for (let step = 0; step < 5000; step++) {
          while (next < way.length && isThere(way[next]!)) next++;
          if (policy.isDone) break;
          await policy.decide(new Float32Array(0), noise, out);
          expect(Math.max(...out.map(Math.abs))).toBeLessThanOrEqual(pace + 1e-6);
          for (const [i, { scale }] of action.dimensions.entries()) robot[i]! += out[i]! * scale;
        }
        expect(policy.isDone).toBe(true);
        expect(next).toBe(way.length);
        if (way.every(([, , yaw]) => Number.isNaN(yaw))) expect(robot[2]).toBe(1);
      },
    ),
  );
});
