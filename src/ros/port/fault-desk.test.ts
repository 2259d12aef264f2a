import { describe, expect, it } from 'vitest';
import { FaultDesk } from './fault-desk.ts';
import type { RosFault } from './ros-port.ts';

function desk(): { readonly desk: FaultDesk; readonly told: RosFault[]; atMs: (ms: number) => void } {
  const told: RosFault[] = [];
  let nowMs = 0;
  return {
    desk: new FaultDesk(
      (fault) => void told.push(fault),
      () => nowMs,
    ),
    told,
    atMs: (ms) => {
      nowMs = ms;
    },
  };
}

describe('the fault desk', () => {
  it('lets nothing through, and hands on what was given', async () => {
    const { desk: it, told } = desk();
    expect(it.run('topic', () => 3)).toBe(3);
    expect(
      it.run('topic', () => {
        throw new Error('bad');
      }),
    ).toBeUndefined();
    expect(await it.runAsync('service', () => Promise.reject('no error at all'))).toBeUndefined();
    expect(await it.runAsync('service', () => undefined)).toEqual({ value: undefined });
    expect(told).toEqual([
      { kind: 'callback', where: 'topic', message: 'bad' },
      { kind: 'callback', where: 'service', message: 'no error at all' },
    ]);
  });

  it('tells a cause once a second, whatever numbers it holds', () => {
    const { desk: it, told, atMs } = desk();
    for (let i = 0; i < 100; i++) it.report('malformed', '/js', `message ${i} is cut`);
    it.report('malformed', '/other', 'message 1 is cut');
    it.report('malformed', '/js', 'message 1 is too long');
    expect(told).toHaveLength(3);
    atMs(999);
    it.report('malformed', '/js', 'message 7 is cut');
    expect(told).toHaveLength(3);
    atMs(1000);
    it.report('malformed', '/js', 'message 8 is cut');
    expect(told.at(-1)?.message).toBe('message 8 is cut');
  });
});
