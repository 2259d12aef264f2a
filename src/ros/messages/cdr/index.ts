export type { MessageDefinition } from './define-message.ts';
export { defineMessage } from './define-message.ts';
export { createCdrBuffer } from './sink.ts';
