export * from './cdr/index.ts';
export * from './definitions/index.ts';
export type { FieldAt } from './field-paths.ts';
export { fieldAt, fieldPaths, fieldsOf } from './field-paths.ts';
export type { CdrBuffer, MessageField, MessageType, NumberKind } from './message-type.ts';
export { MESSAGE_TYPES, messageType } from './registry.ts';
