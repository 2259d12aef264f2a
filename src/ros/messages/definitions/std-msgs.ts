/** std_msgs: single values, arrays, and the header of everything that has a time and a frame. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { Time } from './builtin-interfaces.ts';

export interface Header {
  stamp: Time;
  frame_id: string;
}
export const Header: MessageType<Header> = defineMessage<Header>('std_msgs/msg/Header', {
  stamp: Time,
  frame_id: 'string',
});

// biome-ignore lint/suspicious/noEmptyInterface: the message has no fields.
export interface Empty {}
export const Empty: MessageType<Empty> = defineMessage<Empty>('std_msgs/msg/Empty', {});

/** `std_msgs/msg/String`; its name here does not hide the language's own. */
export interface StringMessage {
  data: string;
}
export const StringMessage: MessageType<StringMessage> = defineMessage<StringMessage>('std_msgs/msg/String', {
  data: 'string',
});

export interface Bool {
  data: boolean;
}
export const Bool: MessageType<Bool> = defineMessage<Bool>('std_msgs/msg/Bool', { data: 'bool' });

export interface Int32 {
  data: number;
}
export const Int32: MessageType<Int32> = defineMessage<Int32>('std_msgs/msg/Int32', { data: 'int32' });

export interface UInt8 {
  data: number;
}
export const UInt8: MessageType<UInt8> = defineMessage<UInt8>('std_msgs/msg/UInt8', { data: 'uint8' });

export interface Float32 {
  data: number;
}
export const Float32: MessageType<Float32> = defineMessage<Float32>('std_msgs/msg/Float32', { data: 'float32' });

export interface Float64 {
  data: number;
}
export const Float64: MessageType<Float64> = defineMessage<Float64>('std_msgs/msg/Float64', { data: 'float64' });

export interface MultiArrayDimension {
  label: string;
  size: number;
  stride: number;
}
export const MultiArrayDimension: MessageType<MultiArrayDimension> = defineMessage<MultiArrayDimension>(
  'std_msgs/msg/MultiArrayDimension',
  { label: 'string', size: 'uint32', stride: 'uint32' },
);

export interface MultiArrayLayout {
  dim: MultiArrayDimension[];
  data_offset: number;
}
export const MultiArrayLayout: MessageType<MultiArrayLayout> = defineMessage<MultiArrayLayout>(
  'std_msgs/msg/MultiArrayLayout',
  { dim: [MultiArrayDimension], data_offset: 'uint32' },
);

export interface Float32MultiArray {
  layout: MultiArrayLayout;
  data: Float32Array;
}
export const Float32MultiArray: MessageType<Float32MultiArray> = defineMessage<Float32MultiArray>(
  'std_msgs/msg/Float32MultiArray',
  { layout: MultiArrayLayout, data: 'float32[]' },
);

export interface Float64MultiArray {
  layout: MultiArrayLayout;
  data: Float64Array;
}
export const Float64MultiArray: MessageType<Float64MultiArray> = defineMessage<Float64MultiArray>(
  'std_msgs/msg/Float64MultiArray',
  { layout: MultiArrayLayout, data: 'float64[]' },
);
