import { describe, expect } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import type { SessionEvent } from '../session-types.ts';
import { WeightsWatch } from './weights-watch.ts';

describe('the age of the weights', () => {
  faultRow(53, 'fake', 'is told once when newer ones do not come, and once when they do again', (promised) => {
    const told: SessionEvent[] = [];
    const watch = new WeightsWatch((event) => told.push(event));
    const after = promised('toldAfterS');
    // A learner that publishes faster than weights come, but they come.
    for (let s = 0; s < 10 * after; s++) watch.see({ learnerVersion: 4 * s + 3, arrivedVersion: 4 * s }, s);
    expect(told).toEqual([]);
    const startS = 10 * after;
    for (let s = 0; s < after; s += 0.25) watch.see({ learnerVersion: 900 + s, arrivedVersion: 600 }, startS + s);
    expect(told).toEqual([]);
    for (let s = after; s < 2 * after; s += 0.25) watch.see({ learnerVersion: 984, arrivedVersion: 600 }, startS + s);
    expect(told.map(({ name, row }) => `${name} ${row}`)).toEqual(['weightsStale 53']);
    expect(told[0]!.message).toContain('It has version 984, here is 600.');
    watch.see({ learnerVersion: 985, arrivedVersion: 985 }, startS + 2 * after);
    expect(told.map(({ name }) => name)).toEqual(['weightsStale', 'weightsBack']);
  });
});
