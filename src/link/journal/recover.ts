/** Explains a journal file by file, and repairs it: whatever is cut or replaced is kept beside it. Deletes nothing. */

import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { acquireLock, type DirectoryLock, lockHolder } from '../../host/index.ts';
import { peekId } from '../record.ts';
import { begunLine, closedLine, MANIFEST_FILE, nameOf } from './manifest.ts';
import { encodeSegmentHeader, listSegments, readSlots, SEGMENT_HEADER_BYTES, type SegmentHeader } from './segment.ts';
import { type JournalFinding, type JournalSurvey, type SurveyedFile, surveyJournal } from './survey.ts';

/** One file of a journal, read completely. */
export interface ExplainedFile {
  readonly file: string;
  readonly epoch: number;
  readonly index: number;
  readonly bytes: number;
  /** ISO 8601; from `files.jsonl` if known there, else from the file system. */
  readonly begunAt: string | undefined;
  readonly endedAt: string;
  /** Number of readable records. */
  readonly intact: number;
  /** Number of damaged records. */
  readonly damaged: number;
  /** Sequence numbers of its first and last intact record. */
  readonly firstSeq: number | undefined;
  readonly lastSeq: number | undefined;
}

/** Report on a journal. */
export interface JournalExplanation {
  readonly dir: string;
  readonly runId: string | undefined;
  readonly journalId: string | undefined;
  readonly schemaHash: string | undefined;
  readonly epochs: number;
  readonly files: readonly ExplainedFile[];
  readonly findings: readonly JournalFinding[];
  /** Number of records that would be delivered to a learner without any of them. */
  readonly deliverable: number;
  /** Number of records that were written and are damaged or gone. */
  readonly lost: number;
  /** Steps that got a number and were not written because of the disk; for the epochs in `cutStarts`, without their ends. */
  readonly notRecorded: number;
  /** Epochs with an unknown number of steps: `files.jsonl` has no closing line of them (killed, disk full, or that file was lost). */
  readonly cutStarts: readonly number[];
}

/** Reads the whole journal in `dir` without changing it. Throws the file system's errors. */
export function explainJournal(dir: string): JournalExplanation {
  const survey = surveyJournal(dir);
  const { identity, parts, findings, manifest, epoch } = survey;
  const byPath = new Map(survey.files.map((file) => [file.path, file]));
  const files: ExplainedFile[] = [];
  const found: JournalFinding[] = findings.filter(({ kind }) => kind !== 'damaged');
  for (const { path, count } of parts) {
    if (path === undefined) continue;
    const file = explainFile(byPath.get(path)!, count, manifest.get(nameOf(byPath.get(path)!)));
    files.push(file);
    const { damaged } = file;
    const message = `${file.file}: records that are damaged: ${damaged}`;
    if (damaged > 0) found.push({ kind: 'damaged', path, records: damaged, message });
  }
  const deliverable = files.reduce((sum, { intact }) => sum + intact, 0);
  const all = parts.reduce((sum, { count }) => sum + count, 0);
  return {
    dir,
    runId: identity?.runId,
    journalId: identity?.journalId,
    schemaHash: identity?.schemaHash,
    epochs: epoch,
    files,
    findings: found,
    deliverable,
    lost: all - deliverable,
    ...notRecordedIn(dir, survey, files),
  };
}

function explainFile(
  { path, epoch, index, header, bytes }: SurveyedFile,
  count: number,
  entry: { readonly begunAt?: string; readonly closedAt?: string } | undefined,
): ExplainedFile {
  let intact = 0;
  let firstSeq: number | undefined;
  let lastSeq: number | undefined;
  for (const slot of readSlots(path, header, count)) {
    if (!slot.isIntact) continue;
    intact++;
    const { buffer, byteOffset, length } = slot.bytes;
    lastSeq = peekId(new DataView(buffer, byteOffset, length), 0).seq;
    firstSeq ??= lastSeq;
  }
  const endedAt = entry?.closedAt ?? statSync(path).mtime.toISOString();
  const counts = { intact, damaged: count - intact, firstSeq, lastSeq };
  return { file: basename(path), epoch, index, bytes, begunAt: entry?.begunAt, endedAt, ...counts };
}

/** Counts in each epoch the numbers, up to the last one assigned or known, without a written record. */
function notRecordedIn(
  dir: string,
  { parts, manifest, findings, epoch: newest }: JournalSurvey,
  files: readonly ExplainedFile[],
): Pick<JournalExplanation, 'notRecorded' | 'cutStarts'> {
  const isRecording = lockHolder(lockPath(dir)) !== undefined;
  const entries = [...manifest.values()];
  const foreign = new Set(findings.flatMap(({ kind, path }) => (kind === 'foreign' ? [path] : [])));
  // An epoch killed before its first record has left only an empty file.
  const own = listSegments(dir).filter(({ path }) => !foreign.has(path));
  const epochs = [...new Set([...entries, ...own].map((each) => each.epoch))].sort((a, b) => a - b);
  const cutStarts: number[] = [];
  let notRecorded = 0;
  for (const epoch of epochs) {
    const last = files.findLast((file) => file.epoch === epoch && file.lastSeq !== undefined)?.lastSeq ?? -1;
    const appended = entries.findLast((entry) => entry.epoch === epoch)?.appended;
    if (appended === undefined && !(isRecording && epoch === newest)) cutStarts.push(epoch);
    const written = parts.filter((part) => part.epoch === epoch).reduce((all, { count }) => all + count, 0);
    notRecorded += Math.max(0, (appended ?? last + 1) - written);
  }
  return { notRecorded, cutStarts };
}

/** Cuts off everything after the last record of every file and keeps it as `.torn`. Returns the number of bytes. */
export function cutTorn({ files }: JournalSurvey): number {
  let cut = 0;
  for (const { path, end, bytes } of files) {
    if (bytes <= end) continue;
    writeFileSync(freeName(`${path}.torn`), readFileSync(path).subarray(end));
    truncateSync(path, end);
    cut += bytes - end;
  }
  return cut;
}

/**
 * Repairs the journal in `dir`: damaged headers are rewritten, torn tails cut, foreign files set aside, and `files.jsonl` updated.
 * Returns one line per action. Throws `ReinError('storage')` while a robot records there.
 */
export function mendJournal(dir: string): string[] {
  const lock = lockJournal(dir, 'end the robot that records there, then repeat the command');
  try {
    const survey = surveyJournal(dir);
    const done: string[] = [];
    for (const { path, header, isHeaderIntact } of survey.files) {
      if (isHeaderIntact) continue;
      done.push(`${basename(path)}: header rewritten; the damaged one is ${basename(replaceHeader(path, header))}`);
    }
    for (const { kind, path } of survey.findings) {
      if (kind !== 'foreign') continue;
      const aside = freeName(`${path}.foreign`);
      renameSync(path, aside);
      done.push(`${basename(path)}: set aside as ${basename(aside)}`);
    }
    const cut = cutTorn(survey);
    if (cut > 0) done.push(`${cut} bytes behind the last record were cut and are kept as .torn`);
    if (writeManifest(dir, survey)) done.push(`${MANIFEST_FILE}: rebuilt from the files`);
    return done;
  } finally {
    lock.release();
  }
}

/** Replaces the header of the file at `path` by `header`. Returns the file that keeps the old one. */
function replaceHeader(path: string, header: SegmentHeader): string {
  const kept = freeName(`${path}.header`);
  const fd = openSync(path, 'r+');
  try {
    const old = new Uint8Array(SEGMENT_HEADER_BYTES);
    readSync(fd, old, 0, old.length, 0);
    writeFileSync(kept, old);
    writeSync(fd, encodeSegmentHeader(header), 0, SEGMENT_HEADER_BYTES, 0);
  } finally {
    closeSync(fd);
  }
  return kept;
}

/** Adds lines for files that the manifest lacks. False if there are none. */
function writeManifest(dir: string, { files, parts, manifest }: JournalSurvey): boolean {
  let text = '';
  for (const { path, header } of files) {
    const part = parts.find((each) => each.path === path);
    if (part === undefined || manifest.has(nameOf(header))) continue;
    text += begunLine(header, part.first) + closedLine(header, part.count);
  }
  if (text !== '') writeFileSync(join(dir, MANIFEST_FILE), text, { flag: 'a' });
  return text !== '';
}

/** `path`, with a number appended if it exists: nothing kept is overwritten. */
function freeName(path: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? path : `${path}.${n}`;
    if (!existsSync(name)) return name;
  }
}

/** Locks the journal in `dir` for this process. Throws `ReinError('storage')`, with `remedy`, if another process holds it. */
export function lockJournal(dir: string, remedy?: string): DirectoryLock {
  const path = lockPath(dir);
  return acquireLock(path, `the journal ${path}`, remedy);
}

function lockPath(dir: string): string {
  return join(dir, 'journal.lock');
}
