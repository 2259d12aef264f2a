import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c } from './crc32c.ts';

const readCommand = new Uint8Array(48);
readCommand.set([0x01, 0xc0], 0);
readCommand.set([0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18, 0x28], 16);
readCommand[40] = 0x02;

describe('crc32c', () => {
  // RFC 3720, appendix B.4; the last one is the check value of the catalogue of parametrised CRCs.
  it.each([
    ['32 zeros', new Uint8Array(32), 0x8a9136aa],
    ['32 ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['32 rising bytes', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
    ['32 falling bytes', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
    ['an iSCSI read command', readCommand, 0xd9963a56],
    ['the digits 1 to 9', new TextEncoder().encode('123456789'), 0xe3069283],
  ])('gives the published value for %s', (_, bytes, expected) => {
    expect(crc32c(bytes)).toBe(expected);
  });

  it('is 0 for nothing', () => {
    expect(crc32c(new Uint8Array(0))).toBe(0);
  });

  it('is the same for the whole and for its pieces, wherever they are cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
        const at = Math.min(cut, bytes.length);
        const pieces = crc32c(bytes.subarray(at), crc32c(bytes.subarray(0, at)));
        return pieces === crc32c(bytes) && pieces === crc32c(bytes, crc32c(bytes, 0, 0, at), at);
      }),
    );
  });

  it('changes with every single bit', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), fc.nat(), (bytes, where) => {
        const flipped = Uint8Array.from(bytes);
        const bit = where % (bytes.length * 8);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        return crc32c(flipped) !== crc32c(bytes);
      }),
    );
  });
});
