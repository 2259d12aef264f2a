/**
 * Subscriptions to the observation topics of a task through a ROS port. Compressed images are decoded with `sharp`, if
 * installed: it is no dependency of Rein, because only robots with compressed camera topics need it.
 */
import { ReinError } from '../../model/index.ts';
import type { ObservationTopic } from '../../tasks/index.ts';
import { CompressedImage } from '../messages/definitions.ts';
import type { MessageType } from '../messages/message-type.ts';
import { SENSOR_QOS } from '../port/qos.ts';
import type { RosPort } from '../port/ros-port.ts';
import { type Picture, readImage } from './image-reader.ts';
import { readerOf, type TopicReader } from './message-readers.ts';
import { TopicObservation } from './topic-observation.ts';

/**
 * Subscribes to `topics` on a port that has not started. The sources are in the same order, for `Task.attach`. Rejects
 * with `ReinError('environment')` if compressed images are requested without a decoder.
 */
export async function subscribeObservations(
  port: Pick<RosPort, 'subscribe'>,
  topics: readonly ObservationTopic[],
  loadDecoder: () => Promise<ImageDecoder> = loadImageDecoder,
): Promise<readonly TopicObservation[]> {
  const isCompressed = topics.some(({ type }) => type === 'sensor_msgs/msg/CompressedImage');
  const decoder = isCompressed ? await loadDecoder() : undefined;
  return topics.map((topic) => {
    const observation = new TopicObservation(topic);
    const { type } = topic;
    if (type === 'sensor_msgs/msg/CompressedImage') subscribeCompressed(port, observation, decoder);
    else subscribeMessages(port, observation, readerOf({ ...topic, type }));
    return observation;
  });
}

function subscribeMessages(
  port: Pick<RosPort, 'subscribe'>,
  observation: TopicObservation,
  { type, read, pixels }: TopicReader,
): void {
  port.subscribe(type as MessageType<unknown>, observation.topic.topic, SENSOR_QOS, (message, receivedAtS) => {
    observation.take((out) => read(message as never, out), receivedAtS, pixels?.(message as never));
  });
}

/** Images are decoded one at a time; of those that arrive meanwhile the newest is next. */
function subscribeCompressed(
  port: Pick<RosPort, 'subscribe'>,
  observation: TopicObservation,
  decoder: ImageDecoder | undefined,
): void {
  if (decoder === undefined) throw new ReinError('environment', 'Compressed images cannot be decoded here.');
  const { topic } = observation;
  let isBusy = false;
  let waiting: { readonly bytes: Uint8Array; readonly receivedAtS: number } | undefined;
  const decode = async (bytes: Uint8Array, receivedAtS: number): Promise<void> => {
    isBusy = true;
    try {
      const picture = await decoder(bytes);
      observation.take((out) => readImage(picture, topic, out), receivedAtS, bytes);
    } catch (error) {
      observation.refuse(`it is no picture that can be decoded (${(error as Error).message})`);
    }
    isBusy = false;
    const next = waiting;
    waiting = undefined;
    if (next !== undefined) await decode(next.bytes, next.receivedAtS);
  };
  port.subscribe(CompressedImage, topic.topic, SENSOR_QOS, ({ data }, receivedAtS) => {
    // The message is reused by the next one.
    const bytes = data.slice();
    if (isBusy) waiting = { bytes, receivedAtS };
    else void decode(bytes, receivedAtS);
  });
}

/** Decodes JPEG, PNG and other formats of the library to 8-bit RGB. Rejects for bytes that are no image. */
export type ImageDecoder = (bytes: Uint8Array) => Promise<Picture>;

/** Part of `sharp` that is used. */
interface Sharp {
  removeAlpha(): Sharp;
  toColourspace(space: string): Sharp;
  raw(): Sharp;
  toBuffer(options: { resolveWithObject: true }): Promise<{
    data: Uint8Array;
    info: { width: number; height: number; channels: number };
  }>;
}
type SharpModule = { readonly default: (bytes: Uint8Array) => Sharp };

// In a variable, so that no tool resolves the package before it is needed.
const PACKAGE: string = 'sharp';

/** Loads the decoder. Rejects with `ReinError('environment')` if it is not installed. */
export async function loadImageDecoder(packageName: string = PACKAGE): Promise<ImageDecoder> {
  const sharp = await import(packageName).then(
    (module: SharpModule) => module.default,
    (error: unknown) => {
      throw new ReinError(
        'environment',
        `Compressed images cannot be decoded: the package ${packageName} is not installed.`,
        {
          remedy: `Run: npm install --no-save ${packageName}. Or read the camera's uncompressed topic (sensor_msgs/msg/Image).`,
          cause: error,
        },
      );
    },
  );
  return async (bytes) => {
    const { data, info } = await sharp(bytes)
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return {
      width,
      height,
      encoding: channels === 1 ? 'mono8' : 'rgb8',
      is_bigendian: 0,
      step: width * channels,
      data,
    };
  };
}
