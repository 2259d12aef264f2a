/** rosgraph_msgs and tf2_msgs: simulated time, and the tree of frames. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { Time } from './builtin-interfaces.ts';
import { TransformStamped } from './geometry-msgs.ts';

export interface Clock {
  clock: Time;
}
export const Clock: MessageType<Clock> = defineMessage<Clock>('rosgraph_msgs/msg/Clock', { clock: Time });

export interface TFMessage {
  transforms: TransformStamped[];
}
export const TFMessage: MessageType<TFMessage> = defineMessage<TFMessage>('tf2_msgs/msg/TFMessage', {
  transforms: [TransformStamped],
});
