/** Decoding: accepted bytes, reused objects, and refusals before any allocation. */
import { describe, expect, it } from 'vitest';
import { createCdrBuffer } from './cdr-bytes.ts';
import {
  Bool,
  CompressedImage,
  Empty,
  Float64,
  Float64MultiArray,
  JointState,
  JointTrajectory,
  StringMessage,
  Time,
} from './definitions.ts';

const into = createCdrBuffer(512);

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

function joints(count: number): JointState {
  const numbers = (first: number): Float64Array => Float64Array.from({ length: count }, (_, i) => first + i);
  const name = Array.from({ length: count }, (_, i) => `joint_${i + 1}`);
  const header = { stamp: { sec: 1, nanosec: 2 }, frame_id: 'base' };
  return { header, name, position: numbers(1), velocity: numbers(2), effort: numbers(3) };
}

function bytesOf(message: JointState): Buffer {
  const length = JointState.encode(message, into);
  return Buffer.from(into.bytes.subarray(0, length));
}

describe('reuse', () => {
  it('fills the arrays, objects and texts that are there when a message of the same shape comes', () => {
    const out = JointState.create();
    JointState.decode(bytesOf(joints(6)), out);
    const { header, name, position } = out;
    const stamp = header.stamp;
    JointState.decode(bytesOf({ ...joints(6), position: new Float64Array(6).fill(7) }), out);
    expect(out.header).toBe(header);
    expect(out.header.stamp).toBe(stamp);
    expect(out.name).toBe(name);
    expect(out.position).toBe(position);
    expect(position).toEqual(new Float64Array(6).fill(7));
  });

  it('leaves nothing of a long message in the short one after it', () => {
    const out = JointState.create();
    JointState.decode(bytesOf(joints(60)), out);
    JointState.decode(bytesOf(joints(2)), out);
    expect(out).toEqual(joints(2));
    JointState.decode(bytesOf(joints(0)), out);
    expect(out).toEqual(joints(0));
  });

  it('tells texts of the same length from each other, and bytes from units', () => {
    const out = StringMessage.create();
    for (const data of ['abc', 'abd', 'Ã©', 'é', 'éé', 'Ã©Ã©', '']) {
      const length = StringMessage.encode({ data }, into);
      StringMessage.decode(into.bytes.subarray(0, length), out);
      expect(out.data).toBe(data);
    }
  });

  it('gives arrays that do not change with the bytes they came from', () => {
    for (const count of [3, 5000]) {
      const data = new Uint8Array(count).fill(1);
      const length = CompressedImage.encode({ ...CompressedImage.create(), data }, into);
      const out = CompressedImage.create();
      CompressedImage.decode(into.bytes.subarray(0, length), out);
      into.bytes.fill(0xff);
      expect(out.data).toEqual(data);
    }
  });

  it('reads into whatever stands in a field, and what a reader has put there', () => {
    const out = { ...JointState.create(), name: undefined, position: [1], header: null } as never;
    JointState.decode(bytesOf(joints(2)), out);
    expect(out).toEqual(joints(2));
  });
});

describe('either byte order', () => {
  it('reads big-endian numbers, arrays and texts', () => {
    const out = StringMessage.create();
    StringMessage.decode(hex('0000 0000 00000003 616200'), out);
    expect(out.data).toBe('ab');
    const time = Time.create();
    Time.decode(hex('0000 0000 fffffffe 00000005'), time);
    expect(time).toEqual({ sec: -2, nanosec: 5 });
  });

  it('reads long big-endian arrays, and long messages at any place in memory', () => {
    const data = Float64Array.from({ length: 4000 }, (_, i) => i - 0.5);
    const length = Float64MultiArray.encode({ ...Float64MultiArray.create(), data }, into);
    const little = Buffer.from(into.bytes.subarray(0, length));
    const big = Buffer.from(little);
    big[1] = 0;
    for (let at = 4; at < 16; at += 4) big.subarray(at, at + 4).swap32();
    // No dimensions, an offset, a length, padding up to 8: the numbers begin at 20.
    const first = length - 8 * data.length;
    big.subarray(first).swap64();
    for (const bytes of [little, big]) {
      for (let offset = 0; offset < 8; offset++) {
        const moved = new Uint8Array(bytes.length + 8).subarray(offset, offset + bytes.length);
        moved.set(bytes);
        const out = Float64MultiArray.create();
        Float64MultiArray.decode(moved, out);
        expect(out.data).toEqual(data);
      }
    }
  });
});

describe('refusals', () => {
  it.each([
    ['nothing at all', '', 'is cut short: 4 bytes are needed, 0 are left'],
    ['half a header', '0001', 'is cut short: 4 bytes are needed, 2 are left'],
    ['a parameter list', '0003 0000 00', 'is encoded as 0x0003, only plain CDR is read here'],
    ['the second version of CDR', '0007 0000 00', 'is encoded as 0x0007'],
    ['a length without text', '0001 0000 05000000', 'data: says that it has 5 elements, but only 0 bytes are left'],
    ['a length that is too long by one', '0001 0000 03000000 6100', 'says that it has 3 elements'],
    [
      'the largest length',
      '0001 0000 ffffffff 6100',
      'says that it has 4294967295 elements, but only 2 bytes are left',
    ],
    ['a text without its zero', '0001 0000 02000000 6162', 'data: is text without the zero byte at its end'],
    ['more than padding', '0001 0000 02000000 6100 00000000', 'ends, and 4 bytes follow'],
  ])('%s', (_what, text, message) => {
    expect(() => StringMessage.decode(hex(text), StringMessage.create())).toThrow(message);
    expect(() => StringMessage.decode(hex(text), StringMessage.create())).toThrow(/^std_msgs\/msg\/String/);
  });

  it('says where in a nested message the bytes end', () => {
    const bytes = bytesOf(joints(6));
    const message = /^sensor_msgs\/msg\/JointState\.effort: is cut short: 48 bytes are needed, 47 are left$/;
    expect(() => JointState.decode(bytes.subarray(0, -1), JointState.create())).toThrow(message);
    expect(() => JointState.decode(bytes.subarray(0, 6), JointState.create())).toThrow('JointState.header.stamp.sec');
  });

  it('is neither true nor false', () => {
    expect(() => Bool.decode(hex('0001 0000 02'), Bool.create())).toThrow('std_msgs/msg/Bool.data');
  });

  it('allocates nothing for lengths that the bytes cannot hold', () => {
    // 40 bytes that claim 2^28 names, numbers or points.
    const bomb = Buffer.alloc(40);
    bomb[1] = 1;
    for (const type of [JointState, JointTrajectory, Float64MultiArray]) {
      for (let at = 4; at + 4 <= bomb.length; at += 4) {
        bomb.fill(0, 4).writeUInt32LE(2 ** 28, at);
        const before = process.memoryUsage();
        const out = type.create();
        try {
          type.decode(bomb, out as never);
        } catch {
          // Most of them are refused.
        }
        const after = process.memoryUsage();
        expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1e6);
        expect(after.heapUsed - before.heapUsed).toBeLessThan(4e6);
      }
    }
  });

  it('goes on after a refusal', () => {
    const out = JointState.create();
    JointState.decode(bytesOf(joints(6)), out);
    expect(() => JointState.decode(bytesOf(joints(8)).subarray(0, 200), out)).toThrow();
    JointState.decode(bytesOf(joints(3)), out);
    expect(out).toEqual(joints(3));
  });
});

describe('what writers do differently', () => {
  it('takes up to three bytes of padding, and an empty text without its zero', () => {
    const out = Float64.create();
    Float64.decode(hex('0001 0003 000000000000f03f ffffff'), out);
    expect(out.data).toBe(1);
    const text = { data: 'before' };
    StringMessage.decode(hex('0001 0000 00000000'), text);
    expect(text.data).toBe('');
  });

  it('takes a message without fields with its one byte or without', () => {
    for (const text of ['0001 0000', '0001 0000 00', '0001 0000 00 000000']) Empty.decode(hex(text), {});
    expect(() => Empty.decode(hex('0001 0000 00 00000000'), {})).toThrow('ends, and 4 bytes follow');
  });
});
