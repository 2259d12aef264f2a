import { describe, expect, it } from 'vitest';
import { Framing } from './framing.ts';

const SIZES = { magic: 'TEST', version: 3, headerBytes: 20, maxPayloadBytes: 16 };
const PAYLOAD = Uint8Array.of(1, 2, 3);

describe.each(['frame', 'payload'] as const)('a frame whose checksum is over the %s', (checksum) => {
  const framing = new Framing({ ...SIZES, checksum });

  it('says what it is, anywhere in other bytes', () => {
    const frame = framing.frame(7, PAYLOAD);
    framing.seal(frame);
    const bytes = Uint8Array.of(9, 9, ...frame, 9);
    expect(framing.hasMagic(bytes, 2)).toBe(true);
    expect([framing.versionOf(bytes, 2), framing.kindOf(bytes, 2), framing.lengthOf(bytes, 2)]).toEqual([3, 7, 3]);
    expect(framing.isIntact(bytes, 2)).toBe(true);
    expect(framing.hasMagic(bytes)).toBe(false);
  });

  it('is not intact once a byte of it has changed, but for what its layout leaves to others', () => {
    for (let at = 0; at < 23; at++) {
      const frame = framing.frame(7, PAYLOAD);
      framing.seal(frame);
      frame[at]! ^= 1;
      const isLeft = checksum === 'payload' ? at < 12 : at === 4;
      expect([at, framing.isIntact(frame)]).toEqual([at, isLeft]);
    }
  });

  it('is refused where its payload is too long', () => {
    expect(() => framing.frame(1, new Uint8Array(17))).toThrow(RangeError);
  });
});
