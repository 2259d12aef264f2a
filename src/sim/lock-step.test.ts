import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpdateContract } from '../learner/index.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig, updatesPerCall } from '../learner/options.ts';
import { LAG_STEPS, versionDue } from './lock-step.ts';

const configs = fc
  .record({
    utd: fc.integer({ min: 1, max: 12 }),
    warmupSteps: fc.integer({ min: 0, max: 80 }),
    publishEveryUpdates: fc.integer({ min: 1, max: 60 }),
    // 0: utd. More, less, and no multiple of it.
    updatesPerCall: fc.integer({ min: 0, max: 30 }),
  })
  .map((values): LearnerConfig => ({ ...DEFAULT_LEARNER_CONFIG, ...values }));

/**
 * How many versions a learner has published once it has done all that `steps` transitions pay for: one before the first
 * update, then one after each call in which a multiple of `publishEveryUpdates` was reached.
 */
function published(config: LearnerConfig, steps: number): number {
  const { utd, publishEveryUpdates: every, warmupSteps } = config;
  const perCall = updatesPerCall(config);
  const allowed = new UpdateContract(utd, warmupSteps, perCall).updatesAllowed(steps);
  let version = 1;
  for (let updates = perCall; updates <= allowed; updates += perCall) {
    if (Math.floor(updates / every) > Math.floor((updates - perCall) / every)) version++;
  }
  return version;
}

describe('the weights that are due', () => {
  it('have been published by a learner that may have seen LAG_STEPS fewer steps: nobody waits for ever', () => {
    fc.assert(
      fc.property(configs, fc.integer({ min: 0, max: 600 }), (config, steps) => {
        const due = versionDue(config, steps);
        expect(due).toBe(published(config, Math.max(0, steps - LAG_STEPS)));
        expect(due).toBeLessThanOrEqual(published(config, steps));
      }),
      { numRuns: 300 },
    );
  });

  it('rise by one at most from step to step where a call takes what a step pays for, and never fall', () => {
    fc.assert(
      fc.property(configs, fc.integer({ min: 0, max: 2000 }), (drawn, steps) => {
        const config = { ...drawn, updatesPerCall: Math.max(drawn.utd, drawn.updatesPerCall) };
        const rise = versionDue(config, steps + 1) - versionDue(config, steps);
        expect([0, 1]).toContain(rise);
      }),
    );
  });

  it('are those of the demonstrations until the warm-up and the lag are over', () => {
    const { warmupSteps, utd, publishEveryUpdates } = DEFAULT_LEARNER_CONFIG;
    const first = warmupSteps + LAG_STEPS + publishEveryUpdates / utd;
    expect(versionDue(DEFAULT_LEARNER_CONFIG, 0)).toBe(1);
    expect(versionDue(DEFAULT_LEARNER_CONFIG, first - 1)).toBe(1);
    expect(versionDue(DEFAULT_LEARNER_CONFIG, first)).toBe(2);
  });
});
