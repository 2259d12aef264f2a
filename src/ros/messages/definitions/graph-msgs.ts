/** rosgraph_msgs: simulated time. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { Time } from './builtin-interfaces.ts';

export interface Clock {
  clock: Time;
}
export const Clock: MessageType<Clock> = defineMessage<Clock>('rosgraph_msgs/msg/Clock', { clock: Time });
