import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { createTransition, type Transition } from '../../rows/index.ts';
import { type FrameStorage, imageStorage } from './observation-store.ts';
import { Replay } from './replay.ts';
import { TransitionRing } from './ring.ts';

/** [state | frame of 3 | privileged], of which the frame holds `pixels`. */
function transition(state: number, pixels: readonly number[], nextPixels: readonly number[] = pixels): Transition {
  const t = createTransition(5, 1);
  t.observation.set([state, ...pixels, 10 + state]);
  t.nextObservation.set([state + 1, ...nextPixels, 11 + state]);
  return t;
}

const frame: FrameStorage = { offset: 1, size: 3, storage: 'float32', variants: 1 };

function row(ring: TransitionRing, index: number, rng?: Rng) {
  const [observation, nextObservation] = [new Float32Array(10), new Float32Array(10)];
  const one = () => new Float32Array(2);
  const rest = { action: one(), reward: one(), filterActivity: one(), tankDrainJ: one(), bootstrap: one() };
  ring.copyRow(index, { observation, nextObservation, ...rest }, 1, {
    steps: 1,
    discount: 1,
    ...(rng === undefined ? {} : { rng }),
  });
  expect([...observation.subarray(0, 5), ...nextObservation.subarray(0, 5)]).toEqual(new Array(10).fill(0));
  return [observation, nextObservation].map((values) => [...values.subarray(5)]);
}

describe('a frame that is kept apart', () => {
  it('comes back in its place, among what lies before and behind it', () => {
    const ring = new TransitionRing(5, 1, 10, frame);
    ring.push(transition(1, [0.5, 0.25, 0.125], [1, 2, 3]), 1);
    expect(row(ring, 0)).toEqual([
      [1, 0.5, 0.25, 0.125, 11],
      [2, 1, 2, 3, 12],
    ]);
  });

  it('is kept to 1/255 in bytes, and the same however often it is written', () => {
    const bytes = new TransitionRing(5, 1, 10, { ...frame, storage: 'uint8' });
    bytes.push(transition(1, [0, 1, 0.31]), 1);
    const [observation] = row(bytes, 0);
    expect(observation).toEqual([1, 0, 1, Math.fround(79 / 255), 11]);
    expect(Math.abs(observation![3]! - 0.31)).toBeLessThanOrEqual(0.5 / 255);
    bytes.push(transition(1, observation!.slice(1, 4)), 2);
    expect(row(bytes, 1)[0]).toEqual(observation);
  });

  it('comes in one of its variants, drawn for both observations on their own', () => {
    const ring = new TransitionRing(5, 1, 10, { ...frame, variants: 2 });
    const frames = {
      observation: Float32Array.of(1, 1, 1, 2, 2, 2),
      nextObservation: Float32Array.of(3, 3, 3, 4, 4, 4),
    };
    ring.push(transition(0, [9, 9, 9]), 1, -1, frames);
    ring.push(transition(0, [7, 7, 7]), 2);
    const rng = new Rng(1);
    const seen = new Set(
      Array.from({ length: 64 }, () =>
        row(ring, 0, rng)
          .map((values) => values[1])
          .join(),
      ),
    );
    expect([...seen].toSorted()).toEqual(['1,3', '1,4', '2,3', '2,4']);
    expect(row(ring, 0)[0]).toEqual([0, 1, 1, 1, 10]);
    // No variants given: its own frame is every one of them.
    expect(row(ring, 1, rng)[1]).toEqual([1, 7, 7, 7, 11]);
  });

  it('stays what it is while the ring wraps and grows', () => {
    const ring = new TransitionRing(5, 1, 5000, { ...frame, storage: 'uint8' });
    for (let i = 0; i < 12_345; i++) ring.push(transition(i, [(i % 256) / 255, 0, 1]), i + 1);
    for (const i of [7345, 9999, 12_344]) expect(row(ring, i)[0]![1]).toBeCloseTo((i % 256) / 255, 7);
  });

  it('is the image of an observation that has one', () => {
    const image = { channels: 1, height: 64, width: 32 };
    const parts = { stateSize: 7, image, baseActionSize: 3, privilegedSize: 2 };
    expect(imageStorage(parts, 'uint8')).toEqual({ offset: 7, size: 2048, storage: 'uint8', variants: 1 });
    expect(imageStorage({ stateSize: 7 }, 'uint8')).toBeUndefined();
  });

  it('must lie in the observation', () => {
    const make = (change: Partial<FrameStorage>) => () => new TransitionRing(5, 1, 9, { ...frame, ...change });
    expect(make({ offset: 3 })).toThrow('1 × 3 numbers from 3 on does not lie in an observation of 5');
    expect(make({ variants: 0 })).toThrow('0 × 3');
  });
});

describe('records with frames', () => {
  const replay = new Replay(5, 1, 10, { frame: { ...frame, storage: 'uint8', variants: 2 } });
  const frames = (values: readonly number[]) => {
    return { observation: Float32Array.from(values), nextObservation: new Float32Array(6) };
  };

  it('are dropped and counted where a byte does not hold them, or a number of any part is not finite', () => {
    expect(replay.add(transition(0, [0, 1, 0.5]))).toBe('accepted');
    expect(replay.add(transition(0, [0, 1.1, 0.5]))).toBe('frameOutOfRange');
    expect(replay.add(transition(0, [0, 1, 1], [0, -0.1, 0]))).toBe('frameOutOfRange');
    expect(replay.add(transition(0, [0, Number.NaN, 0.5]))).toBe('notFinite');
    expect(replay.add(transition(Number.NaN, [0, 0, 0]))).toBe('notFinite');
    const privileged = transition(0, [0, 0, 0]);
    privileged.nextObservation[4] = Number.POSITIVE_INFINITY;
    expect(replay.add(privileged)).toBe('notFinite');
    expect(replay.counts()).toMatchObject({ online: 1, dropped: { frameOutOfRange: 2, notFinite: 3 } });
  });

  it('are dropped with variants that do not fit', () => {
    const t = transition(0, [0, 0, 0]);
    expect(replay.add(t, { frames: frames([0, 0, 0, 1, 1, 1]) })).toBe('accepted');
    expect(replay.add(t, { frames: frames([0, 0, 0]) })).toBe('wrongSize');
    expect(replay.add(t, { frames: frames([0, 0, 0, 0, 0, 2]) })).toBe('frameOutOfRange');
    expect(replay.add(t, { frames: frames([0, 0, 0, 0, 0, Number.NaN]) })).toBe('notFinite');
    expect(new Replay(5, 1, 10).add(t, { frames: frames([0, 0, 0, 1, 1, 1]) })).toBe('wrongSize');
  });
});
