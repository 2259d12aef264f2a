import { describe, expect, it } from 'vitest';
import { openWithFallback, type RuntimeOptions, runtimeOptions } from './session-options.ts';

describe('openWithFallback', () => {
  it('uses the provider that is asked for where it is there', async () => {
    const said: string[] = [];
    const onFallback = (sentence: string) => said.push(sentence);
    const opened = await openWithFallback({ provider: 'cuda', onFallback }, async (o) => o.executionProviders[0]);
    expect(opened).toEqual({ session: 'cuda', provider: 'cuda' });
    expect(said).toEqual([]);
  });

  it('says in one sentence what was asked for, why not, and what is used instead', async () => {
    const said: string[] = [];
    const open = async ({ executionProviders, intraOpNumThreads }: RuntimeOptions) => {
      if (executionProviders[0] !== 'cpu') throw new Error('no such library\nat line 7');
      return intraOpNumThreads;
    };
    const onFallback = (sentence: string) => said.push(sentence);
    const opened = await openWithFallback({ provider: 'webgpu', threads: 2, onFallback }, open);
    expect(opened).toEqual({ session: 2, provider: 'cpu' });
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/"webgpu".*\(no such library\); it uses the CPU\./);
  });

  it('does not hide what is wrong on the CPU', async () => {
    const open = () => Promise.reject(new Error('broken model'));
    await expect(openWithFallback({}, open)).rejects.toThrow('broken model');
  });
});

describe('runtimeOptions', () => {
  it('lets threads sleep unless they are told to spin', () => {
    expect(runtimeOptions({}).extra.session.intra_op.allow_spinning).toBe('0');
    expect(runtimeOptions({}).intraOpNumThreads).toBe(1);
    expect(runtimeOptions({ threads: 2, spinning: true }).extra.session.intra_op.allow_spinning).toBe('1');
  });
});
