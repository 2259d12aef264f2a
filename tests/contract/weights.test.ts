import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAgent } from '../../src/learner/index.ts';
import { DEFAULT_LEARNER_CONFIG } from '../../src/learner/options.ts';
import { Rng, sealWeights } from '../../src/model/index.ts';
import { loadPolicyFile, OnnxPolicy, savePolicyFile } from '../../src/policy/index.ts';
import { A, O, SCHEMA, weightsOf } from '../support/policy-fixture.ts';

const { graph, weights, manifest } = weightsOf(3, 0.1);
const { digest: _digest, ...fields } = manifest;

it('a bundle that the learner sealed acts on the robot as it is', async () => {
  const policy = new OnnxPolicy({ observationSize: O, actionSize: A, schemaHash: SCHEMA });
  const swapped = await policy.swap(sealWeights({ ...fields, parent: null }, graph, weights));
  expect(swapped.ok).toBe(true);
  await policy.close();
});

it.each([
  ['rlpd', 'gaussian', A],
  ['td3', 'action', A],
  // Four base actions and four edits.
  ['expo', 'action', 8 * A],
] as const)(
  "the learner's network of %s gives the same actions with its weights inside and as inputs",
  async (algorithm, kind, noiseSize) => {
    const config = { ...DEFAULT_LEARNER_CONFIG, algorithm, actorHidden: [16, 16], criticHidden: [16] };
    const agent = await createAgent({ parts: { stateSize: O }, actionSize: A, config, seed: 3 });
    const { shapes, data } = await agent.actorWeights();
    const options = { observationSize: O, actionSize: A, schemaHash: SCHEMA };

    const swapped = new OnnxPolicy(options);
    expect(await swapped.swap(sealWeights({ ...fields, shapes }, agent.policyGraph(), data))).toMatchObject({
      ok: true,
      value: { head: { kind, noiseSize } },
    });
    const folder = await mkdtemp(join(tmpdir(), 'rein-'));
    await savePolicyFile(folder, await agent.exportPolicy(), {
      ...fields,
      observationSize: O,
      actionSize: A,
      robot: 'arm6',
      task: 'insert',
    });
    const loaded = await loadPolicyFile(folder, options);
    await rm(folder, { recursive: true });

    const observation = Float32Array.of(0.5, -1, 2, 0, 1);
    const actions: Float32Array[] = [];
    for (const policy of [swapped, loaded]) {
      for (const purpose of ['evaluate', 'explore'] as const) {
        const action = new Float32Array(A);
        await policy.decide(observation, { rng: new Rng(4), purpose }, action);
        actions.push(action);
      }
      await policy.close();
    }
    const [best, tried, loadedBest, loadedTried] = actions;
    // onnxruntime fuses constants, so the last bits differ.
    for (let i = 0; i < A; i++) {
      expect(best?.[i]).toBeCloseTo(loadedBest?.[i] ?? Number.NaN, 5);
      expect(tried?.[i]).toBeCloseTo(loadedTried?.[i] ?? Number.NaN, 5);
      // The noise of EXPO is a part of its policy, also where it is evaluated.
      const distance = Math.abs(tried![i]! - best![i]!);
      expect(distance > 0.0005, `explores by ${distance}`).toBe(algorithm !== 'expo');
    }
    expect(best?.[0]).not.toBe(0);
  },
);
