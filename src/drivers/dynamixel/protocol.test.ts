import { describe, expect, it } from 'vitest';
import { addSharedPart, beginSharedStatus, crcOf, writeStatus } from './packet.ts';
import { DYNAMIXEL_PROTOCOL as DXL, FAST_DYNAMIXEL_PROTOCOL as FAST } from './protocol.ts';
import { DynamixelReader } from './reader.ts';

// Every worked example of ROBOTIS e-Manual, "DYNAMIXEL Protocol 2.0", byte for byte.

const out = new Uint8Array(256);
const bytesOf = (hex: string) => Uint8Array.from(hex.split(' '), (byte) => Number.parseInt(byte, 16));
const hexOf = (bytes: Uint8Array) => Array.from(bytes, (b) => b.toString(16).toUpperCase().padStart(2, '0')).join(' ');
const sent = (count: number) => hexOf(out.subarray(0, count));
/** `value` in four bytes, lowest first. */
const long = (value: number) => Uint8Array.of(value, value >> 8, value >> 16, value >> 24);

interface Status {
  readonly id: number;
  readonly error: number;
  readonly parameters: readonly number[];
}

function readerOf(statuses: Status[]): DynamixelReader {
  return new DynamixelReader((id, error, bytes, at, count) => {
    statuses.push({ id, error, parameters: [...bytes.subarray(at, at + count)] });
  });
}

function read(hex: string, prepare?: (reader: DynamixelReader) => void): readonly Status[] {
  const statuses: Status[] = [];
  const reader = readerOf(statuses);
  prepare?.(reader);
  const bytes = bytesOf(hex);
  reader.push(bytes, 0, bytes.length);
  expect(reader.skippedBytes).toBe(0);
  return statuses;
}

const DONE = 'FF FF FD 00 01 04 00 55 00 A1 0C';

describe('requests of the e-Manual', () => {
  it.each<[string, () => number, string]>([
    ['Ping, example 1', () => DXL.ping(out, 1), 'FF FF FD 00 01 03 00 01 19 4E'],
    ['Ping, example 2', () => DXL.ping(out, 0xfe), 'FF FF FD 00 FE 03 00 01 31 42'],
    ['Read', () => DXL.read(out, 1, 132, 4), 'FF FF FD 00 01 07 00 02 84 00 04 00 1D 15'],
    ['Write', () => DXL.write(out, 1, 116, long(512), 0, 4), 'FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89'],
    ['Reg Write', () => DXL.regWrite(out, 1, 104, long(200), 0, 4), 'FF FF FD 00 01 09 00 04 68 00 C8 00 00 00 AE 8E'],
    ['Action', () => DXL.action(out, 1), 'FF FF FD 00 01 03 00 05 02 CE'],
    ['Factory Reset', () => DXL.factoryReset(out, 1, 'id'), 'FF FF FD 00 01 04 00 06 01 A1 E6'],
    ['Reboot', () => DXL.reboot(out, 1), 'FF FF FD 00 01 03 00 08 2F 4E'],
    ['Clear', () => DXL.clearTurns(out, 1), 'FF FF FD 00 01 08 00 10 01 44 58 4C 22 B1 DC'],
    [
      'Sync Read',
      () => DXL.syncRead!(out, Uint8Array.of(1, 2), 2, 132, 4),
      'FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA',
    ],
    [
      'Sync Write',
      () => DXL.syncWrite(out, Uint8Array.of(1, 2), 2, 116, Uint8Array.of(...long(150), ...long(170)), 4),
      'FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87',
    ],
    [
      'Fast Sync Read',
      () => FAST.syncRead!(out, Uint8Array.of(3, 7, 4), 3, 132, 4),
      'FF FF FD 00 FE 0A 00 8A 84 00 04 00 03 07 04 20 F2',
    ],
    [
      'Bulk Read',
      () =>
        DXL.bulkRead(out, [
          { id: 1, address: 144, bytes: 2 },
          { id: 2, address: 146, bytes: 1 },
        ]),
      'FF FF FD 00 FE 0D 00 92 01 90 00 02 00 02 92 00 01 00 1A 05',
    ],
    [
      'Bulk Write',
      () =>
        DXL.bulkWrite(out, [
          { id: 1, address: 32, bytes: 2, data: Uint8Array.of(160, 0) },
          { id: 2, address: 31, bytes: 1, data: Uint8Array.of(80) },
        ]),
      'FF FF FD 00 FE 10 00 93 01 20 00 02 00 A0 00 02 1F 00 01 00 50 B7 68',
    ],
    [
      // Printed with the CRC of the Fast Sync Read example (20 F2), which does not match these bytes; all other examples are right.
      'Fast Bulk Read',
      () =>
        DXL.fastBulkRead(out, [
          { id: 3, address: 132, bytes: 4 },
          { id: 7, address: 124, bytes: 2 },
          { id: 4, address: 146, bytes: 1 },
        ]),
      'FF FF FD 00 FE 12 00 9A 03 84 00 04 00 07 7C 00 02 00 04 92 00 01 00 DA 2D',
    ],
  ])('writes the bytes of %s', (_, write, printed) => {
    expect(sent(write())).toBe(printed);
  });
});

describe('statuses of the e-Manual', () => {
  it.each<[string, string, readonly Status[]]>([
    [
      'Ping, example 2',
      'FF FF FD 00 01 07 00 55 00 06 04 26 65 5D FF FF FD 00 02 07 00 55 00 06 04 26 6F 6D',
      [
        { id: 1, error: 0, parameters: [6, 4, 0x26] },
        { id: 2, error: 0, parameters: [6, 4, 0x26] },
      ],
    ],
    [
      'Sync Read',
      'FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0 FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE',
      [
        { id: 1, error: 0, parameters: [...long(166)] },
        { id: 2, error: 0, parameters: [...long(2079)] },
      ],
    ],
    [
      'Bulk Read',
      'FF FF FD 00 01 06 00 55 00 77 00 C3 69 FF FF FD 00 02 05 00 55 00 24 8B A9',
      [
        { id: 1, error: 0, parameters: [119, 0] },
        { id: 2, error: 0, parameters: [36] },
      ],
    ],
    ['Write, Reg Write, Action, Factory Reset, Reboot and Clear', DONE, [{ id: 1, error: 0, parameters: [] }]],
  ])('reads the bytes of %s, and writes them as an emulator does', (_, printed, statuses) => {
    expect(read(printed)).toEqual(statuses);
    const written = statuses.map(({ id, error, parameters }) =>
      sent(writeStatus(out, id, error, Uint8Array.from(parameters), 0, parameters.length)),
    );
    expect(written.join(' ')).toBe(printed);
  });

  const FAST_SYNC = 'FF FF FD 00 FE 19 00 55 00 03 A6 00 00 00 84 08 00 07 1F 08 00 00 16 CA 00 04 FF 03 00 00 D1 9E';
  const FAST_BULK = 'FF FF FD 00 FE 14 00 55 00 03 A6 00 00 00 67 A4 00 07 A5 01 24 74 00 04 1F D9 C1';
  const parts: readonly Status[] = [
    { id: 3, error: 0, parameters: [...long(166)] },
    { id: 7, error: 0, parameters: [...long(2079)] },
    { id: 4, error: 0, parameters: [...long(1023)] },
  ];

  it('reads the status that all share after Fast Sync Read, as long as it was expected to be', () => {
    expect(read(FAST_SYNC, (reader) => reader.restart(4))).toEqual(parts);
    expect(FAST.chainedBytes!(3, 4)).toBe(bytesOf(FAST_SYNC).length);
    expect(DXL.statusBytes(4)).toBe(15);
  });

  it('reads that of Fast Bulk Read, whose parts have lengths of their own', () => {
    expect(read(FAST_BULK, (reader) => reader.restartParts([4, 2, 1]))).toEqual([
      parts[0],
      { id: 7, error: 0, parameters: [0xa5, 1] },
      { id: 4, error: 0, parameters: [0x1f] },
    ]);
  });

  it('writes the status that all share, part by part', () => {
    let at = beginSharedStatus(out, [4, 4, 4]);
    for (const { id, error, parameters } of parts) {
      at = addSharedPart(out, at, id, error, Uint8Array.from(parameters), 0, parameters.length);
    }
    expect(sent(at)).toBe(FAST_SYNC);
  });

  it('takes no shared status that nobody asked for', () => {
    expect(read(FAST_SYNC)).toEqual([]);
  });

  it('hears the servos before one that does not answer, and those behind a part that was damaged', () => {
    const heard: Status[] = [];
    const reader = readerOf(heard);
    reader.restart(4);
    const bytes = bytesOf(FAST_SYNC);
    reader.push(bytes, 0, 20);
    expect(heard).toEqual(parts.slice(0, 1));
    reader.restart(4);
    heard.length = 0;
    bytes[18] = 0x77;
    reader.push(bytes, 0, bytes.length);
    expect(heard).toEqual([parts[0], parts[2]]);
    expect(reader.checksumErrors).toBe(1);
  });
});

describe('byte stuffing', () => {
  // "DYNAMIXEL Protocol 2.0", Packet Process: FF FF FD in instruction and parameters becomes FF FF FD FD, before length
  // and CRC.
  it.each([
    ['FF FF FD', 'FF FF FD FD'],
    ['00 FF FF FD 01', '00 FF FF FD FD 01'],
    ['FF FF FD FD', 'FF FF FD FD FD'],
    ['FF FF FF FD 00', 'FF FF FF FD FD 00'],
    ['FF FF FD FF FF FD', 'FF FF FD FD FF FF FD FD'],
    ['FF FD FF FF', 'FF FD FF FF'],
  ])('sends %s as %s, and gets it back', (plain, stuffed) => {
    const data = bytesOf(plain);
    const bytes = writeStatus(out, 1, 0, data, 0, data.length);
    const count = stuffed.split(' ').length;
    expect(hexOf(out.subarray(9, bytes - 2))).toBe(stuffed);
    expect(out[5]).toBe(count + 4);
    expect(crcOf(out, 0, bytes - 2)).toBe(out[bytes - 2]! + out[bytes - 1]! * 256);
    expect(read(sent(bytes))).toEqual([{ id: 1, error: 0, parameters: [...data] }]);
  });
});

describe('a damaged stream', () => {
  const good = 'FF FF FD 00 01 07 00 55 00 06 04 26 65 5D';
  const status = { id: 1, error: 0, parameters: [6, 4, 0x26] };

  function heardOf(...pieces: readonly string[]): {
    readonly heard: readonly Status[];
    readonly reader: DynamixelReader;
  } {
    const heard: Status[] = [];
    const reader = readerOf(heard);
    for (const piece of pieces) {
      const bytes = bytesOf(piece);
      reader.push(bytes, 0, bytes.length);
    }
    return { heard, reader };
  }

  it('finds packets whose bytes come one by one, and counts those that belong to nothing', () => {
    const { heard, reader } = heardOf(...`12 FF ${good} FF FF ${good}`.split(' '));
    expect(heard).toEqual([status, status]);
    expect(reader.skippedBytes).toBe(4);
  });

  it.each([
    ['a packet that was cut off', 'FF FF FD 00 01 07 00 55 00 06'],
    ['one whose length lies', 'FF FF FD 00 01 F0 03 55 00'],
    ['one that is longer than any', 'FF FF FD 00 01 FF FF 55 00'],
    ['one that is shorter than any', 'FF FF FD 00 01 02 00 55'],
    ['one for an id that is none', 'FF FF FD 00 FD 07 00 55 00 06 04 26 65 5D'],
    ['half a header', 'FF FF FD'],
    ['nothing but headers', 'FF FF FD 00 FF FF FD 00 FF FF FD 00'],
  ])('hears the next packet at once after %s', (_, damaged) => {
    const { heard, reader } = heardOf(damaged, good);
    expect(heard).toEqual([status]);
    expect(reader.skippedBytes).toBe(damaged.split(' ').length);
  });

  it('takes no packet with a wrong CRC, and counts it', () => {
    const { heard, reader } = heardOf(good.replace('26', '27'), good);
    expect(heard).toEqual([status]);
    expect(reader.checksumErrors).toBe(1);
  });

  it('goes on with a packet that ended with the beginning of another', () => {
    const { heard } = heardOf(`${good} ${good.slice(0, 20)}`, good.slice(21));
    expect(heard).toEqual([status, status]);
  });

  it('hears no request, which some adapters send back', () => {
    const { heard, reader } = heardOf('FF FF FD 00 01 07 00 02 84 00 04 00 1D 15', good);
    expect(heard).toEqual([status]);
    expect(reader.skippedBytes).toBe(0);
  });

  it('forgets what was there before a new request', () => {
    const { heard, reader } = heardOf(good.slice(0, 20));
    reader.restart();
    reader.push(bytesOf(good), 0, 14);
    expect(heard).toEqual([status]);
    expect(reader.skippedBytes).toBe(7);
  });
});
