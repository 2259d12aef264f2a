import { describe, expect, it } from 'vitest';
import { createSharedRingMemory, SharedRingReader, SharedRingWriter } from './shared-ring.ts';

describe('a ring in shared memory', () => {
  it('gives rows in order, and nothing twice', () => {
    const { write, reader, row } = ring(8);
    for (let i = 0; i < 5; i++) write(i);
    const taken: number[] = [];
    while (reader.takeNext(row)) taken.push(row[0]!);
    expect(taken).toEqual([0, 1, 2, 3, 4]);
    expect(reader.takeNext(row)).toBe(false);
  });

  it('loses the oldest rows when the reader is too slow, never the newest', () => {
    const { write, reader, row } = ring(4);
    for (let i = 0; i < 100; i++) write(i);
    const taken: number[] = [];
    while (reader.takeNext(row)) taken.push(row[0]!);
    expect(taken).toEqual([97, 98, 99]);
  });

  it('gives the newest row only, once', () => {
    const { write, reader, row } = ring(4);
    for (let i = 0; i < 10; i++) write(i);
    expect(reader.takeNewest(row)).toBe(true);
    expect(row[0]).toBe(9);
    expect(reader.takeNewest(row)).toBe(false);
  });

  it('refuses a size that is no power of two', () => {
    expect(() => createSharedRingMemory(1, 6)).toThrow(RangeError);
  });
});

function ring(slots: number) {
  const memory = createSharedRingMemory(2, slots);
  const writer = new SharedRingWriter(memory);
  const write = (value: number): void => {
    writer.rows[writer.offset()] = value;
    writer.publish();
  };
  return { write, reader: new SharedRingReader(memory), row: new Float64Array(2) };
}
