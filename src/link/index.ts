/** The link between robot and learner: journal, uplink, weights, and the learner's server. */
export { type Subscription, subscribeWeights } from './downlink.ts';
export { Journal, type JournalStatus, openJournal } from './journal/journal.ts';
export { type JournalLoss, readJournal } from './journal/reader.ts';
export { explainJournal, type JournalExplanation, mendJournal } from './journal/recover.ts';
export { encodeSegmentHeader, recordSlot, type SegmentHeader, segmentPath } from './journal/segment.ts';
export { journalFolderIn } from './journal/survey.ts';
export {
  decodeBundle,
  encodeBundle,
  type LearnerStatus,
  MAX_VALUED_STEPS,
  readDemonstrations,
  readStatus,
  readStepValues,
  type StepValues,
} from './messages.ts';
export { askLearner, type LearnerInfo } from './query.ts';
export { firstDifference } from './robot-session.ts';
export { LearnerServer, startLearnerServer } from './server.ts';
export { parseAddress } from './sockets.ts';
export { connectUplink, Uplink } from './uplink.ts';
