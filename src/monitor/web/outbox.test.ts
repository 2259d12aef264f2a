import { describe, expect, it } from 'vitest';
import { encodeJson } from '../../rows/index.ts';
import { decodeJson, kindOf } from '../../rows/telemetry.ts';
import { Outbox } from './outbox.ts';

/** Sink of a page that accepts more once it is drained. */
function way(window?: number) {
  const sent: Uint8Array[] = [];
  const sink = { bufferedAmount: 0, send: (packet: Uint8Array) => void sent.push(packet) };
  const box = new Outbox(sink, window);
  return { sink, box, said: () => sent.map((packet) => [kindOf(packet), decodeJson(packet)]) };
}

describe('what a page has still to be told', () => {
  it('goes out at once where there is room', () => {
    const { box, said } = way();
    box.put(encodeJson('status', 1));
    box.put(encodeJson('event', 2));
    expect(said()).toEqual([
      ['status', 1],
      ['event', 2],
    ]);
    expect(box.waitingBytes).toBe(0);
  });

  it('is of states the newest only, and of what happened all, in order', () => {
    const { sink, box, said } = way();
    sink.bufferedAmount = 1e6;
    for (let i = 0; i < 5; i++) {
      box.put(encodeJson('status', i));
      box.put(encodeJson('event', i));
    }
    expect(said()).toEqual([]);
    sink.bufferedAmount = 0;
    box.flush();
    expect(said()).toEqual([...[0, 1, 2, 3, 4].map((i) => ['event', i]), ['status', 4]]);
    expect(box.skipped).toBe(4);
  });

  it('is bounded where nobody reads, in number and in bytes', () => {
    const { sink, box } = way();
    sink.bufferedAmount = 1e6;
    for (let i = 0; i < 10_000; i++) box.put(encodeJson('event', { i, text: 'x'.repeat(i % 10 === 0 ? 50_000 : 10) }));
    expect(box.waitingBytes).toBeLessThan(1.1 * 2 ** 20);
    expect(box.skipped).toBeGreaterThan(9000);
  });

  it('is no further frame for a page that has not shown the last, and then the newest', () => {
    const { box, said } = way(2);
    for (let i = 0; i < 5; i++) box.put(encodeJson('frame', i));
    box.put(encodeJson('status', 0));
    expect(said()).toEqual([
      ['frame', 0],
      ['frame', 1],
      ['status', 0],
    ]);
    box.answer();
    box.answer();
    // Nothing is queued: a second acknowledgement sends nothing, but counts.
    expect(said().slice(3)).toEqual([['frame', 4]]);
    for (let i = 5; i < 8; i++) box.put(encodeJson('frame', i));
    expect(said().slice(4)).toEqual([['frame', 5]]);
  });

  it('is no further frame where a page says two things of the same', () => {
    const { box, said } = way(1);
    for (let i = 0; i < 4; i++) box.put(encodeJson('frame', i));
    box.answer(0.5);
    box.answer(0.5);
    expect(said()).toEqual([
      ['frame', 0],
      ['frame', 3],
    ]);
    box.put(encodeJson('frame', 4));
    box.answer(0.5);
    expect(said()).toHaveLength(2);
    box.answer(0.52);
    expect(said()).toHaveLength(3);
  });

  it('is nothing that is no packet', () => {
    const { box, said } = way();
    box.put(Uint8Array.of(200, 1, 2));
    box.put(new Uint8Array(0));
    expect(said()).toEqual([]);
  });
});
