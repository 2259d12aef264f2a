import { describe, expect, it, vi } from 'vitest';
import { add, mul } from '../ops/elements.ts';
import { Graph } from './graph.ts';
import { openWithFallback, PingPongState, runtimeOptions, Session } from './session.ts';

const parts = [
  { name: 'a', shape: [3] },
  { name: 'b', shape: [3] },
  { name: 'still', shape: [2] },
];

const changed = new Set(['a', 'b']);

/** a ← b, b ← a + b: overwriting a before it is read would give another result. */
async function fibonacci(): Promise<Session> {
  const g = new Graph('fibonacci');
  const [a, b] = [g.input('a', [3]), g.input('b', [3])];
  g.output('a_next', mul(b, 1));
  g.output('b_next', add(a, b));
  return Session.create(g.serialize());
}

/** A state that begins with a = 0 and b = 1. */
function beginning(): PingPongState {
  const state = new PingPongState(parts);
  state.part('b').fill(1);
  state.part('still').set([7, 8]);
  return state;
}

describe('PingPongState', () => {
  it('never lets a run write what it reads, and makes what was written the next input', () => {
    const state = beginning();
    for (let i = 0; i < 3; i++) {
      const outputs = state.outputsOf(changed);
      const [read, written] = [state.inputs.tensors['a']!, outputs.tensors['a_next']!].map(
        ({ data }) => data as Float32Array,
      );
      expect(read!.buffer).not.toBe(written!.buffer);
      expect(read!.buffer).toBe(state.current.buffer);
      state.commit(changed);
      expect(state.inputs.tensors['a']!.data).toHaveLength(3);
      expect(state.current.buffer).toBe(written!.buffer);
    }
  });

  it('follows a recurrence through the runtime, call after call, and keeps the parts that do not change', async () => {
    const session = await fibonacci();
    const state = beginning();
    const seen: number[] = [];
    for (let i = 0; i < 8; i++) {
      await session.run([state.inputs], [state.outputsOf(changed)]);
      state.commit(changed);
      seen.push(state.part('a')[2]!);
      expect(Array.from(state.part('still'))).toEqual([7, 8]);
    }
    expect(seen).toEqual([1, 1, 2, 3, 5, 8, 13, 21]);
    await session.close();
  });

  it('stays as it was where a run is not taken over, and the next run gives the same again', async () => {
    const session = await fibonacci();
    const state = beginning();
    for (let i = 0; i < 3; i++) {
      await session.run([state.inputs], [state.outputsOf(changed)]);
      expect(Array.from(state.current)).toEqual([0, 0, 0, 1, 1, 1, 7, 8]);
    }
    state.commit(changed);
    expect(Array.from(state.current)).toEqual([1, 1, 1, 1, 1, 1, 7, 8]);
    await session.close();
  });

  it('takes only a state of its own size', () => {
    const state = beginning();
    state.load(Float32Array.from({ length: 8 }, (_, i) => i));
    expect(Array.from(state.part('still'))).toEqual([6, 7]);
    expect(() => state.load(new Float32Array(9))).toThrow('The stored state has 9 numbers, these networks have 8.');
    expect(() => state.part('c')).toThrow('the state has no part named "c"');
  });
});

describe('openWithFallback', () => {
  const providersOf = ({ executionProviders = [] }: ReturnType<typeof runtimeOptions>) => executionProviders[0];

  it('uses the provider that is asked for where it is there', async () => {
    const onFallback = vi.fn();
    expect(await openWithFallback({ provider: 'cuda', onFallback }, async (runtime) => providersOf(runtime))).toBe(
      'cuda',
    );
    expect(onFallback).not.toHaveBeenCalled();
  });

  it('reports in one message what was asked for, why not, and what is used instead', async () => {
    const onFallback = vi.fn();
    const opened = await openWithFallback({ provider: 'webgpu', threads: 2, onFallback }, async (runtime) => {
      if (providersOf(runtime) !== 'cpu') throw new Error('no such library\nat line 7');
      return runtime.intraOpNumThreads;
    });
    expect(opened).toBe(2);
    expect(onFallback).toHaveBeenCalledOnce();
    expect(onFallback.mock.calls[0]![0]).toMatch(/"webgpu".*\(no such library\); it uses the CPU\./);
  });

  it('does not hide an error of the CPU', async () => {
    const open = () => Promise.reject(new Error('broken model'));
    await expect(openWithFallback({}, open)).rejects.toThrow('broken model');
  });
});

describe('runtimeOptions', () => {
  it('lets threads sleep unless they are to spin', () => {
    const spinning = (is: '0' | '1') => ({ extra: { session: { intra_op: { allow_spinning: is } } } });
    expect(runtimeOptions({})).toMatchObject({ intraOpNumThreads: 1, ...spinning('0') });
    expect(runtimeOptions({ threads: 2, spinning: true })).toMatchObject(spinning('1'));
  });
});
