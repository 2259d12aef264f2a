import { expect, it } from 'vitest';
import { KeptSteps } from './telemetry.ts';

/** Steps that are kept of `episodes` of 50, each of which takes `wallMs`. */
function keptOf(episodes: number, wallMs: number): number[] {
  let nowMs = 0;
  const steps = new KeptSteps(100, () => nowMs);
  return Array.from({ length: episodes }, (_, episode) => {
    let kept = 0;
    for (let step = 0; step < 50; step++) {
      const source = episode === 2 && step >= 40 ? 'human_correct' : 'policy';
      nowMs += wallMs;
      if (steps.takes({ episode, source })) kept++;
    }
    return kept;
  });
}

it('all steps of real time are kept; of a faster run whole episodes, as many as real time would bring, and what people decide', () => {
  expect(keptOf(5, 100)).toEqual([50, 50, 50, 50, 50]);
  expect(keptOf(10, 25)).toEqual([50, 0, 10, 0, 50, 0, 0, 0, 50, 0]);
});
