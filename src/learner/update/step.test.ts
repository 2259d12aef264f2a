import { describe, expect, it } from 'vitest';
import { callOnce } from '../../../tests/support/learner/one-call.ts';
import { Rng } from '../../model/index.ts';
import { sac } from '../algorithms/sac.ts';
import { ParameterLayout } from '../engine/parameters.ts';
import { square } from '../ops/elements.ts';
import { reduceSum } from '../ops/shape.ts';
import { ALGORITHMS, loadAlgorithm } from '../options/algorithms.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import type { Algorithm } from './algorithm.ts';
import type { LearnerSpec } from './spec.ts';
import type { MinimiseOptions, Step } from './step.ts';
import { buildUpdateGraph } from './update-graph.ts';

const tiny = { actorHidden: [4], criticHidden: [4], batchSize: 2, critics: 2, criticSubset: 2 };

const settings: LearnerConfig = {
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,
  ...tiny,
  hilSerl: { ...DEFAULT_LEARNER_CONFIG.hilSerl, gripperObservations: [0] },
  encoder: { ...DEFAULT_LEARNER_CONFIG.encoder, channels: [2], cropPadding: 0 },
};

/** Three numbers and an image, for which an encoder is trained. */
const seeing: LearnerSpec = {
  parts: { stateSize: 3, image: { height: 8, width: 8, channels: 1 } },
  actionSize: 2,
  config: settings,
};

/** Minimises |x|² of two numbers, so that the gradient is 2x. */
function squares(options: MinimiseOptions): Algorithm {
  const layout = new ParameterLayout([{ name: 'x', shape: [2] }]);
  const inner = (step: Step) => {
    step.minimise('some_numbers', reduceSum(square(step.online('some_numbers')['x']!)), options);
  };
  const networks = () => [{ name: 'some_numbers', layout }];
  return { ...sac, name: 'squares', networks, numbers: () => [], update: { inner } };
}

const spec: LearnerSpec = {
  parts: { stateSize: 3 },
  actionSize: 2,
  config: { ...DEFAULT_LEARNER_CONFIG, criticOnlySteps: 0, ...tiny },
};
const minimised = (options: MinimiseOptions, x: readonly number[]) => {
  const algorithm = squares(options);
  return callOnce(algorithm, spec, algorithm.update, 2, new Rng(1), { some_numbers: x });
};

const algorithms = await Promise.all(
  ALGORITHMS.map((algorithm) => loadAlgorithm({ algorithm, algorithmPlugin: undefined })),
);

describe('Step', () => {
  it.each(algorithms)('reports the gradient norm of every network that $name trains', (algorithm) => {
    for (const phase of [algorithm.update, algorithm.cloning, algorithm.offline]) {
      if (phase === undefined) continue;
      const { changed, innerMetrics, outerMetrics } = buildUpdateGraph(algorithm, seeing, phase);
      const trained = [...changed].filter((name) => name.endsWith('_first')).map((name) => name.replace('_first', ''));
      expect(trained).toContain('encoder');
      const spelt = trained.map((name) => name.replace(/_c/g, 'C')).map((name) => `${name}GradientNorm`);
      expect([...innerMetrics, ...outerMetrics]).toEqual(expect.arrayContaining([...spelt, 'parameterNorm']));
    }
  });

  it('reports the norm of a gradient before clipping, and of the parameters after the last update', async () => {
    const call = await minimised({ rate: 0, clip: 1 }, [3, -4]);
    expect(call.metric('someNumbersGradientNorm', 0)).toBeCloseTo(10, 9);
    expect(call.metric('parameterNorm')).toBeCloseTo(5, 9);
  });

  it('decays weights by the rate of each update', async () => {
    const rate = 0.1;
    const [plain, decayed] = [await minimised({ rate }, [3, 3]), await minimised({ rate, weightDecay: 0.5 }, [3, 3])];
    const kept = 1 - rate * 0.5;
    // Adam's first step is the rate itself, whatever the gradient.
    expect(plain.after('some_numbers')[0]).toBeCloseTo(3 - 0.1 - 0.1, 2);
    expect(decayed.after('some_numbers')[0]).toBeCloseTo((3 * kept - 0.1) * kept - 0.1, 2);
  });

  it('begins after the updates that it is to wait for, as if it had seen nothing of them', async () => {
    const options = { rate: 0.1, weightDecay: 0.5 };
    // Two updates of a call: the second is the first step.
    const waited = await minimised({ ...options, after: 1 }, [3, 3]);
    expect(waited.after('some_numbers')[0]).toBeCloseTo(3 * (1 - 0.05) - 0.1, 6);
    expect(waited.after('some_numbers_first')[0]).toBeCloseTo(2 * 3, 6);
    const never = await minimised({ ...options, after: 2 }, [3, 3]);
    expect(Array.from(never.after('some_numbers'))).toEqual([3, 3]);
    expect(Array.from(never.after('some_numbers_first'))).toEqual([0, 0]);
    expect(Array.from(never.after('some_numbers_second'))).toEqual([0, 0]);
  });
});
