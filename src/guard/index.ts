/** The guard: the process with the driver, the tick, the safety chain, and its link. */
export { driverTitle, GUARD_NODE_FLAGS, type GuardConfig } from './guard-config.ts';
export { Guardian, type GuardianEvent, readBusMessage } from './guardian/guardian.ts';
export type { StopCause } from './guardian/protocol.ts';
export { createActionCommand } from './link/frames.ts';
export {
  acknowledge,
  activate,
  EndOfMotion,
  faultText,
  holdAgain,
  isLatched,
  leaseLeftS,
  whyHeld,
} from './link/going-on.ts';
export type { GuardLink } from './link/link.ts';
export { lostError } from './link/link-end.ts';
export { parseRequest, readAnswer, readNumbers } from './link/messages.ts';
export { PendingAnswers } from './link/remote.ts';
export { connectGuardLink } from './link/socket-link.ts';
export { encodeJson, MessageDecoder, type MessageHandler, NumbersMessage } from './link/wire.ts';
export { lockStepGuard } from './lock-step-guard.ts';
export { raiseThisThread, threadFolder } from './priority.ts';
