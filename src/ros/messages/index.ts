export type { CdrBuffer, MessageType } from './message-type.ts';
