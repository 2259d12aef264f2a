import { afterEach, expect, it } from 'vitest';
import { Rng } from '../../src/core/index.ts';
import type { Policy, PolicyNoise } from '../../src/policy/index.ts';
import type { WorkerPolicy } from '../../src/policy/worker-policy.ts';
import { describePolicy } from '../contract/policy.contract.ts';
import { A, O, SCHEMA, weightsOf } from '../support/policy-fixture.ts';

// A worker thread runs from the built program only.
const built = (await import(new URL('../../dist/policy/index.js', import.meta.url).href)) as {
  WorkerPolicy: typeof WorkerPolicy;
};

const open: Policy[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((policy) => policy.close()));
});

function start(): WorkerPolicy {
  const policy = new built.WorkerPolicy({ observationSize: O, actionSize: A, schemaHash: SCHEMA });
  open.push(policy);
  return policy;
}

const still: PolicyNoise = { rng: new Rng(1), purpose: 'evaluate' };
const observation = new Float32Array(O).fill(1);

describePolicy(
  'worker thread',
  () => new built.WorkerPolicy({ observationSize: O, actionSize: A, schemaHash: SCHEMA }),
);

it('gives the newest result with the age of its observation', async () => {
  const policy = start();
  await policy.swap(weightsOf(1, 0.1));
  const out = new Float32Array(A);
  expect(policy.newest(out, 5)).toBe(Number.POSITIVE_INFINITY);
  expect(policy.submit(observation, still, 4)).toBe(true);
  expect(policy.submit(observation, still, 4.5)).toBe(false);
  while (policy.newest(out, 5) > 100) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(policy.newest(out, 5)).toBe(1);
  expect(out[0]).toBeGreaterThan(0);
  expect(policy.submit(observation, still, 6)).toBe(true);
});

it('ends its thread during a decision without harm, and twice', async () => {
  const policy = start();
  await policy.swap(weightsOf(1, 0.1));
  const decision = policy.decide(observation, still, new Float32Array(A)).catch((error: unknown) => error);
  await policy.close();
  await policy.close();
  await decision;
  await expect(policy.decide(observation, still, new Float32Array(A))).rejects.toThrow('ended');
});
