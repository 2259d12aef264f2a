import { afterEach, expect, it } from 'vitest';
import type { Policy, PolicyOutput, WorkerPolicy } from '../../src/policy/index.ts';
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

const output = (): PolicyOutput => ({ mean: new Float32Array(A), logStd: new Float32Array(A) });
const observation = new Float32Array(O).fill(1);

describePolicy(
  'worker thread',
  () => new built.WorkerPolicy({ observationSize: O, actionSize: A, schemaHash: SCHEMA }),
);

it('gives the newest result with the age of its observation', async () => {
  const policy = start();
  await policy.swap(weightsOf(1, 0.1));
  const out = output();
  expect(policy.newest(out, 5)).toBe(Number.POSITIVE_INFINITY);
  expect(policy.submit(observation, 4)).toBe(true);
  expect(policy.submit(observation, 4.5)).toBe(false);
  while (policy.newest(out, 5) > 100) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(policy.newest(out, 5)).toBe(1);
  expect(out.mean[0]).toBeGreaterThan(0);
  expect(policy.submit(observation, 6)).toBe(true);
});

it('ends its thread during an inference without harm, and twice', async () => {
  const policy = start();
  await policy.swap(weightsOf(1, 0.1));
  const inference = policy.infer(observation, output()).catch((error: unknown) => error);
  await policy.close();
  await policy.close();
  await inference;
  await expect(policy.infer(observation, output())).rejects.toThrow('ended');
});
