import { describe, expect, it } from 'vitest';
import { FeetechReader, INSTRUCTION, SCS_PROTOCOL, STS_PROTOCOL, writeStatus } from './protocol.ts';

/** Returns the bytes that `write` puts into a buffer, formatted as in the manual. */
function printed(write: (out: Uint8Array) => number): string {
  const out = new Uint8Array(256);
  return hex(out.subarray(0, write(out)));
}

const hex = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join(' ')
    .toUpperCase();
const bytesOf = (text: string): Uint8Array => Uint8Array.from(text.split(' '), (digits) => Number.parseInt(digits, 16));

interface Status {
  readonly id: number;
  readonly error: number;
  readonly parameters: readonly number[];
}

function read(...pieces: readonly Uint8Array[]): { statuses: Status[]; reader: FeetechReader } {
  const statuses: Status[] = [];
  const reader = new FeetechReader((id, error, bytes, at, count) =>
    statuses.push({ id, error, parameters: [...bytes.subarray(at, at + count)] }),
  );
  for (const piece of pieces) reader.push(piece, 0, piece.length);
  return { statuses, reader };
}

// Feetech, "Communication Protocol User Manual" of the magnetic encoder series (SMS and STS), chapter 1.3: examples
// with their numbers there.
describe("the worked examples of Feetech's protocol manual", () => {
  const data = bytesOf('00 08 00 00 E8 03');

  it('1: ping of servo 1, and its answer', () => {
    expect(printed((out) => STS_PROTOCOL.ping(out, 1))).toBe('FF FF 01 02 01 FB');
    expect(read(bytesOf('FF FF 01 02 00 FC')).statuses).toEqual([{ id: 1, error: 0, parameters: [] }]);
  });

  it('2: position of servo 1, and its answer 0518', () => {
    expect(printed((out) => STS_PROTOCOL.read(out, 1, 0x38, 2))).toBe('FF FF 01 04 02 38 02 BE');
    expect(read(bytesOf('FF FF 01 04 00 18 05 DD')).statuses).toEqual([{ id: 1, error: 0, parameters: [0x18, 0x05] }]);
  });

  it('3: id 1 for whoever hears it', () => {
    expect(printed((out) => STS_PROTOCOL.write(out, 0xfe, 5, Uint8Array.of(1), 0, 1))).toBe('FF FF FE 04 03 05 01 F4');
  });

  it('4: position 2048, time 0, speed 1000 for servo 1', () => {
    expect(printed((out) => STS_PROTOCOL.write(out, 1, 0x2a, data, 0, 6))).toBe(
      'FF FF 01 09 03 2A 00 08 00 00 E8 03 D5',
    );
  });

  it('6: what was written for later is done now', () => {
    const statuses = read(bytesOf('FF FF FE 02 05 FA')).statuses;
    expect(statuses).toEqual([{ id: 0xfe, error: INSTRUCTION.action, parameters: [] }]);
  });

  it('7: the same position for servos 1 to 4 at once', () => {
    const all = Uint8Array.from([1, 2, 3, 4].flatMap(() => [...data]));
    expect(printed((out) => STS_PROTOCOL.syncWrite(out, Uint8Array.of(1, 2, 3, 4), 4, 0x2a, all, 6))).toBe(
      'FF FF FE 20 83 2A 06 01 00 08 00 00 E8 03 02 00 08 00 00 E8 03 03 00 08 00 00 E8 03 04 00 08 00 00 E8 03 58',
    );
  });

  it('8: eight bytes of servos 1 and 2 by one request, and both answers', () => {
    expect(printed((out) => STS_PROTOCOL.syncRead!(out, Uint8Array.of(1, 2), 2, 0x38, 8))).toBe(
      'FF FF FE 06 82 38 08 01 02 36',
    );
    const answers = 'FF FF 01 0A 00 00 08 00 00 00 00 79 1E 55 FF FF 02 0A 00 FF 07 00 00 00 00 77 23 53';
    expect(read(bytesOf(answers)).statuses.map(({ id, parameters }) => [id, parameters.length, parameters[6]])).toEqual(
      [
        [1, 8, 0x79],
        [2, 8, 0x77],
      ],
    );
  });
});

describe("the reader of Feetech's packets", () => {
  const packet = (() => {
    const out = new Uint8Array(64);
    return out.slice(0, writeStatus(out, 3, 32, bytesOf('FF FF 03 02 00 FA 10'), 0, 7));
  })();

  it('takes a packet however it is cut, with another one in its parameters', () => {
    for (let cut = 0; cut <= packet.length; cut++) {
      const { statuses, reader } = read(packet.subarray(0, cut), packet.subarray(cut));
      expect(statuses).toEqual([{ id: 3, error: 32, parameters: [...bytesOf('FF FF 03 02 00 FA 10')] }]);
      expect(reader.skippedBytes).toBe(0);
    }
  });

  it('finds the next packet behind garbage, a cut one, and one with a wrong bit', () => {
    const good = bytesOf('FF FF 01 04 00 18 05 DD');
    for (let cut = 0; cut < packet.length; cut++) {
      expect(read(packet.subarray(0, cut), good, good).statuses.at(-1)).toEqual({
        id: 1,
        error: 0,
        parameters: [24, 5],
      });
    }
    for (let bit = 0; bit < 8 * good.length; bit++) {
      const wrong = good.slice();
      wrong[bit >> 3] = wrong[bit >> 3]! ^ (1 << (bit & 7));
      const { statuses, reader } = read(wrong, good, good);
      // A wrong length holds back the packets behind it until the timeout of the reply.
      reader.restart();
      expect(statuses.length).toBeGreaterThanOrEqual(1);
      // A checksum of 8 bits accepts some packets with a wrong length: the bus accepts only the length that it asked for.
      const asLong = statuses.filter(({ parameters }) => parameters.length === 2);
      for (const status of asLong) expect(status).toEqual({ id: 1, error: 0, parameters: [24, 5] });
    }
  });

  it('hands out all packets that stand behind a length that lied', () => {
    const { reader, statuses } = read(bytesOf('FF FF 01 1E 00'));
    const out = new Uint8Array(16);
    for (let id = 2; id < 6; id++) {
      const bytes = writeStatus(out, id, 0, Uint8Array.of(1, 2), 0, 2);
      reader.push(out, 0, bytes);
    }
    reader.restart();
    expect(statuses.map(({ id }) => id)).toEqual([2, 3, 4, 5]);
  });

  it('counts what it steps over, and forgets an unfinished packet when told', () => {
    const { reader, statuses } = read(bytesOf('00 11 FF 22 FF FF 01 04 00 18 05 DE'));
    expect(statuses).toEqual([]);
    expect(reader.checksumErrors).toBe(1);
    expect(reader.skippedBytes).toBe(12);
    reader.push(bytesOf('FF FF 01 04'), 0, 4);
    reader.restart();
    reader.push(bytesOf('FF FF 01 02 00 FC'), 0, 6);
    expect(statuses).toEqual([{ id: 1, error: 0, parameters: [] }]);
  });
});

it('SCS servos write the highest byte first, and have no sync read', () => {
  expect(SCS_PROTOCOL.isLittleEndian).toBe(false);
  expect(SCS_PROTOCOL.syncRead).toBeUndefined();
});
