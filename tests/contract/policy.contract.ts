/** What every policy that takes weights keeps to. Call `describePolicy` from a test file with a factory for yours. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PolicyWeights, type Result, Rng } from '../../src/model/index.ts';
import type { Policy, PolicyNoise } from '../../src/policy/index.ts';
import { A, O, weightsOf } from '../support/policy-fixture.ts';

export interface SwappablePolicy extends Policy {
  swap(weights: PolicyWeights): Promise<Result<{ readonly version: number }>>;
  rollback(): Result<number> | Promise<Result<number>>;
}

/** Runs the contract on policies that `create` makes, without weights, for the sizes and schema of `policy-fixture`. */
export function describePolicy(name: string, create: () => SwappablePolicy): void {
  describe.each(['gaussian', 'action'] as const)(`the ${name} policy with the head %s`, (head) => {
    let policy: SwappablePolicy;
    const out = new Float32Array(A);
    const still: PolicyNoise = { rng: new Rng(1), purpose: 'evaluate' };
    const observation = new Float32Array(O).fill(1);

    beforeEach(() => {
      policy = create();
    });
    afterEach(() => policy.close());

    const actionAt = async (value: number, noise = still): Promise<number> => {
      await policy.decide(
        observation.map(() => value),
        noise,
        out,
      );
      return out[0]!;
    };

    it('says its sizes, and version 0 before it has weights', async () => {
      expect([policy.observationSize, policy.actionSize, policy.version]).toEqual([O, A, 0]);
      await expect(policy.decide(observation, still, out)).rejects.toMatchObject({ name: 'ReinError', kind: 'policy' });
    });

    /** Weights of either head; see `weightsOf`. */
    const weightsFor = (version: number, value: number): PolicyWeights => weightsOf(version, value, {}, { head });

    it('decides the same on the same observation, and otherwise on another', async () => {
      await policy.swap(weightsFor(1, 0.1));
      const first = await actionAt(1);
      expect(await actionAt(2)).not.toBe(first);
      expect(await actionAt(1)).toBe(first);
    });

    it('leaves the caller’s observation as it was, and does not keep it', async () => {
      await policy.swap(weightsFor(1, 0.1));
      const own = observation.slice();
      const decided = policy.decide(own, still, out);
      own.fill(-5);
      await decided;
      const first = out[0];
      expect(own.every((value) => value === -5)).toBe(true);
      expect(await actionAt(1)).toBe(first);
    });

    it('explores by what is drawn, and draws as many numbers whatever the values', async () => {
      await policy.swap(weightsFor(1, 0.1));
      const best = await actionAt(1);
      const explore = async (seed: number, value: number): Promise<[number, number]> => {
        const rng = new Rng(seed);
        return [await actionAt(value, { rng, purpose: 'explore' }), rng.uniform()];
      };
      const [first, after] = await explore(5, 1);
      expect(first).not.toBe(best);
      expect(await explore(5, 1)).toEqual([first, after]);
      expect((await explore(5, -2))[1]).toBe(after);
      expect((await explore(6, 1))[0]).not.toBe(first);
      expect(await actionAt(1)).toBe(best);
    });

    it('evaluates with noise only where the network says that its noise is always on', async () => {
      const evaluate = (seed: number): Promise<number> => actionAt(1, { rng: new Rng(seed), purpose: 'evaluate' });
      await policy.swap(weightsFor(1, 0.1));
      expect(await evaluate(5)).toBe(await evaluate(6));
      expect(await policy.swap(weightsOf(2, 0.1, {}, { head, metadata: { noise: 'always' } }))).toMatchObject({
        ok: true,
        value: { head: { kind: head, noise: 'always' } },
      });
      expect(await evaluate(5)).not.toBe(await evaluate(6));
      expect(await evaluate(5)).toBe(await evaluate(5));
    });

    it('looks at its own part of an observation, and at nothing behind it', async () => {
      await policy.swap(weightsFor(1, 0.1));
      const own = await actionAt(1);
      await policy.decide(Float32Array.of(...observation, Number.NaN, 7), still, out);
      expect(out[0]).toBe(own);
    });

    it('rejects an observation that is not finite', async () => {
      await policy.swap(weightsFor(1, 0.1));
      await expect(actionAt(Number.NaN)).rejects.toMatchObject({ name: 'ReinError', kind: 'policy' });
      expect(Number.isFinite(await actionAt(1))).toBe(true);
    });

    it.runIf(head === 'gaussian')('rejects an output that is not finite', async () => {
      await policy.swap(weightsFor(1, 0.6));
      await expect(
        policy.decide(
          observation.map(() => 3e38),
          still,
          out,
        ),
      ).rejects.toMatchObject({ name: 'ReinError' });
      expect(Number.isFinite(await actionAt(1))).toBe(true);
    });

    it('acts on new weights after a swap, on the old ones after a refusal or a rollback', async () => {
      await policy.swap(weightsFor(1, 0.1));
      const first = await actionAt(1);
      expect((await policy.swap(weightsFor(2, 0.2))).ok).toBe(true);
      const second = await actionAt(1);
      expect(second).not.toBe(first);
      expect(await policy.swap(weightsFor(3, Number.NaN))).toMatchObject({ ok: false, error: { kind: 'policy' } });
      expect([policy.version, await actionAt(1)]).toEqual([2, second]);
      expect(await policy.rollback()).toEqual({ ok: true, value: 1 });
      expect([policy.version, await actionAt(1)]).toEqual([1, first]);
      expect(await policy.rollback()).toMatchObject({ ok: false });
    });

    it('closes twice, and decides nothing afterwards', async () => {
      await policy.swap(weightsFor(1, 0.1));
      await policy.close();
      await policy.close();
      await expect(policy.decide(observation, still, out)).rejects.toThrow();
    });
  });
}
