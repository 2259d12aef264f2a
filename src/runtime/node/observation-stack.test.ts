import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { standingFrame } from '../../../tests/support/frames.ts';
import type { ObservationSpec } from '../../core/index.ts';
import { ObservationStack } from './observation-stack.ts';

function specOf(frames: number): ObservationSpec {
  const field = (name: string) => ({ name, size: 1, unit: 'm', frame: 'base' });
  return { frames, fields: [field('height'), field('previous_executed')] };
}

function stackOf(frames: number): ObservationStack {
  return new ObservationStack(specOf(frames), (out, offset, frame, previous) => {
    out[offset] = frame.measuredTcp[2]!;
    out[offset + 1] = previous[0]!;
  });
}

describe('the observation stack', () => {
  it('shows the first sight in every frame', () => {
    const stack = stackOf(3);
    stack.push(standingFrame({ tipM: [0, 0, 9] }), Float32Array.of(9));
    stack.reset(standingFrame({ tipM: [0, 0, 0.5] }), Float32Array.of(0));
    expect([...stack.values]).toEqual([0.5, 0, 0.5, 0, 0.5, 0]);
  });

  it('holds the newest sights, the oldest first', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 12 }),
        (frames, heights) => {
          const stack = stackOf(frames);
          stack.reset(standingFrame({ tipM: [0, 0, 0] }), Float32Array.of(0));
          for (const height of heights) stack.push(standingFrame({ tipM: [0, 0, height] }), Float32Array.of(-height));
          const newest = [...Array<number>(frames).fill(0), ...heights].slice(-frames);
          expect([...stack.values].map((value) => value + 0)).toEqual(newest.flatMap((height) => [height, 0 - height]));
        },
      ),
    );
  });
});
