/** The files of `config/learner` keep out of what is known to go wrong with other settings: see the pitfalls on the algorithms' pages. */
import { describe, expect, it } from 'vitest';
import { loadLearnerFile } from '../../src/config/index.ts';
import { ALGORITHMS } from '../../src/learner/options/algorithms.ts';

describe('shipped settings', () => {
  // With α = 1 a policy earns more by being random than by a +1 at the end of an episode; in the target, on every way there.
  it.each(['rlpd', 'hil-serl', 'expo'])('let no bonus for entropy drown a single +1: %s', (name) => {
    const { initialTemperature, entropyInTarget } = loadLearnerFile(name);
    expect(initialTemperature).toBeLessThanOrEqual(0.01);
    expect(entropyInTarget).toBe(false);
  });

  it.each(ALGORITHMS)('keep a temperature from which it can come back: %s', (name) => {
    expect(loadLearnerFile(name).minTemperature).toBeGreaterThanOrEqual(1e-4);
  });

  it('begin DSAC-T below α = e, with a temperature that finds a small scale within two thousand updates', () => {
    const { initialTemperature, learningRateTemperature } = loadLearnerFile('dsact');
    expect(initialTemperature).toBeLessThan(Math.E);
    // One step of Adam is as long as its rate.
    expect(Math.log(initialTemperature / 0.01) / learningRateTemperature).toBeLessThan(2000);
  });

  it('step DSAC-T slowly enough for rows that count ten times', () => {
    const { learningRateActor, learningRateCritic } = loadLearnerFile('dsact');
    expect(Math.max(learningRateActor, learningRateCritic)).toBeLessThanOrEqual(5e-4);
  });

  it('let WSRL become narrower than H* = 0 does, and warm up before it learns', () => {
    const { targetEntropyPerDimension, entropyInTarget, warmupSteps, demoFraction } = loadLearnerFile('wsrl');
    expect(targetEntropyPerDimension).toBeLessThanOrEqual(-0.5);
    expect({ entropyInTarget, demoFraction }).toEqual({ entropyInTarget: false, demoFraction: 0 });
    expect(warmupSteps).toBeGreaterThanOrEqual(5000);
  });

  it('take one critic of EXPO for a sparse target, and clone demonstrations alone', () => {
    const { criticSubset, expo } = loadLearnerFile('expo');
    expect(criticSubset).toBe(1);
    expect(expo.baseData).toBe('demonstrations');
  });

  it('have failures in replay and critics that know them before a residual moves, and no warm-up beyond its reach', () => {
    const { warmupSteps, criticOnlySteps, residual } = loadLearnerFile('residual');
    expect(warmupSteps).toBeGreaterThanOrEqual(1000);
    expect(criticOnlySteps).toBeGreaterThanOrEqual(1000);
    expect(residual.warmupNoise).toBeLessThanOrEqual(residual.scale);
  });

  it('clone what was shown, not what the clone did: bc', () => {
    expect(loadLearnerFile('bc').demoFraction).toBe(1);
  });
});
