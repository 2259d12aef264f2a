import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { Replay } from '../replay/replay.ts';
import { drawBatch, drawSubset, splitBatch } from './batch.ts';

function replayOf(demonstrations: number, online: number): Replay {
  const replay = new Replay(1, 1, 1000);
  for (let i = 0; i < demonstrations + online; i++) {
    const t = createTransition(1, 1);
    t.source = i < demonstrations ? 'demo' : 'policy';
    t.reward = i < demonstrations ? -1 - i : 1 + i - demonstrations;
    replay.add(t);
  }
  return replay;
}

function draw(replay: Replay, visible: number, size = 32, rng = new Rng(1)) {
  const batch = {
    observation: new Float32Array(size),
    nextObservation: new Float32Array(size),
    action: new Float32Array(size),
    reward: new Float32Array(size),
    filterActivity: new Float32Array(size),
    tankDrainJ: new Float32Array(size),
    bootstrap: new Float32Array(size),
  };
  const split = drawBatch(batch, replay, visible, 0.5, rng);
  const demonstrations = batch.reward.filter((r) => r < 0).length;
  expect(split).toEqual({ demonstrations, online: size - demonstrations });
  return batch.reward;
}

describe('drawBatch', () => {
  it('takes exactly half from each buffer in every batch', () => {
    const replay = replayOf(20, 500);
    const rng = new Rng(3);
    for (let i = 0; i < 50; i++) expect(draw(replay, 500, 32, rng).filter((r) => r < 0)).toHaveLength(16);
  });

  it('takes each online transition once while they are fewer than half, and the rest from demonstrations', () => {
    const rewards = draw(replayOf(20, 500), 5);
    expect([...rewards.filter((r) => r > 0)]).toEqual([1, 2, 3, 4, 5]);
    expect(rewards.filter((r) => r < 0)).toHaveLength(27);
  });

  it('takes all from one buffer while the other is empty, and refuses when both are', () => {
    expect(draw(replayOf(20, 0), 0).every((r) => r < 0)).toBe(true);
    expect(draw(replayOf(0, 3), 3).every((r) => r > 0)).toBe(true);
    expect(() => draw(replayOf(0, 3), 0)).toThrow('no transitions');
  });

  it('never draws what does not count yet', () => {
    const replay = replayOf(5, 500);
    const rng = new Rng(5);
    for (let i = 0; i < 50; i++) expect(Math.max(...draw(replay, 40, 32, rng))).toBeLessThanOrEqual(40);
  });

  it('draws every visible row about equally often', () => {
    const counts = new Array<number>(40).fill(0);
    const replay = replayOf(1, 40);
    const rng = new Rng(6);
    for (let i = 0; i < 1000; i++) for (const r of draw(replay, 40, 32, rng)) if (r > 0) counts[r - 1]!++;
    // 16 000 draws over 40 rows: 400 each, standard deviation 20.
    expect(Math.min(...counts)).toBeGreaterThan(300);
    expect(Math.max(...counts)).toBeLessThan(500);
  });
});

describe('splitBatch', () => {
  it('follows the fraction', () => {
    expect(splitBatch(128, 0.25, 1000, 10)).toEqual({ demonstrations: 32, online: 96 });
    expect(splitBatch(128, 0, 1000, 10)).toEqual({ demonstrations: 0, online: 128 });
  });

  it('keeps demonstrations out where the fraction is 0, however few online transitions there are (WSRL: no retention)', () => {
    expect(splitBatch(128, 0, 3, 10)).toEqual({ demonstrations: 0, online: 128 });
  });
});

describe('drawSubset', () => {
  it('never repeats a critic and takes every pair equally often', () => {
    const out = new BigInt64Array(2);
    const pairs = new Map<string, number>();
    const rng = new Rng(2);
    for (let i = 0; i < 9000; i++) {
      drawSubset(out, 0, 2, 10, rng);
      expect(out[0]).not.toBe(out[1]);
      const key = [...out].sort().join();
      pairs.set(key, (pairs.get(key) ?? 0) + 1);
    }
    expect(pairs.size).toBe(45);
    // 200 each, standard deviation 14.
    expect(Math.min(...pairs.values())).toBeGreaterThan(130);
    expect(Math.max(...pairs.values())).toBeLessThan(270);
  });
});
