/** Progress lines without a terminal: a log shows soon that something happens, and is not flooded. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { progressLine } from './terminal.ts';

const LINE_MS = 15_000;
let said: string[];
let nowMs: number;

beforeEach(() => {
  said = [];
  nowMs = 5_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Output of 15 s of work that reports progress every 0.5 s. */
function work(progress: ReturnType<typeof progressLine>): void {
  for (let step = 1; step <= 34; step++) {
    nowMs += 500;
    progress.show(step / 40, `${step} of 40 trials`);
  }
}

it('says what is left once that means something: comes after a second, then every so often, and after a second again of what begins anew', () => {
  const progress = progressLine('live', LINE_MS);
  work(progress);
  expect(said).toEqual(['  5 %  2 of 40 trials\n', ' 80 %  32 of 40 trials, about 4 s left\n']);
  progress.end();
  work(progress);
  expect(said.slice(2)).toEqual(said.slice(0, 2));
});

it.each([['quiet', LINE_MS] as const, ['live', undefined] as const])('does not come: %s, %s', (output, lineMs) => {
  const progress = progressLine(output, lineMs);
  progress.phase('begins');
  work(progress);
  expect(said).toEqual([]);
});
