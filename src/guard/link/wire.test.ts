import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { encodeMessage, MAX_PAYLOAD_BYTES, MESSAGE, MessageDecoder } from './wire.ts';

const messages = fc.array(
  fc.record({ kind: fc.integer({ min: 1, max: 255 }), payload: fc.uint8Array({ maxLength: 300 }) }),
  { maxLength: 12 },
);

describe('the wire between node and guard', () => {
  it('gives back every message, however the stream is split or merged', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }), (sent, sizes) => {
        const stream = Buffer.concat(sent.map(({ kind, payload }) => encodeMessage(kind, payload)));
        const { received, decoder } = collect();
        for (let at = 0, i = 0; at < stream.length; i++) {
          const size = sizes[i % sizes.length]!;
          decoder.push(stream.subarray(at, at + size));
          at += size;
        }
        expect(received).toEqual(plain(sent));
        expect(decoder.skippedBytes).toBe(0);
      }),
    );
  });

  faultRow(11, 'fake', 'steps over garbage between messages and counts it', () => {
    // Bytes that do not contain the first byte of the magic number cannot begin a header.
    const garbage = fc.uint8Array({ maxLength: 200 }).map((bytes) => bytes.map((byte) => (byte === 0x52 ? 0 : byte)));
    fc.assert(
      fc.property(messages, garbage, (sent, noise) => {
        const { received, decoder } = collect();
        for (const { kind, payload } of sent) {
          decoder.push(noise);
          decoder.push(encodeMessage(kind, payload));
        }
        expect(received).toEqual(plain(sent));
        expect(decoder.skippedBytes).toBe(sent.length * noise.length);
      }),
    );
  });

  faultRow(11, 'fake', 'never accepts a message with a changed bit, and recovers at the next one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), fc.nat(), (payload, flip) => {
        const broken = encodeMessage(MESSAGE.command, payload);
        const bit = flip % (8 * broken.length);
        broken[bit >> 3] = broken[bit >> 3]! ^ (1 << (bit & 7));
        const { received, decoder } = collect();
        decoder.push(broken);
        decoder.push(encodeMessage(MESSAGE.frame, payload));
        expect(received).toEqual([{ kind: MESSAGE.frame, payload: Array.from(payload) }]);
      }),
    );
  });

  it('survives any bytes without a message in them', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 20 }), (pieces) => {
        const { received, decoder } = collect();
        for (const piece of pieces) decoder.push(piece);
        expect(received).toEqual([]);
      }),
    );
  });

  it('takes the longest payload and refuses to send a longer one', () => {
    const { received, decoder } = collect();
    decoder.push(encodeMessage(MESSAGE.request, new Uint8Array(MAX_PAYLOAD_BYTES)));
    expect(received).toHaveLength(1);
    expect(() => encodeMessage(MESSAGE.request, new Uint8Array(MAX_PAYLOAD_BYTES + 1))).toThrow(RangeError);
  });
});

interface Received {
  kind: number;
  payload: number[];
}

function collect(): { received: Received[]; decoder: MessageDecoder } {
  const received: Received[] = [];
  const decoder = new MessageDecoder((kind, payload) => received.push({ kind, payload: Array.from(payload) }));
  return { received, decoder };
}

function plain(sent: readonly { kind: number; payload: Uint8Array }[]): Received[] {
  return sent.map(({ kind, payload }) => ({ kind, payload: Array.from(payload) }));
}
