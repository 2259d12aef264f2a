import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import type { RobotModel, SeparationModel } from '../../model/index.ts';
import { OBSTACLE_INSIDE } from '../fault-table/flags.ts';
import { reckonedStops, SeparationWatch, separationM } from './separation.ts';

const separation: SeparationModel = {
  humanSpeedMPerS: 1.6,
  reactionS: 0.1,
  intrusionM: 0.2,
  uncertaintyM: 0.05,
  freshnessMs: 100,
  stops: [
    { speedMPerS: 0.1, timeS: 0.1, distanceM: 0.01 },
    { speedMPerS: 0.5, timeS: 0.4, distanceM: 0.12 },
    { speedMPerS: 0.25, timeS: 0.2, distanceM: 0.04 },
  ],
};
const arm: RobotModel = { ...oddArm3, toolSpeedMaxMPerS: 0.5, separation };
const TICK_S = 0.02;
/** Distances required for 0.1, 0.25 and 0.5 m/s. */
const [SLOW_M, MIDDLE_M, FAST_M] = [0.59, 0.795, 1.22];

/** A separation watch and its sensor. */
class Stand {
  readonly watch: SeparationWatch;
  readonly distance: Float64Array = Float64Array.of(Number.NaN, 0);
  nowS = 10;

  constructor(model: RobotModel = arm) {
    this.watch = new SeparationWatch(model);
  }

  /** Runs this many ticks with a new reading in each; returns the flags of the last. */
  see(distanceM: number, ticks = 1): number {
    let flags = 0;
    for (let k = 0; k < ticks; k++) {
      this.distance[0] = distanceM;
      this.distance[1]!++;
      flags = this.tick();
    }
    return flags;
  }

  tick(): number {
    this.nowS += TICK_S;
    return this.watch.check(this.distance, this.nowS);
  }
}

it('the formula is that of ISO/TS 15066', () => {
  expect(separationM(separation, { speedMPerS: 0.5, timeS: 0.4, distanceM: 0.12 })).toBeCloseTo(
    1.6 * (0.1 + 0.4) + 0.5 * 0.1 + 0.12 + 0.2 + 0.05,
    12,
  );
});

describe('the speed that is allowed', () => {
  it.each([
    [SLOW_M - 0.001, 0, OBSTACLE_INSIDE],
    [SLOW_M + 0.001, 0.1, 0],
    [MIDDLE_M - 0.001, 0.1, 0],
    [MIDDLE_M + 0.001, 0.25, 0],
    [FAST_M - 0.001, 0.25, 0],
    [FAST_M + 0.001, 0.5, 0],
    [Number.POSITIVE_INFINITY, 0.5, 0],
    [Number.NaN, 0, OBSTACLE_INSIDE],
    [Number.NEGATIVE_INFINITY, 0, OBSTACLE_INSIDE],
  ])('at %d m is %d m/s', (distanceM, speed, flags) => {
    const stand = new Stand();
    expect(stand.see(distanceM, 40)).toBe(flags);
    expect(stand.watch.toolSpeedMPerS).toBe(speed);
  });

  it('falls at once, and comes back when there has been room for half a second', () => {
    const stand = new Stand();
    stand.see(3, 40);
    stand.see(0.9);
    expect(stand.watch.toolSpeedMPerS).toBe(0.25);
    stand.see(3, 20);
    expect(stand.watch.toolSpeedMPerS).toBe(0.25);
    stand.see(0.9);
    stand.see(3, 25);
    expect(stand.watch.toolSpeedMPerS).toBe(0.25);
    stand.see(3, 2);
    expect(stand.watch.toolSpeedMPerS).toBe(0.5);
  });

  it('falls with the age of a reading, as somebody may have come meanwhile, and is none from 100 ms on', () => {
    const stand = new Stand();
    stand.see(FAST_M + 0.05, 40);
    expect(stand.tick()).toBe(0);
    expect(stand.watch.toolSpeedMPerS).toBe(0.5);
    stand.tick();
    expect(stand.watch.toolSpeedMPerS).toBe(0.25);
    const flags = [stand.tick(), stand.tick(), stand.tick(), stand.tick()];
    expect(flags.at(-1)).toBe(OBSTACLE_INSIDE);
    expect(stand.watch.toolSpeedMPerS).toBe(0);
  });

  it('is none before the first reading, and without a sensor', () => {
    const stand = new Stand();
    expect(stand.watch.toolSpeedMPerS).toBe(0);
    expect(stand.watch.check(undefined, 20)).toBe(OBSTACLE_INSIDE);
    expect(stand.watch.toolSpeedMPerS).toBe(0);
  });

  it('is not limited where nobody is to be watched for', () => {
    const watch = new SeparationWatch(oddArm3);
    expect(watch.check(undefined, 20)).toBe(0);
    expect(watch.toolSpeedMPerS).toBe(Number.POSITIVE_INFINITY);
  });

  it('of a faster stop needs no less room than that of a slower one, whatever was measured', () => {
    const stops = [
      { speedMPerS: 0.1, timeS: 0.8, distanceM: 0.1 },
      { speedMPerS: 0.5, timeS: 0.1, distanceM: 0.01 },
    ];
    const stand = new Stand({ ...arm, separation: { ...separation, stops } });
    expect(stand.see(1, 40)).toBe(OBSTACLE_INSIDE);
  });

  it('never needs more room than there truly is, whoever walks how, and whenever the sensor measures', () => {
    const walk = fc.array(fc.record({ speed: fc.double({ min: -1.6, max: 1.6, noNaN: true }), sees: fc.boolean() }), {
      minLength: 20,
      maxLength: 200,
    });
    fc.assert(
      fc.property(fc.double({ min: 0.2, max: 3, noNaN: true }), walk, (startM, steps) => {
        const stand = new Stand();
        let trueM = startM;
        stand.see(trueM);
        for (const { speed, sees } of steps) {
          trueM -= speed * TICK_S;
          if (sees) stand.see(trueM);
          else stand.tick();
          const stop = separation.stops!.find(({ speedMPerS }) => speedMPerS === stand.watch.toolSpeedMPerS);
          if (stop !== undefined) expect(separationM(separation, stop)).toBeLessThanOrEqual(trueM + 1e-9);
        }
      }),
      { numRuns: 100 },
    );
  });
});

it('stops that nothing has measured are reckoned with the whole of the way at full speed', () => {
  const stops = reckonedStops(arm);
  expect(stops.map(({ speedMPerS }) => speedMPerS)).toEqual([0.125, 0.25, 0.5]);
  for (const { speedMPerS, timeS, distanceM } of stops) {
    expect(timeS).toBeGreaterThan(Math.max(...arm.joints.map((j) => j.velocityMaxRadPerS / j.accelMaxRadPerS2)));
    expect(distanceM).toBeCloseTo(speedMPerS * timeS, 12);
  }
});
