import { describe, expect, it } from 'vitest';
import { forEachField } from './protobuf.ts';

function read(...bytes: number[]) {
  const fields: [number, number[] | undefined, number][] = [];
  const isWhole = forEachField(Uint8Array.from(bytes), (field, content, value) => {
    fields.push([field, content && Array.from(content), value]);
    return true;
  });
  return { isWhole, fields };
}

describe('reading protobuf', () => {
  it('gives numbers, texts and fixed-size fields', () => {
    // 150 in field 1, "hi" in field 2, a float in field 3: the first is the example of the encoding's own guide.
    expect(read(0x08, 0x96, 0x01, 0x12, 2, 0x68, 0x69, 0x1d, 0, 0, 0x80, 0x3f)).toEqual({
      isWhole: true,
      fields: [
        [1, undefined, 150],
        [2, [0x68, 0x69], 0],
        [3, [0, 0, 0x80, 0x3f], 0],
      ],
    });
  });

  it.each([
    ['a number without its end', [0x08, 0x96]],
    ['a text longer than the file', [0x12, 3, 0x68]],
    ['a group, which nobody writes', [0x0b]],
    ['field 0', [0x00, 1]],
    ['a number of eleven bytes', [0x08, ...new Array<number>(11).fill(0x80)]],
  ])('refuses %s', (_, bytes) => {
    expect(read(...bytes).isWhole).toBe(false);
  });
});
