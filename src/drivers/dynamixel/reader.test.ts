import { describe, expect, it } from 'vitest';
import {
  collisionsAtMost,
  type FuzzedParser,
  type FuzzOptions,
  fuzzParser,
  type Seen,
} from '../../../tests/support/parser-fuzz.ts';
import type { Rng } from '../../model/index.ts';
import { addSharedPart, beginSharedStatus, LENGTH_AT, writeStatus } from './packet.ts';
import { DynamixelReader } from './reader.ts';

/** `REIN_FUZZ_BYTES=1e8 npx vitest run src/drivers` takes a minute per parser. */
const BYTES = Number(process.env['REIN_FUZZ_BYTES'] ?? 1e6);
const SECONDS = 60_000 * (1 + BYTES / 1e8);
const CRC_BITS = 16;

/** Fills `data`; in every other stream many of the bytes need stuffing. */
function fill(rng: Rng, data: Uint8Array, count: number): void {
  const isStuffed = rng.nextU32() % 2 === 0;
  for (let i = 0; i < count; i++) data[i] = isStuffed ? [0xff, 0xff, 0xfd, 0][rng.nextU32() % 4]! : rng.nextU32();
}

/** Sends statuses of up to 24 parameters, and shared statuses if `isShared`. */
class FuzzedReader implements FuzzedParser {
  readonly #reader: DynamixelReader;
  readonly #data: Uint8Array = new Uint8Array(32);
  readonly #packet: Uint8Array = new Uint8Array(256);
  readonly #isShared: boolean;
  #partBytes = 0;

  constructor(accepted: Seen, isShared: boolean) {
    this.#isShared = isShared;
    this.#reader = new DynamixelReader((id, error, bytes, at, count) => accepted(id * 256 + error, bytes, at, count));
  }

  get checksumErrors(): number {
    return this.#reader.checksumErrors;
  }

  push(bytes: Uint8Array, from: number, to: number): void {
    this.#reader.push(bytes, from, to);
  }

  begin(rng: Rng): void {
    this.#partBytes = 1 + (rng.nextU32() % 18);
    this.#reader.restart(this.#isShared ? this.#partBytes : undefined);
  }

  write(rng: Rng, out: Uint8Array, at: number, sent: Seen): number {
    const bytes = this.#isShared && rng.nextU32() % 2 === 0 ? this.#shared(rng, sent) : this.#single(rng, sent);
    out.set(this.#packet.subarray(0, bytes), at);
    return at + bytes;
  }

  #single(rng: Rng, sent: Seen): number {
    const [id, error, count] = [rng.nextU32() % 253, rng.nextU32() % 8, rng.nextU32() % 25];
    fill(rng, this.#data, count);
    sent(id * 256 + error, this.#data, 0, count);
    return writeStatus(this.#packet, id, error, this.#data, 0, count);
  }

  #shared(rng: Rng, sent: Seen): number {
    const servos = 1 + (rng.nextU32() % 8);
    let at = beginSharedStatus(
      this.#packet,
      Array.from({ length: servos }, () => this.#partBytes),
    );
    for (let i = 0; i < servos; i++) {
      const [id, error] = [rng.nextU32() % 253, rng.nextU32() % 8];
      fill(rng, this.#data, this.#partBytes);
      sent(id * 256 + error, this.#data, 0, this.#partBytes);
      at = addSharedPart(this.#packet, at, id, error, this.#data, 0, this.#partBytes);
    }
    return at;
  }
}

const FORMAT: Pick<FuzzOptions, 'marks' | 'lengthAt' | 'resyncPackets'> = {
  marks: [
    [0xff, 0xff, 0xfd, 0],
    [0xff, 0xff, 0xfd, 0xfd],
    [0xff, 0xff],
    [0xff, 0xff, 0xfd, 0, 0xfe],
    [0x55, 0],
  ],
  lengthAt: LENGTH_AT,
  resyncPackets: 3,
};

describe('Dynamixel packets under damage', () => {
  it.each([
    ['statuses', false],
    ['statuses and shared ones', true],
  ])(
    'row 11: of %s, accepts none that nobody sent but for collisions of the CRC, and is back within two packets',
    (name, isShared) => {
      const found = fuzzParser((accepted) => new FuzzedReader(accepted, isShared), {
        seed: 11,
        bytes: BYTES / 2,
        ...FORMAT,
      });
      if (BYTES > 1e6) console.log(name, JSON.stringify(found));
      expect(found.wrong).toBeLessThanOrEqual(collisionsAtMost(found.judged, CRC_BITS));
      expect(found.packetsAccepted).toBeGreaterThan(found.packetsSent / 2);
      // A false CRC match may begin a packet that never ends.
      expect(found.lost).toBeLessThanOrEqual(found.wrong);
      expect(found.grownMiB).toBeLessThan(64);
    },
    SECONDS,
  );
});
