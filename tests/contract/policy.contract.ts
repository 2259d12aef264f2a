/** What every policy that takes weights keeps to. Call `describePolicy` from a test file with a factory for yours. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Result } from '../../src/core/index.ts';
import type { Policy, PolicyOutput, PolicyWeights } from '../../src/policy/index.ts';
import { A, O, weightsOf } from '../support/policy-fixture.ts';

export interface SwappablePolicy extends Policy {
  swap(weights: PolicyWeights): Promise<Result<{ readonly version: number }>>;
  rollback(): Result<number> | Promise<Result<number>>;
}

/** Runs the contract on policies that `create` makes, without weights, for the sizes and schema of `policy-fixture`. */
export function describePolicy(name: string, create: () => SwappablePolicy): void {
  describe(`the ${name} policy`, () => {
    let policy: SwappablePolicy;
    const out: PolicyOutput = { mean: new Float32Array(A), logStd: new Float32Array(A) };
    const observation = new Float32Array(O).fill(1);

    beforeEach(() => {
      policy = create();
    });
    afterEach(() => policy.close());

    const meanAt = async (value: number): Promise<number> => {
      await policy.infer(
        observation.map(() => value),
        out,
      );
      return out.mean[0]!;
    };

    it('says its sizes, and version 0 before it has weights', async () => {
      expect([policy.observationSize, policy.actionSize, policy.version]).toEqual([O, A, 0]);
      await expect(policy.infer(observation, out)).rejects.toMatchObject({ name: 'ReinError', kind: 'policy' });
    });

    it('decides the same on the same observation, and otherwise on another', async () => {
      await policy.swap(weightsOf(1, 0.1));
      const first = await meanAt(1);
      expect(await meanAt(2)).not.toBe(first);
      expect(await meanAt(1)).toBe(first);
    });

    it('leaves the caller’s observation as it was, and does not keep it', async () => {
      await policy.swap(weightsOf(1, 0.1));
      const own = observation.slice();
      const decided = policy.infer(own, out);
      own.fill(-5);
      await decided;
      const first = out.mean[0];
      expect(own.every((value) => value === -5)).toBe(true);
      expect(await meanAt(1)).toBe(first);
    });

    it('rejects an output that is not finite', async () => {
      await policy.swap(weightsOf(1, 0.6));
      await expect(
        policy.infer(
          observation.map(() => 3e38),
          out,
        ),
      ).rejects.toMatchObject({ name: 'ReinError' });
      expect(Number.isFinite(await meanAt(1))).toBe(true);
    });

    it('acts on new weights after a swap, on the old ones after a refusal or a rollback', async () => {
      await policy.swap(weightsOf(1, 0.1));
      const first = await meanAt(1);
      expect((await policy.swap(weightsOf(2, 0.2))).ok).toBe(true);
      const second = await meanAt(1);
      expect(second).not.toBe(first);
      expect(await policy.swap(weightsOf(3, Number.NaN))).toMatchObject({ ok: false, error: { kind: 'policy' } });
      expect([policy.version, await meanAt(1)]).toEqual([2, second]);
      expect(await policy.rollback()).toEqual({ ok: true, value: 1 });
      expect([policy.version, await meanAt(1)]).toEqual([1, first]);
      expect(await policy.rollback()).toMatchObject({ ok: false });
    });

    it('closes twice, and decides nothing afterwards', async () => {
      await policy.swap(weightsOf(1, 0.1));
      await policy.close();
      await policy.close();
      await expect(policy.infer(observation, out)).rejects.toThrow();
    });
  });
}
