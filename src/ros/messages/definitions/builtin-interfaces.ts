/** builtin_interfaces: time. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';

/** A point in time since the clock's epoch. Before the epoch `sec` is negative and `nanosec` still counts forward. */
export interface Time {
  sec: number;
  nanosec: number;
}
export const Time: MessageType<Time> = defineMessage<Time>('builtin_interfaces/msg/Time', {
  sec: 'int32',
  nanosec: 'uint32',
});

export interface Duration {
  sec: number;
  nanosec: number;
}
export const Duration: MessageType<Duration> = defineMessage<Duration>('builtin_interfaces/msg/Duration', {
  sec: 'int32',
  nanosec: 'uint32',
});
