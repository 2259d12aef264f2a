import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import type { ObservationTopic } from '../../tasks/index.ts';
import {
  CompressedImage,
  Float64,
  Float64MultiArray,
  Image,
  Imu,
  JointState,
  LaserScan,
  Odometry,
  WrenchStamped,
} from '../messages/definitions.ts';
import type { MessageType } from '../messages/message-type.ts';
import type { RosPort } from '../port/ros-port.ts';
import type { Picture } from './image-reader.ts';
import { loadImageDecoder, subscribeObservations } from './subscribe.ts';
import type { TopicObservation } from './topic-observation.ts';

const plain = { name: 'seen', topic: 'seen', scale: 1, freshnessMs: 100 };

/** Port with subscriptions only, whose messages tests send. */
async function subscribed<T>(
  topic: Omit<ObservationTopic, 'name' | 'topic' | 'scale' | 'freshnessMs'> & Partial<ObservationTopic>,
  type: MessageType<T>,
  decoder?: (bytes: Uint8Array) => Promise<Picture>,
): Promise<{ seen: TopicObservation; send: (change: (message: T) => void, atS?: number) => void }> {
  let listener: ((message: never, receivedAtS: number) => void) | undefined;
  const port = {
    subscribe: (given: MessageType<unknown>, name: string, qos: object, heard: typeof listener) => {
      expect([given.name, name]).toEqual([topic.type, 'seen']);
      expect(qos).toMatchObject({ reliability: 'bestEffort', depth: 1 });
      listener = heard;
      return {};
    },
  } as unknown as RosPort;
  const load = decoder === undefined ? undefined : () => Promise.resolve(decoder);
  const [seen] = await subscribeObservations(port, [{ ...plain, ...topic }], load);
  const send = (change: (message: T) => void, atS = 1): void => {
    const message = type.create();
    change(message);
    listener!(message as never, atS);
  };
  return { seen: seen!, send };
}

function values(seen: TopicObservation): number[] {
  const out = new Float32Array(seen.size + 2).fill(-9);
  seen.fill(out, 1);
  expect([out[0], out[seen.size + 1]]).toEqual([-9, -9]);
  return [...out.subarray(1, seen.size + 1)];
}

describe('joint states', () => {
  const joints = ['b', 'a'];
  const state = (message: JointState, name: string[], position: number[]): void => {
    message.name = name;
    message.position = Float64Array.from(position);
    message.velocity = Float64Array.from(position, (value) => 10 * value);
  };

  it('are taken by name, whatever their order, also when it changes', async () => {
    const topic = { type: 'sensor_msgs/msg/JointState', fields: ['velocity', 'position'], joints, scale: 2 } as const;
    const { seen, send } = await subscribed(topic, JointState);
    expect(values(seen)).toEqual([0, 0, 0, 0]);
    send((m) => state(m, ['a', 'x', 'b'], [1, 5, 2]));
    expect(values(seen)).toEqual([10, 5, 1, 0.5]);
    send((m) => state(m, ['b', 'a'], [3, 4]));
    expect(values(seen)).toEqual([15, 20, 1.5, 2]);
  });

  it('of other joints are not for us; half of ours, a missing array and NaN are refused', async () => {
    const topic = { type: 'sensor_msgs/msg/JointState', fields: ['position'], joints } as const;
    const { seen, send } = await subscribed(topic, JointState);
    send((m) => state(m, ['a', 'b'], [1, 2]));
    send((m) => state(m, ['x', 'y'], [7, 7]));
    expect(seen.counters).toEqual({ taken: 1, malformed: 0 });
    send((m) => state(m, ['a'], [7]));
    send((m) => {
      m.name = ['a', 'b'];
    });
    send((m) => state(m, ['a', 'b'], [Number.NaN, 7]));
    expect(seen.counters).toEqual({ taken: 1, malformed: 3 });
    expect(values(seen)).toEqual([2, 1]);
  });
});

describe('numbers', () => {
  it('of an Imu are turned into one order: w, x, y, z with w ≥ 0', async () => {
    const fields = ['orientation', 'linearAcceleration', 'angularVelocity'];
    const { seen, send } = await subscribed({ type: 'sensor_msgs/msg/Imu', fields }, Imu);
    send((m) => {
      Object.assign(m.orientation, { x: 0.1, y: 0.2, z: 0.3, w: -0.9 });
      Object.assign(m.linear_acceleration, { x: 1, y: 2, z: 3 });
      Object.assign(m.angular_velocity, { x: 4, y: 5, z: 6 });
    });
    expect(values(seen)).toEqual([0.9, -0.1, -0.2, -0.3, 1, 2, 3, 4, 5, 6].map(Math.fround));
    send((m) => {
      m.orientation_covariance[0] = -1;
    });
    expect(seen.counters.malformed).toBe(1);
  });

  it('of odometry and of a wrench are taken in the order asked for', async () => {
    const odometry = await subscribed({ type: 'nav_msgs/msg/Odometry', fields: ['angular', 'position'] }, Odometry);
    odometry.send((m) => {
      m.twist.twist.angular.z = 3;
      m.pose.pose.position.x = 7;
    });
    expect(values(odometry.seen)).toEqual([0, 0, 3, 7, 0, 0]);
    const fields = ['torque', 'force'];
    const wrench = await subscribed({ type: 'geometry_msgs/msg/WrenchStamped', fields, scale: 10 }, WrenchStamped);
    wrench.send((m) => {
      m.wrench.torque.x = 1;
      m.wrench.force.z = -20;
    });
    expect(values(wrench.seen)).toEqual([Math.fround(0.1), 0, 0, 0, 0, -2]);
  });

  it('in arrays must be as many as asked for', async () => {
    const topic = { type: 'std_msgs/msg/Float64MultiArray', fields: ['data'], size: 3 } as const;
    const { seen, send } = await subscribed(topic, Float64MultiArray);
    send((m) => {
      m.data = Float64Array.of(1, 2, 3);
    });
    send((m) => {
      m.data = Float64Array.of(1, 2);
    });
    expect(values(seen)).toEqual([1, 2, 3]);
    expect(seen.counters).toEqual({ taken: 1, malformed: 1 });
    const single = await subscribed({ type: 'std_msgs/msg/Float64', fields: ['data'], scale: 4 }, Float64);
    single.send((m) => {
      m.data = 2;
    });
    expect(values(single.seen)).toEqual([0.5]);
  });
});

describe('a laser scan', () => {
  const scan = (ranges: readonly number[]) => (message: LaserScan) => {
    Object.assign(message, { range_min: 0.1, range_max: 4, ranges: Float32Array.from(ranges) });
  };

  it('gives the nearest of each sector: nothing seen is the reach, what is too near is not looked at', async () => {
    const { seen, send } = await subscribed(
      { type: 'sensor_msgs/msg/LaserScan', fields: ['ranges'], size: 4 },
      LaserScan,
    );
    const inf = Number.POSITIVE_INFINITY;
    send(scan([inf, 2, 3, 0.05, 1, 9, inf, Number.NaN, inf, 0]));
    // Ten ranges in four sectors: 2, 3, 2 and 3 of them.
    expect(values(seen)).toEqual([2, 1, 4, 4]);
  });

  it('with fewer ranges than sectors, or without a reach, is refused', async () => {
    const { seen, send } = await subscribed(
      { type: 'sensor_msgs/msg/LaserScan', fields: ['ranges'], size: 4 },
      LaserScan,
    );
    send(scan([1, 2, 3]));
    send((m) => {
      m.ranges = new Float32Array(8);
    });
    expect(seen.counters).toEqual({ taken: 0, malformed: 2 });
  });

  it('never gives anything outside its reach', async () => {
    const { seen, send } = await subscribed(
      { type: 'sensor_msgs/msg/LaserScan', fields: ['ranges'], size: 5 },
      LaserScan,
    );
    fc.assert(
      fc.property(fc.array(fc.float(), { minLength: 5, maxLength: 60 }), (ranges) => {
        send(scan(ranges));
        expect(values(seen).every((value) => value >= Math.fround(0.1) && value <= 4)).toBe(true);
      }),
    );
  });
});

describe('an image', () => {
  const gray = { type: 'sensor_msgs/msg/Image', fields: ['gray'], widthPx: 2, heightPx: 1 } as const;
  const picture = (encoding: string, width: number, height: number, step: number, data: readonly number[]) => {
    return (message: Image): void => {
      Object.assign(message, { encoding, width, height, step, data: Uint8Array.from(data) });
    };
  };

  it('is averaged over equal areas, with the bytes at the end of a row left out', async () => {
    const { seen, send } = await subscribed(gray, Image);
    send(picture('mono8', 4, 2, 5, [0, 255, 51, 51, 99, 255, 0, 51, 51, 99]));
    expect(values(seen)).toEqual([0.5, Math.fround(0.2)]);
  });

  it('in colours keeps them apart, whatever their order, and weighs them for brightness', async () => {
    const rgb = await subscribed({ ...gray, fields: ['rgb'], widthPx: 1 }, Image);
    rgb.send(picture('bgr8', 1, 1, 3, [255, 51, 0]));
    expect(values(rgb.seen)).toEqual([0, Math.fround(0.2), 1]);
    rgb.send(picture('rgba8', 1, 1, 4, [255, 51, 0, 9]));
    expect(values(rgb.seen)).toEqual([1, Math.fround(0.2), 0]);
    const brightness = await subscribed({ ...gray, widthPx: 1 }, Image);
    brightness.send(picture('rgb8', 1, 1, 3, [255, 0, 0]));
    expect(values(brightness.seen)).toEqual([Math.fround(0.299)]);
  });

  it('of two bytes a pixel is read in either byte order', async () => {
    const { seen, send } = await subscribed({ ...gray, widthPx: 1 }, Image);
    send(picture('mono16', 1, 1, 2, [0x33, 0x33]));
    expect(values(seen)).toEqual([Math.fround(0.2)]);
    send((m) => {
      picture('mono16', 1, 1, 2, [0xff, 0x00])(m);
      m.is_bigendian = 1;
    });
    expect(values(seen)[0]).toBeCloseTo(0xff00 / 0xffff, 6);
  });

  it.each([
    ['an encoding that nobody reads', picture('yuv422', 4, 2, 8, new Array(16).fill(0)), '"yuv422" is not read'],
    ['too few bytes', picture('rgb8', 4, 2, 12, [1, 2, 3]), '3 bytes are too few for 4 × 2'],
    ['a row that is too short', picture('rgb8', 4, 2, 4, new Array(64).fill(0)), 'too few'],
    ['too few pixels', picture('mono8', 1, 1, 1, [3]), '1 × 1 pixels, 2 × 1 are asked for'],
  ])('with %s is refused, with the reason where it matters', async (_name, change, why) => {
    const { seen, send } = await subscribed(gray, Image);
    send(change);
    expect(seen.counters).toEqual({ taken: 0, malformed: 1 });
    expect(seen.problems(1)[0]?.message).toContain(why);
  });

  faultRow(44, 'fake', 'the same five times in a row is a frozen camera; another one mends it', async () => {
    const { seen, send } = await subscribed(gray, Image);
    const atS = (i: number): number => 1 + 0.03 * i;
    for (let i = 0; i < 4; i++) send(picture('mono8', 2, 1, 2, [7, 8]), atS(i));
    expect(seen.problems(atS(3))).toEqual([]);
    send(picture('mono8', 2, 1, 2, [7, 8]), atS(4));
    expect(seen.problems(atS(4)).map(({ row }) => row)).toEqual([44]);
    expect(seen.problems(atS(4))[0]?.message).toContain('same picture five times');
    send(picture('mono8', 2, 1, 2, [7, 9]), atS(5));
    expect(seen.problems(atS(5))).toEqual([]);
  });
});

describe('a compressed image', () => {
  const topic = { type: 'sensor_msgs/msg/CompressedImage', fields: ['gray'], widthPx: 1, heightPx: 1 } as const;
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** The first byte is the brightness; 0 is no image. */
  const decoder = async ([brightness = 0]: Uint8Array): Promise<Picture> => {
    if (brightness === 0) throw new Error('unsupported format');
    return { width: 1, height: 1, encoding: 'mono8', is_bigendian: 0, step: 1, data: Uint8Array.of(brightness) };
  };
  const bytes = (...data: number[]) => {
    return (message: CompressedImage): void => {
      message.data = Uint8Array.from(data);
    };
  };

  it('is decoded; of those that come meanwhile only the newest is', async () => {
    let decoded = 0;
    const { seen, send } = await subscribed(topic, CompressedImage, (data) => {
      decoded++;
      return decoder(data);
    });
    for (const brightness of [51, 102, 153, 255]) send(bytes(brightness));
    await settle();
    expect(values(seen)).toEqual([1]);
    expect(decoded).toBe(2);
  });

  it('that is none is refused, and the next one is taken', async () => {
    const { seen, send } = await subscribed(topic, CompressedImage, decoder);
    send(bytes(0));
    await settle();
    expect(seen.problems(1)[0]?.message).toContain('unsupported format');
    send(bytes(255));
    await settle();
    expect(values(seen)).toEqual([1]);
  });

  it('is refused in one message where nothing can decode it', async () => {
    await expect(loadImageDecoder('no-such-image-decoder')).rejects.toThrow(
      'Compressed images cannot be decoded: the package no-such-image-decoder is not installed.',
    );
    const port = { subscribe: () => expect.unreachable() } as unknown as RosPort;
    const load = () => loadImageDecoder('no-such-image-decoder');
    await expect(subscribeObservations(port, [{ ...plain, ...topic }], load)).rejects.toThrow('not installed');
  });
});

describe('the age of an observation', () => {
  const topic = { type: 'std_msgs/msg/Float64', fields: ['data'] } as const;

  it('row 2: before the first value and past its freshness nothing may be acted on', async () => {
    const { seen, send } = await subscribed(topic, Float64);
    expect(seen.ageMs(5)).toBe(Number.POSITIVE_INFINITY);
    expect(seen.problems(5)).toMatchObject([{ row: 2 }]);
    expect(seen.problems(5)[0]?.message).toContain('has not come yet, 100 ms are allowed');
    send(() => undefined, 5);
    expect(seen.ageMs(5.04)).toBeCloseTo(40, 6);
    expect(seen.problems(5.0999)).toEqual([]);
    expect(seen.problems(5.1001)[0]?.message).toContain('is 100 ms old');
    expect(seen.problems(Number.NaN)).toHaveLength(1);
  });

  it('goes on to grow while what comes is refused, and the reason is told', async () => {
    const { seen, send } = await subscribed(topic, Float64);
    send(() => undefined, 1);
    for (let i = 1; i <= 10; i++) {
      send(
        (m) => {
          m.data = Number.NaN;
        },
        1 + 0.02 * i,
      );
    }
    expect(seen.problems(1.2)[0]?.message).toContain(
      'The last message was refused: it holds numbers that are not finite.',
    );
  });

  it('comes with the rate of messages', async () => {
    const { seen, send } = await subscribed(topic, Float64);
    expect(seen.rateHz(1)).toBe(0);
    for (let i = 0; i < 50; i++) send(() => undefined, 1 + 0.02 * i);
    expect(seen.rateHz(2)).toBeCloseTo(50, 3);
    expect(seen.rateHz(9)).toBe(0);
  });
});
