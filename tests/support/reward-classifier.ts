/** A classifier by hand: a state is a success from 0 of one number on, by a slope so steep that probabilities are near 0 and 1. */
import { Graph } from '../../src/learner/engine/graph.ts';
import { linear } from '../../src/learner/engine/linear.ts';
import { sigmoid } from '../../src/learner/ops/elements.ts';
import { type RewardManifest, saveRewardClassifier } from '../../src/tasks/index.ts';

export interface HandMade {
  readonly schemaHash: string;
  readonly observationSize: number;
  /** Which number of the observation it looks at. */
  readonly column: number;
}

/** Writes it to `path`. */
export function saveHandMade(path: string, { schemaHash, observationSize, column }: HandMade): void {
  const g = new Graph('reward');
  const slope = new Float32Array(observationSize);
  slope[column] = 1000;
  const weight = g.constant(slope, [observationSize, 1]);
  const input = g.input('observation', [1, observationSize]);
  g.output('probability', sigmoid(linear(input, weight, g.constant([0.001], [1, 1]))));
  saveRewardClassifier(path, g.serialize(), manifestOf(schemaHash, observationSize));
}

function manifestOf(schemaHash: string, observationSize: number): Omit<RewardManifest, 'digest'> {
  const share = { rate: 1, low: 0.9, high: 1 };
  return {
    task: 'mock',
    robot: 'arm6',
    schemaHash,
    observationSize,
    fields: ['joint'],
    threshold: 0.5,
    seed: 0,
    createdAt: new Date(0).toISOString(),
    labels: { digest: '', positives: 1, negatives: 1, mined: 0, episodes: 2 },
    heldOut: {
      folds: 2,
      wantedPrecision: 0.95,
      precision: share,
      recall: share,
      falsePositives: 0,
      falseNegatives: 0,
      brier: 0,
      calibrationError: 0,
    },
  };
}
