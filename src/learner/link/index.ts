/** The link between robot and learner: journal, uplink, weights, and the learner's server. */
export { type SubscribeOptions, type Subscription, subscribeWeights } from './downlink.ts';
export type { LinkFault, LinkFaultReason } from './fault.ts';
export {
  acquireLock,
  type DirectoryLock,
  explainJournal,
  Journal,
  type JournalExplanation,
  type JournalLoss,
  type JournalOptions,
  type JournalStatus,
  type JournalStorage,
  journalFolderIn,
  lockHolder,
  mendJournal,
  openJournal,
  type ReadJournalOptions,
  readJournal,
  type SegmentFile,
} from './journal/index.ts';
export type { LearnerStatus } from './messages.ts';
export { askLearner, type LearnerInfo } from './query.ts';
export { firstDifference } from './robot-peer.ts';
export type { OnTransition, ServerCounters, Watermark } from './robot-session.ts';
export { LearnerServer, type LearnerServerOptions, startLearnerServer } from './server.ts';
export { parseAddress } from './sockets.ts';
export type { UplinkCounters } from './transition-sender.ts';
export { connectUplink, Uplink, type UplinkOptions, type UplinkState } from './uplink.ts';
export {
  decodeBundle,
  encodeBundle,
  sealBundle,
  verifyBundle,
  type WeightsBundle,
  type WeightsManifest,
  type WeightsShape,
} from './weights-bundle.ts';
