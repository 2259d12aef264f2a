import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { castPolicy, chunkPolicy } from '../../../tests/support/base-policies.ts';
import { bakedPolicy } from '../../../tests/support/policy-fixture.ts';
import { type ActionSpec, type ObservationSpec, ReinError, Rng, sha256Hex } from '../../model/index.ts';
import type { BasePolicy } from './base-policy.ts';
import { type BasePolicyOptions, openBasePolicy } from './open-base.ts';

const field = (name: string, size: number) => ({ name, size, unit: '1', frame: 'none' });
/** Two frames of five numbers, one previous action, and the base's own: a state of 12 numbers. */
const observation: ObservationSpec = {
  frames: 2,
  fields: [field('joints', 3), field('tool', 2)],
  once: [field('previous_actions', 2), field('base_action', 2)],
};
/** Two-dimensional action of the task. */
const action: ActionSpec = {
  kind: 'cartesian',
  dimensions: [
    { name: 'x', scale: 0.004, unit: 'm' },
    { name: 'yaw', scale: 0.1, unit: 'rad' },
  ],
};
const state = Float32Array.from({ length: 12 }, (_, i) => i / 10);

const folder = mkdtempSync(join(tmpdir(), 'rein-base-'));
const open: BasePolicy[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((base) => base.close()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function base(bytes: Uint8Array, options: Partial<BasePolicyOptions> = {}): Promise<BasePolicy> {
  const file = join(folder, 'bc.onnx');
  writeFileSync(file, bytes);
  const made = await openBasePolicy({ file, observation, action, policyHz: 10, ...options });
  open.push(made);
  made.reset(new Rng(1));
  return made;
}

async function act(policy: BasePolicy): Promise<number[]> {
  const out = new Float32Array(2);
  await policy.act(state, out);
  return [...out].map((value) => Math.round(1e5 * value) / 1e5);
}

const chunked = chunkPolicy({ inputShape: [1, 5], outputShape: [1, 4, 2] });

describe('a base policy', () => {
  it('gives the actions of its chunk one after the other, from the newest frame where its input is of that size', async () => {
    const policy = await base(chunked, { executeSteps: 3 });
    const places = [];
    for (let i = 0; i < 4; i++) {
      const [x, y] = await act(policy);
      places.push([x, y, policy.place.chunk, policy.place.index]);
    }
    // The newest frame begins at 0.5, 0.6.
    expect(places).toEqual([
      [0.05, 0.06, 0, 0],
      [0.1, 0.12, 0, 1],
      [0.15, 0.18, 0, 2],
      [0.05, 0.06, 1, 0],
    ]);
  });

  it('forgets its chunk at the start of an episode and where it is told that something else was done', async () => {
    const policy = await base(chunked);
    await act(policy);
    await act(policy);
    policy.reset(new Rng(1));
    expect([await act(policy), policy.place]).toEqual([[0.05, 0.06], { chunk: 1, index: 0 }]);
    policy.drop();
    await act(policy);
    expect(policy.place).toEqual({ chunk: 2, index: 0 });
  });

  it.each([
    ['all of the state', 12, undefined, [0, 0.01]],
    ['all frames', 10, undefined, [0, 0.01]],
    ['a field of the newest step', 2, ['tool'], [0.08, 0.09]],
    ['a field of all steps', 4, ['tool'], [0.03, 0.04]],
    ['fields in another order', 4, ['previous_actions', 'tool'], [0.1, 0.11]],
  ] as const)('sees %s', async (_what, size, fields, action) => {
    const bytes = chunkPolicy({ input: 'seen', inputShape: [1, size], outputShape: [1, 2] });
    const policy = await base(bytes, fields === undefined ? {} : { inputs: [{ name: 'seen', fields, noise: false }] });
    expect(await act(policy)).toEqual(action);
  });

  it('is clipped to what an action may be', async () => {
    const policy = await base(chunkPolicy({ inputShape: [1, 12], outputShape: [1, 2], bias: 3 }));
    expect(await act(policy)).toEqual([1, 1]);
  });

  it('may be a policy of ours: what a Gaussian one does without exploring, or an action head without noise', async () => {
    const sizes = { observationSize: 12, batch: 'open' } as const;
    const mean = (await act(await base(bakedPolicy(() => 0.02, sizes))))[0]!;
    const action = (await act(await base(bakedPolicy(() => 0.02, { ...sizes, head: 'action' }))))[0]!;
    expect(mean).toBeGreaterThan(0.01);
    expect(action).toBe(mean);
  });

  it('draws its noise from the generator of the episode, where it wants any', async () => {
    const policy = await base(
      bakedPolicy(() => 0.02, { observationSize: 12, head: 'action', metadata: { noise: 'always' } }),
    );
    const first = await act(policy);
    expect(await act(policy)).not.toEqual(first);
    policy.reset(new Rng(1));
    expect(await act(policy)).toEqual(first);
  });

  it('says so where it gives nothing usable later on', async () => {
    const policy = await base(chunkPolicy({ inputShape: [1, 12], outputShape: [1, 2] }));
    const error = await policy.act(new Float32Array(12).fill(Number.NaN), new Float32Array(2)).catch((e: unknown) => e);
    expect(error).toMatchObject({ name: 'ReinError', kind: 'task' });
    expect((error as Error).message).toBe('The base policy bc.onnx gave an action that is not finite.');
  });
});

/** A policy exported by Rein whose metadata has this `action`, plus the entries of `more`. */
function saying(said: object | string, more: Readonly<Record<string, string>> = {}): Uint8Array {
  const metadata = { action: typeof said === 'string' ? said : JSON.stringify(said), ...more };
  return bakedPolicy(() => 0.02, { observationSize: 12, metadata });
}
const [x, yaw] = action.dimensions as [ActionSpec['dimensions'][0], ActionSpec['dimensions'][0]];

describe('a base policy that says what its actions are', () => {
  const ranges = (high: number, unit = 'm') =>
    JSON.stringify([
      { name: 'forth', unit, low: -high, high },
      { name: 'turn', unit: unit === 'm' ? 'rad' : unit, low: -0.1, high: 0.1 },
    ]);

  it.each([
    ['the same', saying({ ...action, periodS: 0.1 * (1 + 1e-9) })],
    [
      'the same, by the ranges of an environment',
      saying({ kind: 'normalised', periodS: 0.1 }, { command: ranges(0.004) }),
    ],
    ['nothing of what 1 means', saying({ kind: 'normalised', periodS: 0.1 }, { command: ranges(1, 'normalised') })],
    ['something else, as others may', saying('absolute joint positions', { command: 'none' })],
  ])('is taken where that is %s', async (_what, bytes) => {
    expect((await base(bytes)).place).toBeDefined();
  });

  it.each<[string, Uint8Array, string]>([
    [
      'its steps are of another length',
      saying({ ...action, periodS: 0.05 }),
      "bc.onnx was made for 20 steps a second (its metadata says a periodS of 0.05), where the task's policyHz is 10.",
    ],
    [
      'it goes further',
      saying({ ...action, dimensions: [{ ...x, scale: 0.008 }, yaw], periodS: 0.1 }),
      "bc.onnx has x of up to 0.008 m a step as number 1 of its action, where the task's is x of up to 0.004 m.",
    ],
    [
      'its numbers stand in another order',
      saying({ ...action, dimensions: [yaw, x] }),
      "has yaw of up to 0.1 rad a step as number 1 of its action, where the task's is x of up to 0.004 m.",
    ],
    ['it moves joints', saying({ ...action, kind: 'joint' }), "gives joint actions, where the task's are cartesian."],
    [
      'its environment had another range',
      saying({ kind: 'normalised' }, { command: ranges(0.002) }),
      "has forth of up to 0.002 m a step as number 1 of its action, where the task's is x of up to 0.004 m.",
    ],
  ])('is refused where %s', async (_why, bytes, words) => {
    const error = await base(bytes).catch((e: unknown) => e);
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(words) });
    expect((error as ReinError).remedy).toMatch(/, or take a policy that was made for /);
  });
});

describe('a base policy that does not fit is refused before anything moves, because', () => {
  const good = { inputShape: [1, 12], outputShape: [1, 2] } as const;
  const twoInputs = bakedPolicy(() => 0.1, { observationSize: 12, head: 'action' });
  const renamed = Buffer.from(Buffer.from(twoInputs).toString('latin1').replaceAll('noise', 'sigma'), 'latin1');
  const misspelt = Buffer.from(
    Buffer.from(chunkPolicy(good)).toString('latin1').replaceAll('MatMul', 'MatMal'),
    'latin1',
  );
  const inputs = (name: string, fields?: readonly string[]) => ({ inputs: [{ name, fields, noise: false }] });
  it.each<[string, Uint8Array, Partial<BasePolicyOptions>, string]>([
    ['there is none', chunked, { file: join(folder, 'none.onnx') }, 'none.onnx cannot be read: there is no such file'],
    ['it is another file', chunked, { sha256: '0'.repeat(64) }, `SHA-256 ${sha256Hex(chunked)}, where`],
    ['it is no network', Buffer.from('hello'), {}, 'The base policy bc.onnx is not a whole ONNX model.'],
    ['it is empty', Buffer.from(''), {}, 'bc.onnx is not a whole ONNX model.'],
    [
      'its opset is not known yet',
      castPolicy({ size: 12, to: 1, opset: 99 }),
      {},
      'bc.onnx is written in opset 99, where the runtime here, onnxruntime, knows',
    ],
    [
      'its actions are not float32',
      castPolicy({ size: 12, to: 11, opset: 17 }),
      {},
      'bc.onnx gives "action" as float64, where actions are float32.',
    ],
    ['it uses an operator that is not there', misspelt, {}, 'MatMal'],
    [
      'it sees more than there is',
      chunkPolicy({ ...good, inputShape: [1, 7] }),
      {},
      'takes "observation.state" as [1, 7], but the task\'s observation gives 12 (all of it) or 10 (its 2 frames) or 5',
    ],
    [
      'a field is unknown',
      chunkPolicy(good),
      inputs('observation.state', ['camera']),
      'has no "camera", it has joints',
    ],
    ['a field is its own action', chunkPolicy(good), inputs('observation.state', ['base_action']), 'no "base_action"'],
    ['an input is unknown', chunkPolicy(good), inputs('state'), 'has no input "state"'],
    ['an input gets nothing', renamed, {}, 'takes observation, sigma, and it is not specified what "observation" gets'],
    ['a batch is wanted', chunkPolicy({ ...good, inputShape: [4, 3] }), {}, 'one observation at a time'],
    [
      'its actions are others',
      chunkPolicy({ ...good, outputShape: [1, 3, 7] }),
      {},
      'as [1, 3, 7], where this task needs [1, 2]',
    ],
    ['its output is another', chunkPolicy(good), { output: 'actions' }, 'gives action, and not "actions"'],
    ['its chunk is another', chunked, { chunk: 8 }, 'chunks of 4 actions, where basePolicy.chunk is 8'],
    ['its chunk is too short', chunked, { executeSteps: 5 }, 'chunks of 4 actions, where basePolicy.executeSteps is 5'],
    ['it has diverged', chunkPolicy({ ...good, bias: Number.NaN }), {}, 'not finite for an observation of zeros'],
  ])('%s', async (_why, bytes, options, words) => {
    const error = await base(bytes, options).catch((e: unknown) => e);
    if (!(error instanceof ReinError)) throw error;
    expect(error.kind).toBe('config');
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/^The base policy [^\n]+\.$/);
    expect(error.remedy).toMatch(/^[^\n]+\.$/);
  });
});
