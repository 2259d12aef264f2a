export { createCdrBuffer } from './cdr-bytes.ts';
export { defineMessage } from './define-message.ts';
export * from './definitions.ts';
export type { ActionType, CdrBuffer, MessageField, MessageType, NumberKind, ServiceType } from './message-type.ts';
export { type FieldAt, fieldAt, fieldPaths, MESSAGE_TYPES, messageType } from './registry.ts';
