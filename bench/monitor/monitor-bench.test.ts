import { expect, it } from 'vitest';
import { failuresOf } from './monitor-bench.ts';

const alone = { pages: 0, tick_p50_ms: 0.06, tick_p99_ms: 0.1, memory_start_mb: 130, memory_end_mb: 100 };
const watched = { ...alone, pages: 8 };
const figures = { alone, watched, latency_p50_ms: 1, latency_p99_ms: 7, latency_max_ms: 50, frames_per_s: 49 };

it('says in a sentence which bound was missed, also by a number that is none', () => {
  expect(failuresOf(figures)).toEqual([]);
  const slow = { ...watched, tick_p99_ms: 0.31, memory_end_mb: 170 };
  expect(failuresOf({ ...figures, watched: slow, latency_p99_ms: Number.NaN })).toEqual([
    'Watchers add to the p99 of the ticks 0.210 ms: the bound is 0.2 ms.',
    'The p99 of how old a frame is when a page has it is NaN ms: the bound is 100 ms.',
    'Watchers add to the memory 70.000 MB: the bound is 64 MB.',
  ]);
});
