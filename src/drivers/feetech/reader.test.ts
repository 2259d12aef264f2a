import { expect, it } from 'vitest';
import { collisionsAtMost, type FuzzedParser, fuzzParser, type Seen } from '../../../tests/support/parser-fuzz.ts';
import type { Rng } from '../../model/index.ts';
import { FeetechReader, writeStatus } from './protocol.ts';

/** See `src/drivers/dynamixel/reader.test.ts`. */
const BYTES = Number(process.env['REIN_FUZZ_BYTES'] ?? 1e6);
/**
 * The 8-bit sum accepts 1 of 256 damaged packets by chance, two flipped bits at one position that cancel out, and any packet
 * whose length is one too long and that is followed by another: the sum then expected is the FF of the next header. 1 of 64
 * in all; the rest is left to the bus, which accepts no reply of another length, and to plausibility checks (row 15).
 */
const CHECKSUM_BITS = 6;

function fuzzed(accepted: Seen): FuzzedParser {
  const reader = new FeetechReader((id, error, bytes, at, count) => accepted(id * 256 + error, bytes, at, count));
  const data = new Uint8Array(24);
  const packet = new Uint8Array(64);
  return {
    get checksumErrors() {
      return reader.checksumErrors;
    },
    push: (bytes, from, to) => reader.push(bytes, from, to),
    begin: () => reader.restart(),
    write: (rng: Rng, out, at, sent) => {
      const [id, error, count] = [rng.nextU32() % 253, rng.nextU32() % 64, rng.nextU32() % 24];
      for (let i = 0; i < count; i++) data[i] = rng.nextU32() % 8 === 0 ? 0xff : rng.nextU32();
      sent(id * 256 + error, data, 0, count);
      const bytes = writeStatus(packet, id, error, data, 0, count);
      out.set(packet.subarray(0, bytes), at);
      return at + bytes;
    },
  };
}

it(
  "row 11: of Feetech's statuses under damage, none is accepted that nobody sent but for collisions of the checksum",
  () => {
    const found = fuzzParser(fuzzed, {
      seed: 12,
      bytes: BYTES,
      marks: [
        [0xff, 0xff],
        [0xff, 0xff, 0xfe],
        [0xff, 0xff, 0x01, 0x04],
      ],
      lengthAt: 3,
    });
    if (BYTES > 1e6) console.log('feetech', JSON.stringify(found));
    expect(found.wrong).toBeLessThanOrEqual(collisionsAtMost(found.judged, CHECKSUM_BITS));
    expect(found.packetsAccepted).toBeGreaterThan(found.packetsSent / 3);
    expect(found.grownMiB).toBeLessThan(64);
  },
  60_000 * (1 + BYTES / 1e8),
);
