import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MOCK_FRAME, MockBus, MockBusReader } from './mock-bus.ts';

let folder: string;
let path: string;
let fd: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-mock-bus-'));
  path = join(folder, 'bus');
  spawnSync('mkfifo', [path]);
  fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
});
afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

function taken(): Uint8Array {
  const bytes = new Uint8Array(65_536);
  return bytes.subarray(0, readSync(fd, bytes));
}

function read(...pieces: readonly Uint8Array[]): { frames: unknown[]; skipped: number } {
  const frames: unknown[] = [];
  const reader = new MockBusReader((kind, count, values) => frames.push([kind, count, ...values]));
  for (const piece of pieces) reader.push(piece);
  return { frames, skipped: reader.skippedBytes };
}

describe('the bus of the mock robot', () => {
  it('carries frames that are read as they were sent, however they are cut', () => {
    const bus = new MockBus(path, 2);
    bus.open();
    expect(bus.send(MOCK_FRAME.reference, [0.5, -1])).toBe('ok');
    expect(bus.send(MOCK_FRAME.torqueOff, [0.25, 2])).toBe('ok');
    const bytes = taken();
    const expected = [
      [1, 1, 0.5, -1],
      [3, 2, 0.25, 2],
    ];
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual({ frames: expected, skipped: 0 });
    }
    bus.close();
  });

  it('finds the stop frame behind a frame that was cut off, and takes no frame with a wrong bit', () => {
    const bus = new MockBus(path, 2);
    bus.open();
    bus.send(MOCK_FRAME.reference, [0.5, -1]);
    bus.close();
    const bytes = taken();
    const stop = Buffer.concat(bus.stopFrames);
    for (let cut = 0; cut < bytes.length; cut++) {
      expect(read(bytes.subarray(0, cut), stop).frames).toEqual([[MOCK_FRAME.stop, 0]]);
    }
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const wrong = bytes.slice();
      wrong[bit >> 3] = wrong[bit >> 3]! ^ (1 << (bit & 7));
      expect(read(wrong).frames).toEqual([]);
    }
  });

  it('says that a bus that nobody reads is full, and that a closed one is lost', () => {
    const bus = new MockBus(path, 6);
    bus.open();
    let sent = 0;
    while (bus.send(MOCK_FRAME.reference, [0, 0, 0, 0, 0, 0]) === 'ok') sent++;
    expect(sent).toBeGreaterThan(100);
    expect(bus.send(MOCK_FRAME.reference, [0, 0, 0, 0, 0, 0])).toBe('late');
    bus.close();
    expect(bus.send(MOCK_FRAME.reference, [0, 0, 0, 0, 0, 0])).toBe('lost');
  });

  it('says what is wrong with a path that is no bus', () => {
    expect(() => new MockBus(join(folder, 'nowhere'), 1).open()).toThrow("The mock robot's bus cannot be opened");
  });
});
