import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeMlpGraph } from '../../bench/policy/mlp-graph.ts';
import { A, bakedPolicy, O, SCHEMA, Z } from '../../tests/support/policy-fixture.ts';
import { ReinError, Rng, sha256Hex } from '../model/index.ts';
import { loadPolicyFile, type PolicyFileManifest, readPolicyManifest, savePolicyFile } from './policy-file.ts';

const expected = { observationSize: O, actionSize: A, schemaHash: SCHEMA };
const manifest: Omit<PolicyFileManifest, 'digest' | 'head'> = {
  runId: 'run-a',
  version: 7,
  parent: null,
  trainingStep: 1200,
  updates: 4800,
  schemaHash: SCHEMA,
  observationSize: O,
  actionSize: A,
  robot: 'arm6',
  task: 'insert',
  createdAt: '2026-01-02T03:04:05.000Z',
};
const onnx = bakedPolicy((i) => Math.sin(i) * 0.3);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rein-policy-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const file = (): string => join(folder, 'policy.onnx');

/** The error that loading gives; it must be one clear sentence of kind 'policy'. */
async function refusal(path = folder): Promise<ReinError> {
  const error = await loadPolicyFile(path, expected).then(
    async (policy) => {
      await policy.close();
      throw new Error('the file was accepted');
    },
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ReinError)) throw error;
  expect(error.kind).toBe('policy');
  expect(error.message).toMatch(/^[^\n]+\.$/);
  expect(error.remedy).toMatch(/^[^\n]+\.$/);
  return error;
}

/** Puts `bytes` into place with a manifest that fits them. */
async function plant(bytes: Uint8Array, change: Partial<PolicyFileManifest> = {}): Promise<void> {
  await savePolicyFile(folder, bytes, { ...manifest, ...change });
}

describe('a policy file', () => {
  it('comes back as a policy that acts, by its own path or its folder', async () => {
    expect(await savePolicyFile(folder, onnx, manifest)).toBe(file());
    const actions: Float32Array[] = [];
    for (const path of [folder, file()]) {
      const policy = await loadPolicyFile(path, expected);
      const action = new Float32Array(A);
      await policy.decide(new Float32Array(O).fill(0.5), { rng: new Rng(1), purpose: 'evaluate' }, action);
      actions.push(action);
      expect(policy.version).toBe(7);
      await policy.close();
    }
    expect(actions[0]).toEqual(actions[1]);
    expect(Math.abs(actions[0]![0]!)).toBeGreaterThan(0);
    expect(await readPolicyManifest(folder)).toMatchObject(manifest);
  });

  it('says which head its network has, and is refused where the two disagree', async () => {
    await plant(onnx);
    expect((await readPolicyManifest(folder)).head).toEqual({ kind: 'gaussian', noiseSize: A, noise: 'exploring' });
    await plant(bakedPolicy(() => 0.01, { head: 'action', metadata: { noise: 'always' } }));
    const head = { kind: 'action', noiseSize: Z, noise: 'always' };
    const path = join(folder, 'policy.json');
    const said = await readPolicyManifest(folder);
    expect(said.head).toEqual(head);
    await (await loadPolicyFile(folder, expected)).close();
    await writeFile(path, JSON.stringify({ format: 'rein-policy/1', ...said, head: { ...head, noiseSize: 4 } }));
    expect((await refusal()).message).toContain('3 numbers of noise, always, where policy.json says');
    await writeFile(path, JSON.stringify({ format: 'rein-policy/1', ...said, head: { kind: 'mixture' } }));
    expect((await refusal()).message).toContain("a 'head' that this version of Rein does not know");
    await writeFile(path, JSON.stringify({ format: 'rein-policy/1', ...said, head: undefined }));
    await (await loadPolicyFile(folder, expected)).close();
  });

  it('replaces an older one in the same folder', async () => {
    await plant(onnx, { version: 1 });
    await plant(
      bakedPolicy(() => 0.1),
      { version: 2 },
    );
    const policy = await loadPolicyFile(folder, expected);
    expect(policy.version).toBe(2);
    await policy.close();
  });

  it('is refused where it is missing', async () => {
    for (const name of ['nothing.onnx', 'nothing']) {
      const { message } = await refusal(join(folder, name));
      expect(message).toBe(`${join(folder, name)} cannot be read: there is no such file.`);
    }
  });

  it('is refused without its manifest', async () => {
    await writeFile(file(), onnx);
    const error = await refusal();
    expect(error.message).toContain('policy.json cannot be read: there is no such file');
    expect(error.remedy).toContain('copy both');
    // A third-party export has no manifest: it is refused here, and accepted elsewhere.
    expect(error.remedy).toContain('goes into a task: basePolicy: { file: ');
  });

  it('is refused when truncated, at any length', async () => {
    await plant(onnx);
    for (let length = 0; length < onnx.length; length += 100) {
      await writeFile(file(), onnx.subarray(0, length));
      expect((await refusal()).message).toContain('truncated');
    }
  });

  it('is refused when truncated before its manifest was written, at any length', async () => {
    for (let length = 0; length < onnx.length; length += 100) {
      await plant(onnx.subarray(0, length));
      expect((await refusal()).message).toContain('cannot be used');
    }
  });

  it('is refused with any bit of its header flipped', async () => {
    await plant(onnx);
    for (let bit = 0; bit < 64 * 8; bit += 7) {
      const damaged = onnx.slice();
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      await writeFile(file(), damaged);
      expect((await refusal()).message).toContain('damaged');
    }
  });

  it('is refused when it is of another robot or task', async () => {
    await plant(onnx, { schemaHash: 'ffffffffffffffff', robot: 'other', task: 'wipe' });
    expect((await refusal()).message).toContain('is for other/wipe');
  });

  it('is refused where it says that its steps are of another length than those of the task', async () => {
    const action = {
      kind: 'joint',
      dimensions: [1, 2].map((i) => ({ name: `j${i}`, scale: 0.1, unit: 'rad' as const })),
    } as const;
    await plant(bakedPolicy(() => 0.1, { metadata: { action: JSON.stringify({ ...action, periodS: 0.05 }) } }));
    const load = (policyHz: number) => loadPolicyFile(folder, { ...expected, taskAction: { action, policyHz } });
    await (await load(20)).close();
    await expect(load(10)).rejects.toMatchObject({
      kind: 'policy',
      message: expect.stringContaining(
        "was made for 20 steps a second (its metadata says a periodS of 0.05), where the task's",
      ),
      remedy: "Set the task's policyHz to 20, or take a policy that was made for 10 Hz.",
    });
  });

  it('is refused with NaN among its weights, and says which', async () => {
    const { graph } = writeMlpGraph({
      observationSize: O,
      hiddenSizes: [8, 8],
      actionSize: A,
      parameters: 'baked',
      valueAt: (i) => (i === O * 8 ? Number.NaN : 0.1),
    });
    await plant(graph);
    expect((await refusal()).message).toContain("'hidden0.bias' holds a number that is not finite");
  });

  it('is refused with shapes that do not fit, whatever its manifest says', async () => {
    const other = writeMlpGraph({
      observationSize: O + 1,
      hiddenSizes: [4],
      actionSize: A,
      parameters: 'baked',
      valueAt: () => 0.1,
    });
    await plant(other.graph);
    expect((await refusal()).message).toContain(`[1, ${O + 1}]`);
    await plant(other.graph, { observationSize: O + 1 });
    expect((await refusal()).message).toContain(`takes ${O + 1} numbers`);
  });

  it('is refused when it is not ONNX', async () => {
    for (const text of ['', 'hello', '{"a": 1}', '\x08\x08']) {
      await plant(Buffer.from(text));
      expect((await refusal()).message).toContain('not a whole ONNX model');
    }
  });

  it('is refused when its weights are inputs: those belong to a weights bundle', async () => {
    const bundle = writeMlpGraph({
      observationSize: O,
      hiddenSizes: [8],
      actionSize: A,
      parameters: 'inputs',
      valueAt: () => 0.1,
    });
    await plant(bundle.graph);
    expect((await refusal()).message).toContain("'hidden0.weight' is missing");
  });

  it('is refused with a manifest that is for another file or is not one', async () => {
    await plant(onnx);
    const path = join(folder, 'policy.json');
    const good = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    expect(good['digest']).toBe(sha256Hex(onnx));
    const cases: [unknown, string][] = [
      [{ ...good, digest: '00' }, 'is not the file'],
      [{ ...good, format: 'rein-policy/9' }, 'rein-policy/1'],
      [{ ...good, version: 1.5 }, "'version'"],
      [{ ...good, parent: 'x' }, "'parent'"],
      [{ ...good, robot: undefined }, "'robot'"],
      [[], 'not a JSON object'],
      [null, 'not a JSON object'],
    ];
    for (const [content, words] of cases) {
      await writeFile(path, JSON.stringify(content));
      expect((await refusal()).message).toContain(words);
    }
    await writeFile(path, '{"format": "rein-pol');
    expect((await refusal()).message).toContain('is not JSON');
  });

  it('says that it could not be written, and leaves the one before', async () => {
    await plant(onnx);
    const error = await savePolicyFile(join(file(), 'below-a-file'), onnx, manifest).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ReinError);
    expect((error as ReinError).kind).toBe('storage');
    await (await loadPolicyFile(folder, expected)).close();
  });
});
