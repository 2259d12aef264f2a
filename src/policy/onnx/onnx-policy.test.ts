import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { A, O, SCHEMA, weightsOf, Z } from '../../../tests/support/policy-fixture.ts';
import { type PolicyWeights, Rng, sealWeights } from '../../model/index.ts';
import type { PolicyNoise } from '../policy.ts';
import { OnnxPolicy, type OnnxPolicyOptions } from './onnx-policy.ts';

const open: OnnxPolicy[] = [];

function policy(change: Partial<OnnxPolicyOptions> = {}): OnnxPolicy {
  const made = new OnnxPolicy({ observationSize: O, actionSize: A, schemaHash: SCHEMA, ...change });
  open.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((p) => p.close()));
});

const out = new Float32Array(A);
const still: PolicyNoise = { rng: new Rng(1), purpose: 'evaluate' };
const ones = new Float32Array(O).fill(1);

/** Output of a network with all parameters equal to w for an input of ones, computed by hand, layer by layer. */
function expected(w: number): number {
  const relu = (x: number): number => Math.max(0, x);
  const first = relu(O * w + w);
  const second = relu(8 * first * w + w);
  return Math.tanh(8 * second * w + w);
}

async function actionOf(p: OnnxPolicy): Promise<number> {
  await p.decide(ones, still, out);
  expect(out[0]).toBe(out[1]);
  return out[0]!;
}

/** `weights` with another manifest digest computed over changed content. */
function redigested(changed: PolicyWeights): PolicyWeights {
  return sealWeights(changed.manifest, changed.graph, changed.weights);
}

/** `weights` with every `from` in its graph replaced by `to`, which is as long. */
function relabelled(weights: PolicyWeights, from: string, to: string): PolicyWeights {
  const graph = Buffer.from(Buffer.from(weights.graph).toString('latin1').replaceAll(from, to), 'latin1');
  return { ...weights, graph };
}

describe('OnnxPolicy', () => {
  it('has version 0 and refuses to decide before the first weights', async () => {
    const p = policy();
    expect(p.version).toBe(0);
    await expect(p.decide(ones, still, out)).rejects.toThrow('no weights yet');
  });

  it('computes the network that its weights say', async () => {
    const p = policy();
    expect((await p.swap(weightsOf(1, 0.1))).ok).toBe(true);
    expect(await actionOf(p)).toBeCloseTo(expected(0.1), 6);
    expect(p.version).toBe(1);
  });

  it('numbers the runs whose weights act, back and forth', async () => {
    const p = policy();
    const from = (runId: string, version: number): PolicyWeights => {
      const made = weightsOf(version, 0.1);
      return redigested({ ...made, manifest: { ...made.manifest, runId } });
    };
    const runs = [p.run];
    for (const weights of [from('a', 1), from('a', 2), from('b', 3), from('a', 4)]) {
      expect((await p.swap(weights)).ok).toBe(true);
      runs.push(p.run);
    }
    p.rollback();
    expect([...runs, p.run]).toEqual([0, 1, 1, 2, 1, 2]);
  });

  it('swaps to newer weights and reports how far the actions moved', async () => {
    const p = policy();
    await p.swap(weightsOf(1, 0.1));
    const swapped = await p.swap(weightsOf(2, 0.2));
    if (!swapped.ok) throw swapped.error;
    expect(swapped.value).toMatchObject({ version: 2, previousVersion: 1 });
    expect(swapped.value.canary.driftMax).toBeGreaterThan(0.01);
    expect(await actionOf(p)).toBeCloseTo(expected(0.2), 5);
  });

  it('does not depend on the memory of the weights it was given', async () => {
    const p = policy();
    const weights = weightsOf(1, 0.1);
    await p.swap(weights);
    weights.weights.fill(Number.NaN);
    expect(await actionOf(p)).toBeCloseTo(expected(0.1), 6);
  });

  it('gives old or new outputs, never a mixture, while weights are swapped during inferences', async () => {
    const p = policy();
    await p.swap(weightsOf(1, 0.05));
    const allowed = [0.05, 0.1, 0.15, 0.2].map((w) => Math.fround(expected(w)));
    let isSwapping = true;
    const swapAll = async (): Promise<void> => {
      for (let version = 2; version <= 60; version++) {
        // Every tenth version has another graph, so that sessions are exchanged as well.
        const w = 0.05 * (1 + (version % 4));
        const same = weightsOf(version, w);
        const other = { ...same, graph: Buffer.concat([same.graph, Uint8Array.from([0x12, 1, 0x78])]) };
        const swapped = await p.swap(version % 10 === 0 ? redigested(other) : same);
        if (!swapped.ok) throw swapped.error;
      }
    };
    const swaps = swapAll().finally(() => {
      isSwapping = false;
    });
    const versions = new Set<number>();
    while (isSwapping) {
      const version = p.version;
      const action = await actionOf(p);
      const nearest = allowed.findIndex((a) => Math.abs(a - action) < 1e-5 * a);
      expect(nearest, `an action of ${action} at version ${version}`).toBe(version === 1 ? 0 : version % 4);
      versions.add(version);
    }
    await swaps;
    expect(versions.size).toBeGreaterThan(20);
  });

  it('goes back to the weights before, and does not take the rejected version again', async () => {
    const p = policy();
    await p.swap(weightsOf(1, 0.1));
    await p.swap(weightsOf(2, 0.2));
    expect(p.rollback()).toEqual({ ok: true, value: 1 });
    expect(await actionOf(p)).toBeCloseTo(expected(0.1), 6);
    const again = await p.swap(weightsOf(2, 0.2));
    expect(again.ok ? '' : again.error.message).toContain('versions only rise');
    expect((await p.swap(weightsOf(3, 0.15))).ok).toBe(true);
    expect(await actionOf(p)).toBeCloseTo(expected(0.15), 5);
  });

  it('keeps three earlier weights and says so when there are none left', async () => {
    const p = policy();
    for (let version = 1; version <= 6; version++) await p.swap(weightsOf(version, 0.03 * version));
    expect([p.rollback(), p.rollback(), p.rollback()].map((r) => (r.ok ? r.value : 0))).toEqual([5, 4, 3]);
    expect(p.rollback().ok).toBe(false);
    expect(await actionOf(p)).toBeCloseTo(expected(0.09), 5);
  });

  const nan = weightsOf(2, (i) => (i === 30 ? Number.NaN : 0.1));
  const short = weightsOf(2, 0.1);
  const refusals: readonly [string, PolicyWeights, string][] = [
    ['of another robot or task', weightsOf(2, 0.1, { schemaHash: 'ffff' }), 'schema ffff'],
    ['of another run', weightsOf(2, 0.1, { runId: 'run-b' }), 'run run-b'],
    ['of the same version', weightsOf(1, 0.2), 'versions only rise'],
    ['of version 1.5', weightsOf(1.5, 0.2), 'positive integer'],
    ['with NaN inside', nan, 'NaN'],
    ['with another digest', weightsOf(2, 0.1, { digest: '00' }), 'digest'],
    ['with too few numbers', { ...short, weights: short.weights.subarray(1) }, 'numbers'],
    ['with other sizes than the robot', weightsOf(2, 0.1, {}, { observationSize: 6 }), '[1, 6]'],
    ['with a parameter that the graph has not', renamed('bogus'), "no 'bogus'"],
    ['with a repeated name', renamed('hidden0.bias'), 'repeats'],
    ['with a graph cut short', redigested({ ...short, graph: short.graph.subarray(0, 300) }), 'whole ONNX model'],
    ['with an output out of all bounds', weightsOf(2, 100), 'mean of'],
    ['with a log-spread out of all bounds', weightsOf(2, spread), 'log-spread'],
  ];

  function renamed(name: string): PolicyWeights {
    const { shapes } = short.manifest;
    return redigested({
      ...short,
      manifest: { ...short.manifest, shapes: [{ ...shapes[0]!, name }, ...shapes.slice(1)] },
    });
  }

  function spread(i: number): number {
    return i >= short.weights.length - A ? 30 : 0;
  }

  for (const [what, weights, words] of refusals) {
    it(`refuses weights ${what}, in one sentence, and keeps those it has`, async () => {
      const p = policy({ runId: 'run-a' });
      await p.swap(weightsOf(1, 0.1));
      const swapped = await p.swap(weights);
      expect(swapped.ok ? '' : swapped.error.message).toContain(words);
      expect(swapped.ok ? '' : swapped.error.message).not.toContain('\n');
      expect(p.version).toBe(1);
      expect(await actionOf(p)).toBeCloseTo(expected(0.1), 6);
    });
  }

  it('accepts the next version after a refused one', async () => {
    const p = policy();
    await p.swap(weightsOf(1, 0.1));
    await p.swap(nan);
    expect((await p.swap(weightsOf(2, 0.2))).ok).toBe(true);
  });

  it('never gives an action that is not finite', async () => {
    const p = policy();
    await p.swap(weightsOf(1, 0.6));
    expect(p.version).toBe(1);
    await expect(p.decide(new Float32Array(O).fill(3e38), still, out)).rejects.toThrow('not finite');
    await expect(p.decide(new Float32Array(O).fill(Number.NaN), still, out)).rejects.toThrow('observation');
    expect(await actionOf(p)).toBeCloseTo(expected(0.6), 3);
  });

  it('throws on misuse: a wrong size, or two inferences at once', async () => {
    const p = policy();
    await p.swap(weightsOf(1, 0.1));
    await expect(p.decide(new Float32Array(O - 1), still, out)).rejects.toThrow(RangeError);
    const first = p.decide(ones, still, out);
    await expect(p.decide(ones, still, out)).rejects.toThrow('one decision at a time');
    await first;
  });

  it('closes during an inference and a swap without harm, and twice', async () => {
    const p = policy();
    await p.swap(weightsOf(1, 0.1));
    const inference = p.decide(ones, still, out);
    const swap = p.swap(weightsOf(2, 0.2));
    await Promise.all([inference, swap, p.close()]);
    await p.close();
    await expect(p.decide(ones, still, out)).rejects.toThrow('no weights');
  });

  it('takes actions from a graph that makes them itself, of observation and noise', async () => {
    const p = policy();
    const swapped = await p.swap(weightsOf(1, 0.05, {}, { head: 'action' }));
    expect(swapped).toMatchObject({ ok: true, value: { head: { kind: 'action', noiseSize: Z, noise: 'exploring' } } });
    expect(await actionOf(p)).toBeCloseTo(expected(0.05), 6);
    const draws = new Float32Array(Z);
    new Rng(9).fillNormal(draws);
    const shift = 0.05 * draws.reduce((sum, draw) => sum + draw);
    await p.decide(ones, { rng: new Rng(9), purpose: 'explore' }, out);
    expect(out[0]).toBeCloseTo(Math.tanh(Math.atanh(expected(0.05)) + shift), 5);
  });

  it('exchanges one head for another, and says how far the actions moved', async () => {
    const p = policy();
    await p.swap(weightsOf(1, 0.1));
    const swapped = await p.swap(weightsOf(2, 0.1, {}, { head: 'action' }));
    if (!swapped.ok) throw swapped.error;
    expect(swapped.value.canary.driftMax).toBeLessThan(1e-6);
    await p.swap(weightsOf(3, 0.2));
    expect(await actionOf(p)).toBeCloseTo(expected(0.2), 5);
    p.rollback();
    expect(await actionOf(p)).toBeCloseTo(expected(0.1), 6);
  });

  const otherHeads: readonly [string, PolicyWeights, string][] = [
    ['actions beyond ±1', weightsOf(2, 0.2, {}, { head: 'unbounded' }), 'give an action of'],
    ['noise that is neither', weightsOf(2, 0.1, {}, { metadata: { noise: 'never' } }), 'neither exploring nor always'],
    ['no head at all', redigested(relabelled(weightsOf(2, 0.1), 'log_std', 'log_sdt')), "gives 'mean', 'log_sdt'"],
  ];
  it.each(otherHeads)('refuses a network with %s', async (_what, weights, words) => {
    const swapped = await policy().swap(weights);
    expect(swapped.ok ? '' : swapped.error.message).toContain(words);
  });

  it('survives any bytes as a graph', async () => {
    const p = policy();
    await p.swap(weightsOf(1, 0.1));
    const good = weightsOf(2, 0.1);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: good.graph.length * 8 - 1 }), async (bit) => {
        const graph = good.graph.slice();
        graph[bit >> 3]! ^= 1 << (bit & 7);
        await policyWithGraph(redigested({ ...good, graph }));
      }),
      { numRuns: 150 },
    );
    async function policyWithGraph(weights: PolicyWeights): Promise<void> {
      const other = new OnnxPolicy({ observationSize: O, actionSize: A, schemaHash: SCHEMA });
      const swapped = await other.swap(weights);
      if (!swapped.ok) expect(swapped.error.name).toBe('ReinError');
      await other.close();
    }
  });
});
