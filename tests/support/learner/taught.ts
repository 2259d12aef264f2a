/** A small learner with something to clone, for tests that follow its policy through an algorithm. */

import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../../../src/learner/options/learner-config.ts';
import { Replay } from '../../../src/learner/replay/replay.ts';
import { Rng } from '../../../src/model/index.ts';
import { createTransition } from '../../../src/rows/index.ts';

/** Sizes of observation and action. */
export const [O, A] = [3, 2] as const;

export function smallConfig(algorithm: string, overrides: Partial<LearnerConfig>): LearnerConfig {
  return {
    ...DEFAULT_LEARNER_CONFIG,
    algorithm,
    actorHidden: [8],
    criticHidden: [8],
    batchSize: 8,
    utd: 2,
    warmupSteps: 0,
    bcInitSteps: 50,
    ...overrides,
  };
}

/** 60 steps, of which the first 20 are demonstrations. */
export function taughtReplay(): Replay {
  const replay = new Replay(O, A, 100);
  const rng = new Rng(2);
  for (let i = 0; i < 60; i++) {
    const t = createTransition(O, A);
    rng.fillNormal(t.observation);
    rng.fillNormal(t.nextObservation);
    t.executed.fill(rng.uniformIn(-1, 1));
    t.reward = t.executed[0]!;
    t.source = i < 20 ? 'demo' : 'policy';
    replay.add(t);
  }
  return replay;
}
