import { describe, expect, it } from 'vitest';
import { MOCK_FRAME } from '../../src/drivers/mock/mock-bus.ts';
import { brakeBegin, isAtFullSpeed, isStanding, motionOf, standstill } from './analysis.ts';
import type { BusFrame } from './listener-messages.ts';

const LIMIT = 3;
const PERIOD_S = 0.01;
/** For the brake below: more than the distance left after its first reference, less than that left before it. */
const BRAKE_WAY_RAD = 0.045;

/** References of an arm that moves at `speeds`, one per period, beginning at 100 ms. */
function at(speeds: readonly number[]): BusFrame[] {
  let rad = 0;
  return speeds.map((speed, i) => {
    rad += speed * PERIOD_S;
    return { kind: MOCK_FRAME.reference, atMs: 100 + 10 * i, valuesRad: [rad, 0.5] };
  });
}

const full = new Array<number>(10).fill(LIMIT);
const braking = [2.4, 1.8, 1.2, 0.6];
const stop = at([...full, ...braking, 0, 0, 0, 0, 0, 0]);

describe('an arm that should stand', () => {
  const standing = new Array<number>(60).fill(0);
  const moved = (speeds: readonly number[]) => motionOf(at([...standing, ...speeds, ...standing]));

  it('does, also where a guard that was held up takes the measured place for its reference', () => {
    expect(moved([])).toEqual({ changes: 0, farthestRad: 0 });
    expect(isStanding(moved([]))).toBe(true);
    expect(isStanding(moved([0.3]))).toBe(true);
  });

  it('does not where it goes farther, or little by little', () => {
    expect(moved([0.6]).farthestRad).toBeCloseTo(0.006, 9);
    expect(isStanding(moved([0.6]))).toBe(false);
    // 0.004 rad in all.
    expect(isStanding(moved(new Array<number>(40).fill(0.01)))).toBe(false);
  });
});

describe('what is read from a bus', () => {
  it('knows full speed, and what is nearly that', () => {
    expect(isAtFullSpeed(stop.slice(0, 10), LIMIT)).toBe(true);
    expect(isAtFullSpeed(stop.slice(0, 3), LIMIT)).toBe(false);
    expect(isAtFullSpeed(stop.slice(0, 11), LIMIT)).toBe(false);
    expect(isAtFullSpeed(at(full.map((speed) => 0.97 * speed)), LIMIT)).toBe(false);
  });

  it('finds the first slower reference, and the first that stands', () => {
    expect(brakeBegin(stop, 150, BRAKE_WAY_RAD)?.atMs).toBe(200);
    expect(standstill(stop, 150)?.atMs).toBe(240);
  });

  it('does not take a standstill of before the fault, nor one that was not seen to the end', () => {
    const stands = at([0, 0, 0, 0, 0, 0, ...full, ...braking, 0, 0, 0, 0]);
    expect(standstill(stands, 165)).toBeUndefined();
    expect(brakeBegin(stands, 165, BRAKE_WAY_RAD)).toBeUndefined();
  });

  it('is not misled by frames that came together after a hold-up', () => {
    const late = stop.map((frame, i) => (i >= 11 && i <= 13 ? { ...frame, atMs: 240 } : frame));
    expect(brakeBegin(late, 150, BRAKE_WAY_RAD)?.atMs).toBe(200);
  });

  it('sees the same beginning of a brake whatever the times at which references arrive', () => {
    // A late reference, just before the next: by arrival times the arm would be at six times its limit, in the middle of the brake.
    const jittery = stop.map((frame, i) => (i === 11 ? { ...frame, atMs: 218 } : frame));
    expect(brakeBegin(jittery, 150, BRAKE_WAY_RAD)?.atMs).toBe(200);
  });

  it('asks every joint to stand', () => {
    const wrist = stop.map((frame, i) => ({ ...frame, valuesRad: [frame.valuesRad[0]!, i < 16 ? i : 16] }));
    expect(standstill(wrist, 150)).toBeUndefined();
  });
});
