export { Journal, type JournalOptions, type JournalStatus, openJournal, type RecordBatch } from './journal.ts';
export { acquireLock, type DirectoryLock, lockHolder } from './lock.ts';
export { type JournalLoss, type ReadJournalOptions, readJournal } from './reader.ts';
export { explainJournal, type JournalExplanation, mendJournal } from './recover.ts';
export type { JournalStorage, SegmentFile } from './storage.ts';
export { journalFolderIn } from './survey.ts';
