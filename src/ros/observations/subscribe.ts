/** Observation topics of a task, read through a ROS port. */
import { ReinError } from '../../core/index.ts';
import type { ObservationTopic } from '../../tasks/index.ts';
import { CompressedImage, Image } from '../messages/definitions.ts';
import type { MessageType } from '../messages/message-type.ts';
import { SENSOR_QOS } from '../port/qos.ts';
import type { RosPort } from '../port/ros-port.ts';
import { type ImageDecoder, loadImageDecoder } from './image-decoder.ts';
import { readImage } from './image-reader.ts';
import { readerOf, type TopicReader } from './message-readers.ts';
import { TopicObservation } from './topic-observation.ts';

/**
 * Subscribes to `topics` on a port that has not started. The sources stand in the same order, for `Task.attach`. Rejects
 * with `ReinError('environment')` where compressed images are asked for and nothing decodes them.
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
    else if (type === 'sensor_msgs/msg/Image') subscribeImage(port, observation);
    else subscribeNumbers(port, observation, readerOf({ ...topic, type }));
    return observation;
  });
}

function subscribeNumbers(
  port: Pick<RosPort, 'subscribe'>,
  observation: TopicObservation,
  { type, read }: TopicReader,
): void {
  port.subscribe(type as MessageType<unknown>, observation.topic.topic, SENSOR_QOS, (message, receivedAtS) => {
    observation.take((out) => read(message as never, out), receivedAtS);
  });
}

function subscribeImage(port: Pick<RosPort, 'subscribe'>, observation: TopicObservation): void {
  const { topic } = observation;
  port.subscribe(Image, topic.topic, SENSOR_QOS, (image, receivedAtS) => {
    observation.take((out) => readImage(image, topic, out), receivedAtS, image.data);
  });
}

/** One picture is decoded at a time; of those that come meanwhile the newest is next. */
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
