import { expect, it } from 'vitest';
import { collisionsAtMost, type FuzzedParser, fuzzParser, type Seen } from '../../../tests/support/parser-fuzz.ts';
import type { Rng } from '../../model/index.ts';
import { beginPacket, endPacket } from './protocol.ts';
import { VescReader } from './reader.ts';

/** `REIN_FUZZ_BYTES=1e8 npx vitest run src/drivers` takes a minute per parser. */
const BYTES = Number(process.env['REIN_FUZZ_BYTES'] ?? 1e6);
const SECONDS = 60_000 * (1 + BYTES / 1e8);
const CRC_BITS = 16;

/**
 * Packets of up to 60 bytes after the command; every other one has many bytes that begin or end packets. No zeros: the
 * CRC of zeros is zero, so that 02 01 00 00 00 03 among them is a packet (of a command that the driver ignores).
 */
class FuzzedReader implements FuzzedParser {
  readonly #reader: VescReader;
  readonly #data: Uint8Array = new Uint8Array(64);

  constructor(accepted: Seen) {
    this.#reader = new VescReader(accepted, 96);
  }

  get checksumErrors(): number {
    return this.#reader.checksumErrors;
  }

  push(bytes: Uint8Array, from: number, to: number): void {
    this.#reader.push(bytes, from, to);
  }

  begin(): void {
    this.#reader.restart();
  }

  write(rng: Rng, out: Uint8Array, at: number, sent: Seen): number {
    const [command, count] = [rng.nextU32() % 160, rng.nextU32() % 61];
    const isMarked = rng.nextU32() % 2 === 0;
    for (let i = 0; i < count; i++) this.#data[i] = isMarked ? 1 + (rng.nextU32() % 4) : rng.nextU32();
    sent(command, this.#data, 0, count);
    const data = beginPacket(out, at, command, count);
    out.set(this.#data.subarray(0, count), data);
    return endPacket(out, at, data + count);
  }
}

it(
  "the reader of a VESC's packets takes none that nobody sent, but by a chance of its checksum",
  () => {
    const found = fuzzParser((accepted) => new FuzzedReader(accepted), {
      seed: 1,
      bytes: BYTES,
      marks: [[2], [3], [2, 5], [3, 0]],
      lengthAt: 1,
    });
    expect(found.bytes).toBeGreaterThanOrEqual(BYTES);
    expect(found.packetsAccepted).toBeGreaterThan(0.3 * found.packetsSent);
    expect(found.wrong).toBeLessThanOrEqual(collisionsAtMost(found.judged, CRC_BITS));
    expect(found.grownMiB).toBeLessThan(16);
  },
  SECONDS,
);
