import { describe, expect, it } from 'vitest';
import { gaussian } from '../../../tests/support/learner/checked-tensors.ts';
import { Rng } from '../../model/index.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import { unpack } from '../engine/parameters.ts';
import { Bindings, Session } from '../engine/session.ts';
import { initialise } from '../networks/mlp.ts';
import { reshape } from '../ops/shape.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { expo } from './expo.ts';
import {
  choose,
  drawMembers,
  editedAction,
  onTheFlyPolicy,
  proposalNoiseSize,
  proposalValues,
  propose,
} from './on-the-fly.ts';

const [O, A] = [3, 2];

function specOf(settings: Partial<LearnerConfig['expo']> = {}, overrides: Partial<LearnerConfig> = {}): LearnerSpec {
  const small = { actorHidden: [6], criticHidden: [6], critics: 4, batchSize: 4 };
  const own = { ...DEFAULT_LEARNER_CONFIG.expo, baseHidden: [6], candidates: 3, edited: 2, steps: 3, ...settings };
  const config: LearnerConfig = {
    ...DEFAULT_LEARNER_CONFIG,
    criticOnlySteps: 0,
    algorithm: 'expo',
    ...small,
    expo: own,
    ...overrides,
  };
  return { parts: { stateSize: O }, actionSize: A, config };
}

type Outputs = Record<string, { shape: readonly number[]; data: number[] }>;

/** The outputs of a graph without inputs. */
async function evaluated(build: (g: Graph) => Readonly<Record<string, Tensor>>): Promise<Outputs> {
  const g = new Graph('golden', 'float64');
  for (const [name, tensor] of Object.entries(build(g))) g.output(name, tensor);
  const session = await Session.create(g.serialize());
  const result = await session.evaluate(new Bindings());
  await session.close();
  return Object.fromEntries(
    Object.entries(result).map(([name, { data, shape }]) => [name, { shape, data: Array.from(data, Number) }]),
  );
}

/** Fresh parameters of a network, scaled up so that its outputs differ. */
function parametersOf(g: Graph, spec: LearnerSpec, name: string) {
  const { layout, members } = expo.networks(spec).find((network) => network.name === name)!;
  const values = new Float32Array(layout.size * (members ?? 1));
  for (let i = 0; i < (members ?? 1); i++) {
    initialise(layout, new Rng(5 + i).fork(name), values.subarray(i * layout.size, (i + 1) * layout.size));
  }
  const large = values.map((x) => x * 2);
  return unpack(g.constant(large, members === undefined ? [layout.size] : [members, layout.size]), layout);
}

describe('the choice', () => {
  it('takes, in each row, the proposal whose least value is largest, the first of equals', async () => {
    const { action, value, chosen } = await evaluated((g) => {
      // Two rows of three proposals; two critics.
      const proposals = g.constant([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [2, 3, 1]);
      const values = g.constant([9, 5, 4, 7, 7, 1, 1, 4, 6, 8, 7, 0], [2, 6, 1]);
      const { action, value, chosen } = choose(proposals, values);
      return { action, value, chosen };
    });
    // Least values: 1, 4, 4 and 7, 7, 0.
    expect(action!.data).toEqual([0.2, 0.4]);
    expect(value!.data).toEqual([4, 7]);
    expect(chosen!.data).toEqual([0, 1, 0, 1, 0, 0]);
  });

  it('hears the critics with the largest ranks, each once', async () => {
    const { heard } = await evaluated((g) => ({
      heard: drawMembers(g.constant([1, 2, 3, 4, 5, 6], [3, 2, 1]), g.constant([0.5, -2, 0.7], [1, 3]), 2),
    }));
    expect(heard!.shape).toEqual([2, 2, 1]);
    expect(heard!.data).toEqual([5, 6, 1, 2]);
  });
});

describe('proposals', () => {
  it('keep edited actions in [−1, 1], and edits within β', async () => {
    const { edited } = await evaluated((g) => ({
      edited: editedAction(g.constant([0.2, 0.95, -0.99], [3, 1]), g.constant([-1, 1, -0.5], [3, 1]), 0.1),
    }));
    [0.1, 1, -1].forEach((x, i) => {
      expect(edited!.data[i]).toBeCloseTo(x, 12);
    });
  });

  it.each(['flow', 'diffusion'] as const)(
    'are base actions and then edits of the first of them, all in [−1, 1]: %s',
    async (model) => {
      const spec = specOf({ model, editScale: 0.25 });
      const { proposals } = await evaluated((g) => {
        const proposers = { base: parametersOf(g, spec, 'base'), edit: parametersOf(g, spec, 'edit') };
        return {
          proposals: propose(spec, proposers, gaussian(g, [4, O], 1), gaussian(g, [4, proposalNoiseSize(spec)], 2)),
        };
      });
      expect(proposals!.shape).toEqual([4, 5, A]);
      let farthest = 0;
      for (let row = 0; row < 4; row++) {
        const action = (j: number) => proposals!.data.slice((row * 5 + j) * A, (row * 5 + j + 1) * A);
        for (let j = 0; j < 2; j++) {
          const distance = action(j).map((x, i) => Math.abs(action(3 + j)[i]! - x));
          farthest = Math.max(farthest, ...distance);
        }
      }
      expect(farthest).toBeGreaterThan(0.01);
      expect(farthest).toBeLessThanOrEqual(0.25 + 1e-12);
      expect(Math.max(...proposals!.data.map(Math.abs))).toBeLessThanOrEqual(1);
    },
  );

  it('the choice is worth at least as much as every base action', async () => {
    const spec = specOf();
    const { value, values, action, again } = await evaluated((g) => {
      const proposers = { base: parametersOf(g, spec, 'base'), edit: parametersOf(g, spec, 'edit') };
      const [input, critic] = [gaussian(g, [20, O], 1), parametersOf(g, spec, 'critic')];
      const proposals = propose(spec, proposers, input, gaussian(g, [20, proposalNoiseSize(spec)], 2));
      const found = choose(proposals, proposalValues(critic, input, proposals));
      const alone = proposalValues(critic, input, rowsOf(found.action));
      return {
        value: found.value,
        values: found.values,
        action: found.action,
        again: choose(rowsOf(found.action), alone).value,
      };
    });
    expect(action!.shape).toEqual([20, A]);
    for (let row = 0; row < 20; row++) {
      const own = values!.data.slice(row * 5, row * 5 + 5);
      expect(value!.data[row]).toBe(Math.max(...own));
      // Rows of the batch are not mixed up: evaluated alone, the chosen action has the value for which it was chosen.
      expect(again!.data[row]).toBeCloseTo(value!.data[row]!, 9);
    }
  });
});

describe('the policy', () => {
  it('acts with the current base policy, or with its slow copy where that is asked for', () => {
    expect(onTheFlyPolicy(specOf()).networks).toEqual(['base', 'edit', 'critic_target']);
    expect(onTheFlyPolicy(specOf({ baseCopy: 'slow' })).networks).toEqual(['base_target', 'edit', 'critic_target']);
    const find = (spec: LearnerSpec) => expo.networks(spec).find(({ name }) => name === 'base')!.hasTarget;
    expect([find(specOf()), find(specOf({ baseCopy: 'slow' }))]).toEqual([false, true]);
  });

  it('takes noise for every proposal, and for the draw of critics where not all are heard', () => {
    expect(onTheFlyPolicy(specOf()).noiseSize).toBe(3 * A + 2 * A + 4);
    expect(onTheFlyPolicy(specOf({ model: 'diffusion' })).noiseSize).toBe(3 * 3 * A + 2 * A + 4);
    expect(onTheFlyPolicy(specOf({ edited: 0 }, { criticSubset: 4 })).noiseSize).toBe(3 * A);
    expect(onTheFlyPolicy(specOf()).noise).toBe('always');
  });
});

/** One proposal for each row. */
function rowsOf(action: Tensor): Tensor {
  return reshape(action, [action.shape[0]!, 1, A]);
}
