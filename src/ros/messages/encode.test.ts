/** Encoding: accepted and refused values, including those that the binding gets wrong. */
import { describe, expect, it } from 'vitest';
import { createCdrBuffer } from './cdr-bytes.ts';
import {
  AckermannDrive,
  CompressedImage,
  DiagnosticStatus,
  Float32,
  Float64MultiArray,
  Image,
  Imu,
  Int32,
  JointState,
  JointTrajectory,
  Joy,
  PolicyStatus,
  SafetyState,
  StringMessage,
  Twist,
  UInt8,
} from './definitions.ts';

const into = createCdrBuffer(8);

function written(numbers: unknown): Float64Array {
  const length = Float64MultiArray.encode({ ...Float64MultiArray.create(), data: numbers as Float64Array }, into);
  const out = Float64MultiArray.create();
  Float64MultiArray.decode(into.bytes.subarray(0, length), out);
  return out.data;
}

describe('arrays of numbers', () => {
  it('sends a view as the numbers that it shows', () => {
    const whole = new Float64Array([9, 9, 9, 1, 2, 3, 9]);
    expect(written(whole.subarray(3, 6))).toEqual(new Float64Array([1, 2, 3]));
    const long = Float64Array.from({ length: 1000 }, (_, i) => i);
    expect(written(long.subarray(7, 900))).toEqual(long.slice(7, 900));
  });

  it('sends views of bytes, pooled buffers included', () => {
    const data = Buffer.from('the pool holds other things too');
    const length = CompressedImage.encode({ ...CompressedImage.create(), data: data.subarray(4, 8) }, into);
    const out = CompressedImage.create();
    CompressedImage.decode(into.bytes.subarray(0, length), out);
    expect(Buffer.from(out.data).toString()).toBe('pool');
  });

  it('converts other kinds of numbers one by one', () => {
    expect(written(new Float32Array([1.5, -2.25, 3]))).toEqual(new Float64Array([1.5, -2.25, 3]));
    expect(written(new Int16Array([-1, 2]))).toEqual(new Float64Array([-1, 2]));
    expect(written([1, 0.1, Number.NaN])).toEqual(new Float64Array([1, 0.1, Number.NaN]));
    const joy = { ...Joy.create(), axes: new Float64Array([0.5]) as never, buttons: [1, 0] as never };
    const length = Joy.encode(joy, into);
    const out = Joy.create();
    Joy.decode(into.bytes.subarray(0, length), out);
    expect([out.axes, out.buttons]).toEqual([new Float32Array([0.5]), new Int32Array([1, 0])]);
  });

  it('keeps NaN, infinities, minus zero and denormals', () => {
    const corners = [Number.NaN, Infinity, -Infinity, -0, Number.MIN_VALUE, 2 ** -1050, Number.MAX_VALUE];
    expect([...written(Float64Array.from(corners))].every((value, i) => Object.is(value, corners[i]))).toBe(true);
  });

  it.each([
    ['text', '1 2 3', 'needs an array of which each is a number, not the text "1 2 3"'],
    ['text inside', [1, '2'], '[1]: needs a number, not the text "2"'],
    ['a hole', Object.assign([1], { 2: 3 }), '[1]: needs a number, not nothing'],
    ['bigints', new BigInt64Array(2), '[0]: needs a number, not the bigint 0'],
    ['a DataView', new DataView(new ArrayBuffer(8)), 'not a DataView'],
    ['a bare ArrayBuffer', new ArrayBuffer(8), 'not an object'],
    ['an object that looks like one', { length: 3, 0: 1, 1: 2, 2: 3 }, 'not an object'],
    ['null', null, 'not null'],
    ['nothing', undefined, 'not nothing'],
  ])('refuses %s', (_what, data, message) => {
    expect(() => written(data)).toThrow(message);
    expect(() => written(data)).toThrow(/^std_msgs\/msg\/Float64MultiArray\.data/);
  });

  it('refuses elements that their kind cannot hold', () => {
    expect(() => Joy.encode({ ...Joy.create(), axes: [1e39] as never }, into)).toThrow(
      'sensor_msgs/msg/Joy.axes[0]: needs a number within the range of float32, not the number 1e+39',
    );
    expect(() => Joy.encode({ ...Joy.create(), buttons: [0.5] as never }, into)).toThrow('Joy.buttons[0]');
    const rows = { ...SafetyState.create(), fault_rows: new Float64Array([65_536]) as never };
    expect(() => SafetyState.encode(rows, into)).toThrow('needs a whole number from 0 to 65535');
  });

  it('refuses an array of another length than the definition has', () => {
    const imu = { ...Imu.create(), orientation_covariance: new Float64Array(8) };
    expect(() => Imu.encode(imu, into)).toThrow('Imu.orientation_covariance: needs 9 numbers, not 8');
  });
});

describe('single values', () => {
  it.each([
    [Int32, 2 ** 31, 'needs a whole number of 32 bits, not the number 2147483648'],
    [Int32, 1.5, 'needs a whole number of 32 bits'],
    [Int32, Number.NaN, 'not the number NaN'],
    [Int32, '1', 'not the text "1"'],
    [Int32, 1n, 'not the bigint 1'],
    [UInt8, -1, 'needs a whole number from 0 to 255, not the number -1'],
    [Float32, 3.5e38, 'needs a number within the range of float32'],
    [StringMessage, 5, 'needs text, not the number 5'],
    [StringMessage, undefined, 'needs text, not nothing'],
    [StringMessage, 'a\0b', 'has a zero character inside'],
    [StringMessage, `${'long '.repeat(20)}\0`, 'has a zero character inside'],
    [StringMessage, '\ud800', 'is not well-formed Unicode'],
  ])('$0.name refuses %s', (type, data, message) => {
    expect(() => (type as typeof Int32).encode({ data: data as number }, into)).toThrow(`${type.name}.data: `);
    expect(() => (type as typeof Int32).encode({ data: data as number }, into)).toThrow(message);
  });

  it('takes 64-bit integers as bigint up to their ends, and nothing else', () => {
    const status = PolicyStatus.create();
    const length = PolicyStatus.encode({ ...status, version: 2n ** 64n - 1n }, into);
    PolicyStatus.decode(into.bytes.subarray(0, length), status);
    expect(status.version).toBe(2n ** 64n - 1n);
    expect(() => PolicyStatus.encode({ ...status, version: 2n ** 64n }, into)).toThrow('PolicyStatus.version');
    expect(() => PolicyStatus.encode({ ...status, version: 3 as never }, into)).toThrow('not the number 3');
  });

  it('takes text of any language', () => {
    const long = 'größer 電源 🤖 '.repeat(40);
    for (const data of ['', 'é', '🤖', long]) {
      const out = StringMessage.create();
      const length = StringMessage.encode({ data }, into);
      StringMessage.decode(into.bytes.subarray(0, length), out);
      expect(out.data).toBe(data);
    }
  });

  it('takes numbers too large for float32 only where they are infinite', () => {
    const out = AckermannDrive.create();
    const length = AckermannDrive.encode({ ...out, speed: Number.POSITIVE_INFINITY, jerk: 0.1 }, into);
    AckermannDrive.decode(into.bytes.subarray(0, length), out);
    expect([out.speed, out.jerk]).toEqual([Number.POSITIVE_INFINITY, Math.fround(0.1)]);
  });
});

describe('nested messages', () => {
  it('names the way to what does not fit', () => {
    const point = { ...JointTrajectory.create(), points: [{ positions: [] }, {}] as never };
    expect(() => JointTrajectory.encode(point, into)).toThrow('JointTrajectory.points[0].velocities: needs an array');
    expect(() => Twist.encode({ linear: { x: 1, y: 2 }, angular: {} } as never, into)).toThrow(
      'geometry_msgs/msg/Twist.linear.z: needs a number, not nothing',
    );
    const status = { ...DiagnosticStatus.create(), values: [{ key: 'a', value: 3 }] as never };
    expect(() => DiagnosticStatus.encode(status, into)).toThrow('DiagnosticStatus.values[0].value: needs text');
    const joints = { ...JointState.create(), name: ['a', null] as never };
    expect(() => JointState.encode(joints, into)).toThrow('JointState.name[1]: needs text, not null');
    expect(() => JointState.encode(null as never, into)).toThrow(
      'sensor_msgs/msg/JointState: needs a message, not null',
    );
  });
});

describe('the buffer', () => {
  it('grows to what a message needs, and carries nothing of the message before', () => {
    const buffer = createCdrBuffer(0);
    const image = { ...Image.create(), data: new Uint8Array(100_000).fill(0xff) };
    const first = Image.encode(image, buffer);
    expect(buffer.bytes.length).toBeGreaterThanOrEqual(first);
    // Padding is zero whatever the buffer held.
    buffer.bytes.fill(0xff);
    const joints = { ...JointState.create(), name: ['a'], effort: new Float64Array([1]) };
    const used = JointState.encode(joints, buffer);
    const fresh = createCdrBuffer();
    expect(JointState.encode(joints, fresh)).toBe(used);
    expect(buffer.bytes.subarray(0, used).equals(fresh.bytes.subarray(0, used))).toBe(true);
  });

  it('may be an object of one’s own, or get other bytes between messages', () => {
    const plain = { bytes: Buffer.alloc(1) };
    const message = { data: 'the same bytes' };
    const length = StringMessage.encode(message, into);
    expect(StringMessage.encode(message, plain)).toBe(length);
    expect(plain.bytes.subarray(0, length).equals(into.bytes.subarray(0, length))).toBe(true);
    into.bytes = Buffer.alloc(3);
    expect(StringMessage.encode(message, into)).toBe(length);
    expect(plain.bytes.subarray(0, length).equals(into.bytes.subarray(0, length))).toBe(true);
    const half = into.bytes.subarray(0, length - 1);
    into.bytes = half;
    expect(StringMessage.encode(message, into)).toBe(length);
    expect(into.bytes.length).toBeGreaterThanOrEqual(length);
  });
});
