import { describe, expect, it } from 'vitest';
import { Rng } from '../model/index.ts';
import { type Hypotheses, mostEpisodes, type Verdict, verdict } from './sequential-test.ts';

const INSERT: Hypotheses = { atMost: 0.97, atLeast: 0.995 };
const TIGHT: Hypotheses = { atMost: 0.95, atLeast: 0.985 };

/** One test of a policy that succeeds at `rate`. */
function tried(hypotheses: Hypotheses, rate: number, rng: Rng): { result: Verdict; episodes: number } {
  let successes = 0;
  for (let episodes = 1; ; episodes++) {
    if (rng.uniform() < rate) successes++;
    const result = verdict(hypotheses, successes, episodes);
    if (result !== 'open') return { result, episodes };
  }
}

function accepted(hypotheses: Hypotheses, rate: number): { share: number; meanEpisodes: number } {
  const rng = new Rng(3);
  const trials = Array.from({ length: 2000 }, () => tried(hypotheses, rate, rng));
  return {
    share: trials.filter(({ result }) => result === 'accepted').length / trials.length,
    meanEpisodes: trials.reduce((sum, { episodes }) => sum + episodes, 0) / trials.length,
  };
}

describe('the sequential test', () => {
  it('errs in one case of twelve at most, either way', () => {
    for (const rates of [INSERT, TIGHT, { atMost: 0.98, atLeast: 0.995 }, { atMost: 0.9, atLeast: 0.95 }]) {
      expect(accepted(rates, rates.atMost).share).toBeLessThan(0.09);
      expect(accepted(rates, rates.atLeast).share).toBeGreaterThan(0.91);
    }
  });

  it('accepts no more often what just misses a rate that is near', () => {
    for (const rates of [
      { atMost: 0.97, atLeast: 0.985 },
      { atMost: 0.98, atLeast: 0.985 },
    ]) {
      expect(mostEpisodes(rates)).toBe(500);
      expect(accepted(rates, rates.atMost).share).toBeLessThan(0.065);
    }
  });

  it('takes half of the episodes of a fixed number, and fewest where all succeed', () => {
    expect(accepted(INSERT, INSERT.atLeast).meanEpisodes).toBeLessThan(200);
    expect(accepted(INSERT, 1)).toEqual({ share: 1, meanEpisodes: 116 });
    expect(accepted(INSERT, 0.9).meanEpisodes).toBeLessThan(40);
  });

  it('ends whatever the rate, on the side to which the evidence leans', () => {
    const most = mostEpisodes(INSERT);
    expect([3, 2].map((failures) => verdict(INSERT, most - failures, most))).toEqual(['refused', 'accepted']);
    for (const rate of [0.975, 0.98, 0.985, 0.99]) {
      const rng = new Rng(4);
      for (let i = 0; i < 200; i++) expect(tried(INSERT, rate, rng).episodes).toBeLessThanOrEqual(most);
    }
  });

  it('takes certainty for what it is: one failure refutes a rate of 1, one success a rate of 0', () => {
    expect(verdict({ atMost: 0.9, atLeast: 1 }, 5, 6)).toBe('refused');
    expect(verdict({ atMost: 0.9, atLeast: 1 }, 28, 28)).toBe('accepted');
    expect(verdict({ atMost: 0, atLeast: 1 }, 1, 1)).toBe('accepted');
    expect(verdict({ atMost: 0, atLeast: 1 }, 0, 0)).toBe('open');
  });
});
