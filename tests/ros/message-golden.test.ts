/** Our bytes are ROS's bytes: every message type against what rclpy wrote (`tests/python/make_ros_golden.py`). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCdrBuffer } from '../../src/ros/messages/cdr-bytes.ts';
import { MESSAGE_TYPES } from '../../src/ros/messages/registry.ts';
import { difference, fromJson } from '../support/ros-messages.ts';

interface GoldenCase {
  readonly message: unknown;
  readonly hex: string;
}

const file = join(import.meta.dirname, '..', 'golden', 'ros', 'messages.json');
const golden: Readonly<Record<string, readonly GoldenCase[]>> = JSON.parse(readFileSync(file, 'utf8'));
const into = createCdrBuffer(16);

describe('golden bytes of ROS', () => {
  it('are there for every type that is spoken, and for no other', () => {
    expect(Object.keys(golden).sort()).toEqual(MESSAGE_TYPES.map((type) => type.name));
  });

  it.each(MESSAGE_TYPES)('$name is written as ROS writes it, and read back', (type) => {
    const cases = golden[type.name] ?? [];
    expect(cases.length).toBeGreaterThanOrEqual(7);
    const reused = type.create();
    for (const { message, hex } of cases) {
      const expected = fromJson(type, message);
      const length = type.encode(expected, into);
      expect(into.bytes.toString('hex', 0, length)).toBe(hex);
      type.decode(Buffer.from(hex, 'hex'), reused);
      expect(difference(reused, expected)).toBeUndefined();
    }
  });

  it.each(MESSAGE_TYPES)('$name begins with the defaults of its definition', (type) => {
    expect(difference(type.create(), fromJson(type, golden[type.name]?.[0]?.message))).toBeUndefined();
  });
});
