/** diagnostic_msgs: how parts of a robot are. */
import { defineMessage } from '../cdr/index.ts';
import type { MessageType } from '../message-type.ts';
import { Header } from './std-msgs.ts';

export interface KeyValue {
  key: string;
  value: string;
}
export const KeyValue: MessageType<KeyValue> = defineMessage<KeyValue>('diagnostic_msgs/msg/KeyValue', {
  key: 'string',
  value: 'string',
});

export interface DiagnosticStatus {
  /** 0 OK, 1 WARN, 2 ERROR, 3 STALE. */
  level: number;
  name: string;
  message: string;
  hardware_id: string;
  values: KeyValue[];
}
export const DiagnosticStatus: MessageType<DiagnosticStatus> = defineMessage<DiagnosticStatus>(
  'diagnostic_msgs/msg/DiagnosticStatus',
  { level: 'byte', name: 'string', message: 'string', hardware_id: 'string', values: [KeyValue] },
);

export interface DiagnosticArray {
  header: Header;
  status: DiagnosticStatus[];
}
export const DiagnosticArray: MessageType<DiagnosticArray> = defineMessage<DiagnosticArray>(
  'diagnostic_msgs/msg/DiagnosticArray',
  { header: Header, status: [DiagnosticStatus] },
);
