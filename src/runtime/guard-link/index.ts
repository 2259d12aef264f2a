export {
  commandNumbers,
  copyActionCommand,
  copyGuardFrame,
  createActionCommand,
  createGuardFrame,
  frameNumbers,
  packCommand,
  packFrame,
  unpackCommand,
  unpackFrame,
} from './frames.ts';
export type { Asker, FrameListener, GuardLink, GuardPort, LinkShape, NoticeListener } from './link.ts';
export { LinkListeners } from './listeners.ts';
export { MemoryGuardLink, type MemoryLinkOptions, type TickingGuard } from './memory-link.ts';
export { servedS } from './message-budget.ts';
export { parseHello, parseNoticeRecord, parseRequest, readNumbers } from './messages.ts';
export { lostError, PendingAnswers, TickWaits } from './remote.ts';
export { type ConnectOptions, connectGuardLink, SocketGuardLink } from './socket-link.ts';
export { GuardSocketServer } from './socket-server.ts';
export {
  encodeJson,
  encodeMessage,
  MAX_PAYLOAD_BYTES,
  MESSAGE,
  MessageDecoder,
  type MessageHandler,
  NumbersMessage,
} from './wire.ts';
