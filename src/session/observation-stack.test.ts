import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { standingFrame } from '../../tests/support/frames.ts';
import type { ObservationSpec } from '../model/index.ts';
import { type FrameWriter, ObservationStack } from './observation-stack.ts';

function specOf(frames: number): ObservationSpec {
  const field = (name: string) => ({ name, size: 1, unit: 'm', frame: 'base' });
  return { frames, fields: [field('height'), field('previous_executed')] };
}

function stackOf(spec: ObservationSpec, delaySteps = 0): ObservationStack {
  const write: FrameWriter = (out, offset, frame, previous) => {
    out[offset] = frame.measuredTcp[2]!;
    out[offset + 1] = previous[0]!;
  };
  return new ObservationStack(spec, write, delaySteps);
}

describe('the observation stack', () => {
  it('shows the first sight in every frame', () => {
    const stack = stackOf(specOf(3));
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
          const stack = stackOf(specOf(frames));
          stack.reset(standingFrame({ tipM: [0, 0, 0] }), Float32Array.of(0));
          for (const height of heights) stack.push(standingFrame({ tipM: [0, 0, height] }), Float32Array.of(-height));
          const newest = [...Array<number>(frames).fill(0), ...heights].slice(-frames);
          expect([...stack.values].map((value) => value + 0)).toEqual(newest.flatMap((height) => [height, 0 - height]));
        },
      ),
    );
  });
});

describe('the observation stack behind its frames', () => {
  const field = (name: string, size: number) => ({ name, size, unit: '1', frame: 'none' });
  const heights = fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 12 });

  it('keeps the actions executed before, the oldest first, zeros before the first, and leaves the base action alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 }), heights, (count, frames, seen) => {
        const spec = { ...specOf(frames), once: [field('previous_actions', count), field('base_action', 1)] };
        const stack = stackOf(spec);
        stack.push(standingFrame({ tipM: [0, 0, 5] }), Float32Array.of(5));
        stack.reset(standingFrame({ tipM: [0, 0, 0] }), Float32Array.of(0));
        stack.baseAction[0] = 0.25;
        for (const height of seen) stack.push(standingFrame({ tipM: [0, 0, height] }), Float32Array.of(-height));
        const all = [...Array<number>(count).fill(0), ...seen.map((height) => -height)];
        expect([...stack.values.subarray(2 * frames)]).toEqual([...all.slice(-count), 0.25]);
        expect([stack.state.length, stack.values.length]).toEqual([2 * frames + count, 2 * frames + count + 1]);
      }),
    );
  });

  it('shows frames so many steps late, the first one until then, but actions at once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), heights, (delay, frames, seen) => {
        const stack = stackOf({ ...specOf(frames), once: [field('previous_actions', 1)] }, delay);
        stack.push(standingFrame({ tipM: [0, 0, 7] }), Float32Array.of(7));
        stack.reset(standingFrame({ tipM: [0, 0, 0.5] }), Float32Array.of(0));
        for (const height of seen) stack.push(standingFrame({ tipM: [0, 0, height] }), Float32Array.of(height));
        const shown = [...Array<number>(frames + delay).fill(0.5), ...seen].slice(0, frames + seen.length);
        const got = [...stack.values].filter((_, i) => i % 2 === 0).slice(0, frames);
        expect(got).toEqual(shown.slice(-frames));
        expect(stack.values.at(-1)).toBe(seen.at(-1) ?? 0);
      }),
    );
  });
});
