import { describe, expect, it } from 'vitest';
import { defineMessage } from './define-message.ts';
import { Imu, JointState, LaserScan } from './definitions.ts';
import { fieldAt, fieldPaths, MESSAGE_TYPES, messageType } from './registry.ts';

function remedyOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as { remedy: string }).remedy;
  }
  throw new Error('nothing was thrown');
}

describe('the types by name', () => {
  it('are found by the name that ROS gives them, each once', () => {
    expect(messageType('sensor_msgs/msg/JointState')).toBe(JointState);
    expect(new Set(MESSAGE_TYPES.map((type) => type.name)).size).toBe(MESSAGE_TYPES.length);
    for (const type of MESSAGE_TYPES) expect(type.name).toMatch(/^[a-z0-9_]+\/msg\/[A-Z][A-Za-z0-9]*$/);
  });

  it.each([
    ['sensor_msgs/msg/Jointstate', 'sensor_msgs/msg/JointState'],
    ['sensor_msgs/JointState', 'sensor_msgs/msg/JointState'],
    ['JointState', 'sensor_msgs/msg/JointState'],
    ['geometry_msgs/msg/TwistStamp', 'geometry_msgs/msg/TwistStamped'],
  ])('%s is not one, and %s is offered', (wrong, right) => {
    expect(() => messageType(wrong)).toThrow(`The ROS message type "${wrong}" is not known here.`);
    expect(remedyOf(() => messageType(wrong))).toMatch(`Did you mean ${right}? `);
    expect(remedyOf(() => messageType(wrong))).toContain('Known are ackermann_msgs/msg/AckermannDrive, ');
  });

  it('offers nothing for what is like none', () => {
    expect(remedyOf(() => messageType('my_robot_interfaces/msg/Gripper'))).toMatch(/^Known are/);
  });
});

describe('fields by path', () => {
  it('are listed down to what holds values', () => {
    expect(fieldPaths(JointState)).toEqual([
      'header.stamp.sec',
      'header.stamp.nanosec',
      'header.frame_id',
      'name',
      'position',
      'velocity',
      'effort',
    ]);
  });

  it('give the value of any message', () => {
    const x = fieldAt(Imu, 'linear_acceleration.x');
    expect([x.field.kind, x.field.shape]).toEqual(['float64', 'single']);
    const imu = Imu.create();
    imu.linear_acceleration.x = 9.81;
    expect(x.get(imu)).toBe(9.81);
    const scan = LaserScan.create();
    expect(fieldAt(LaserScan, 'ranges').get(scan)).toBe(scan.ranges);
    expect(fieldAt(Imu, 'orientation_covariance').field).toMatchObject({ shape: 'array', length: 9 });
  });

  it.each(['linear_acceleration.q', 'nothing', '', 'orientation_covariance.0', '__proto__', 'header.stamp.sec.x'])(
    'says what there is instead of %j',
    (path) => {
      expect(() => fieldAt(Imu, path)).toThrow(`sensor_msgs/msg/Imu has no field ${JSON.stringify(path)}.`);
      expect(remedyOf(() => fieldAt(Imu, path))).toContain('linear_acceleration.x');
    },
  );
});

describe('definitions', () => {
  it('have bounded sequences and defaults, and refuse what they do not understand', () => {
    interface Small {
      few: Float64Array;
      texts: string[];
      gain: number;
    }
    const small = defineMessage<Small>('test/msg/Small', {
      few: 'float64[<=2]',
      texts: 'string[2]',
      gain: 'float32=2.5',
    });
    expect(small.create()).toEqual({ few: new Float64Array(0), texts: ['', ''], gain: 2.5 });
    const into = { bytes: Buffer.alloc(64) };
    expect(() => small.encode({ few: new Float64Array(3), texts: ['', ''], gain: 0 }, into)).toThrow(
      'test/msg/Small.few: has 3 elements, 2 are allowed',
    );
    expect(() => small.encode({ few: new Float64Array(0), texts: [''], gain: 0 }, into)).toThrow(
      'test/msg/Small.texts: needs 2 elements, not 1',
    );
    expect(() => defineMessage<{ a: number }>('test/msg/Odd', { a: 'float 64' as never })).toThrow('is not understood');
  });
});
