import { describe, expect, it } from 'vitest';
import { FaultReporter } from './fault-reporter.ts';
import type { RosFault } from './ros-port.ts';

function reporter(): { readonly faults: FaultReporter; readonly reported: RosFault[]; atMs: (ms: number) => void } {
  const reported: RosFault[] = [];
  let nowMs = 0;
  return {
    faults: new FaultReporter(
      (fault) => void reported.push(fault),
      () => nowMs,
    ),
    reported,
    atMs: (ms) => {
      nowMs = ms;
    },
  };
}

describe('the fault reporter', () => {
  it('lets nothing through, and hands on what was given', async () => {
    const { faults: it, reported } = reporter();
    expect(it.run('topic', () => 3)).toBe(3);
    expect(
      it.run('topic', () => {
        throw new Error('bad');
      }),
    ).toBeUndefined();
    expect(await it.runAsync('service', () => Promise.reject('no error at all'))).toBeUndefined();
    expect(await it.runAsync('service', () => undefined)).toEqual({ value: undefined });
    expect(reported).toEqual([
      { kind: 'callback', where: 'topic', message: 'bad' },
      { kind: 'callback', where: 'service', message: 'no error at all' },
    ]);
  });

  it('tells a cause once a second, whatever numbers it holds', () => {
    const { faults: it, reported, atMs } = reporter();
    for (let i = 0; i < 100; i++) it.report('malformed', '/js', `message ${i} is cut`);
    it.report('malformed', '/other', 'message 1 is cut');
    it.report('malformed', '/js', 'message 1 is too long');
    expect(reported).toHaveLength(3);
    atMs(999);
    it.report('malformed', '/js', 'message 7 is cut');
    expect(reported).toHaveLength(3);
    atMs(1000);
    it.report('malformed', '/js', 'message 8 is cut');
    expect(reported.at(-1)?.message).toBe('message 8 is cut');
  });
});
