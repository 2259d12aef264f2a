import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Rng } from '../../src/core/index.ts';
import { actorLayout, initialise } from '../../src/learner/algorithms/networks.ts';
import { buildPolicy, policyWeights } from '../../src/learner/algorithms/policy-graph.ts';
import { sealBundle, verifyBundle } from '../../src/learner/link/weights-bundle.ts';
import {
  loadPolicyFile,
  OnnxPolicy,
  type PolicyOutput,
  type PolicyWeights,
  savePolicyFile,
  verifyWeights,
  weightsDigest,
} from '../../src/policy/index.ts';
import { A, O, SCHEMA, weightsOf } from '../support/policy-fixture.ts';

const { graph, weights, manifest } = weightsOf(3, 0.1);
const { digest: _digest, ...fields } = manifest;

it('learner and robot compute the same digest of the same weights', () => {
  const bundle = sealBundle(fields, graph, weights);
  expect(bundle.manifest.digest).toBe(weightsDigest(fields, graph, weights));
  const expected = { runId: fields.runId, schemaHash: SCHEMA };
  const ours: PolicyWeights = bundle;
  expect(verifyWeights(ours, { ...expected, newestVersion: 2 }).ok).toBe(true);
  expect(verifyBundle(bundle, { ...expected, currentVersion: 2 }).ok).toBe(true);
});

it('a bundle that the learner sealed acts on the robot as it is', async () => {
  const policy = new OnnxPolicy({ observationSize: O, actionSize: A, schemaHash: SCHEMA });
  const swapped = await policy.swap(sealBundle({ ...fields, parent: null }, graph, weights));
  expect(swapped.ok).toBe(true);
  await policy.close();
});

it("the learner's network gives the same actions with its weights inside and as inputs", async () => {
  const spec = { observationSize: O, actionSize: A, actorHidden: [16, 16], criticHidden: [16], layerNorm: true };
  const data = new Float32Array(actorLayout(spec).size);
  initialise(actorLayout(spec), new Rng(3), data);
  const named = policyWeights(spec, data);
  const shapes = named.names.map((name, i) => ({ name, shape: named.shapes[i]! }));
  const options = { observationSize: O, actionSize: A, schemaHash: SCHEMA };

  const swapped = new OnnxPolicy(options);
  expect(await swapped.swap(sealBundle({ ...fields, shapes }, buildPolicy(spec), data))).toMatchObject({ ok: true });
  const folder = await mkdtemp(join(tmpdir(), 'rein-'));
  await savePolicyFile(folder, buildPolicy(spec, data), {
    ...fields,
    observationSize: O,
    actionSize: A,
    robot: 'arm6',
    task: 'insert',
  });
  const loaded = await loadPolicyFile(folder, options);
  await rm(folder, { recursive: true });

  const observation = Float32Array.of(0.5, -1, 2, 0, 1);
  const outputs: PolicyOutput[] = [];
  for (const policy of [swapped, loaded]) {
    const out = { mean: new Float32Array(A), logStd: new Float32Array(A) };
    await policy.infer(observation, out);
    outputs.push(out);
    await policy.close();
  }
  // onnxruntime fuses constants, so the last bits differ.
  for (const part of ['mean', 'logStd'] as const) {
    for (let i = 0; i < A; i++) expect(outputs[0]?.[part][i]).toBeCloseTo(outputs[1]?.[part][i] ?? Number.NaN, 5);
  }
  expect(outputs[0]?.mean[0]).not.toBe(0);
});
