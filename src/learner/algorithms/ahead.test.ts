import { describe, expect, it } from 'vitest';
import { callOnce } from '../../../tests/support/learner/one-call.ts';
import { Rng } from '../../model/index.ts';
import { mul, square, sub } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';
import { DEFAULT_LEARNER_CONFIG } from '../options/learner-config.ts';
import type { Algorithm } from '../update/algorithm.ts';
import type { LearnerSpec } from '../update/spec.ts';
import type { Step } from '../update/step.ts';
import { gaussianActorNetwork, nextDraw, sac } from './sac.ts';

const config = { ...DEFAULT_LEARNER_CONFIG, criticOnlySteps: 0, actorHidden: [5], criticHidden: [4], batchSize: 3 };
const spec: LearnerSpec = { parts: { stateSize: 4 }, actionSize: 2, config };
const UPDATES = 3;

/** Updates that report the next actions; with `trains`, the actor changes between them. */
function reporting(trains: boolean): Algorithm {
  return { ...sac, name: 'reporting', networks: (of) => [gaussianActorNetwork(of)], update: { inner } };
  function inner(step: Step): void {
    const ahead = nextDraw(step);
    const there = step.policyInput('next_observation');
    // The same row by row: inside the loop nothing is computed ahead.
    const row = nextDraw(
      Object.assign(Object.create(step) as Step, { ahead: <T>(build: (own: Step) => T) => build(step) }),
    );
    step.report('difference', reduceMean(square(sub(ahead.action, row.action))));
    step.report('spread', reduceMean(square(ahead.logProbability)));
    step.report('seen', reduceMean(there));
    if (trains) step.minimise('actor', mul(reduceMean(square(row.action)), 100), { rate: 0.1 });
  }
}

describe('what is computed ahead of the loop', () => {
  it.each([false, true])('is what each update would compute by itself, actor trained meanwhile: %s', async (trains) => {
    const algorithm = reporting(trains);
    const call = await callOnce(algorithm, spec, algorithm.update, UPDATES, new Rng(7));
    const spreads = Array.from({ length: UPDATES }, (_, k) => call.metric('spread', k));
    expect(new Set(spreads).size).toBe(UPDATES);
    for (let k = 0; k < UPDATES; k++) expect(call.metric('difference', k)).toBeLessThan(1e-20);
  });
});
