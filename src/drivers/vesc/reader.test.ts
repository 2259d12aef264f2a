import { expect, it } from 'vitest';
import { collisionsAtMost, type FuzzedParser, fuzzParser, type Seen } from '../../../tests/support/parser-fuzz.ts';
import type { Rng } from '../../core/index.ts';
import { beginPacket, endPacket, VescReader } from './protocol.ts';

/** See `src/drivers/dynamixel/reader.test.ts`. */
const BYTES = Number(process.env['REIN_FUZZ_BYTES'] ?? 1e6);
const CRC_BITS = 16;

function fuzzed(accepted: Seen): FuzzedParser {
  const reader = new VescReader((command, bytes, at, count) => accepted(command, bytes, at, count));
  const packet = new Uint8Array(256);
  return {
    get checksumErrors() {
      return reader.checksumErrors;
    },
    push: (bytes, from, to) => reader.push(bytes, from, to),
    begin: () => reader.restart(),
    write: (rng: Rng, out, at, sent) => {
      const [command, count] = [rng.nextU32() % 256, rng.nextU32() % 80];
      const data = beginPacket(packet, 0, command, count);
      for (let i = 0; i < count; i++)
        packet[data + i] = rng.nextU32() % 8 === 0 ? 2 + (rng.nextU32() % 2) : rng.nextU32();
      sent(command, packet, data, count);
      const bytes = endPacket(packet, 0, data + count);
      out.set(packet.subarray(0, bytes), at);
      return at + bytes;
    },
  };
}

it(
  "row 11: of a VESC's packets under damage, none is accepted that nobody sent but for collisions of the CRC",
  () => {
    const found = fuzzParser(fuzzed, {
      seed: 13,
      bytes: BYTES,
      marks: [[2], [3], [3, 2], [2, 5, 4], [3, 1, 0]],
      lengthAt: 1,
    });
    if (BYTES > 1e6) console.log('vesc', JSON.stringify(found));
    expect(found.wrong).toBeLessThanOrEqual(collisionsAtMost(found.judged, CRC_BITS));
    expect(found.packetsAccepted).toBeGreaterThan(found.packetsSent / 3);
    expect(found.grownMiB).toBeLessThan(64);
  },
  60_000 * (1 + BYTES / 1e8),
);
