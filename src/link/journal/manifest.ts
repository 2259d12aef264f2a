/**
 * `files.jsonl` beside the journal's files: one line when a file is begun and one when it is closed. A file that is missing,
 * short, or whose header is damaged is known and counted by it. Append only; a damaged line is passed over, and without the
 * page the files are read for what they are.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '../../core/index.ts';
import type { SegmentHeader } from './segment.ts';

export const MANIFEST_FILE = 'files.jsonl';

/** What is known of one file without reading it. */
export interface ManifestEntry extends SegmentHeader {
  /** Records of the journal before this file, over all epochs. */
  readonly first: number;
  /** When it was begun, ISO 8601. */
  readonly begunAt: string;
  /** Records in it when it was closed; `undefined` where a process died over it. */
  records?: number;
  /** Of the last one of a start: steps that the start was given to record, whether it could or not. */
  appended?: number;
  /** When it was closed, ISO 8601. */
  closedAt?: string;
}

/** The line for a file that is begun. */
export function begunLine(header: SegmentHeader, first: number): string {
  return line({ ...header, first, begunAt: new Date().toISOString() });
}

/** The line for a file that holds `records` and is closed; `appended` with the start that it is of. */
export function closedLine({ epoch, index }: SegmentHeader, records: number, appended?: number): string {
  return line({ epoch, index, records, appended, closedAt: new Date().toISOString() });
}

/** What the page in `dir` says, by `nameOf`. Empty where there is none. */
export function readManifest(dir: string): Map<string, ManifestEntry> {
  const entries = new Map<string, ManifestEntry>();
  const path = join(dir, MANIFEST_FILE);
  if (!existsSync(path)) return entries;
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    const value = parse(text);
    if (value === undefined) continue;
    const key = nameOf(value as { epoch: number; index: number });
    if ('records' in value) Object.assign(entries.get(key) ?? {}, value);
    else entries.set(key, value as unknown as ManifestEntry);
  }
  return entries;
}

/** Names a file among all of a journal. */
export function nameOf({ epoch, index }: { readonly epoch: number; readonly index: number }): string {
  return `${epoch}.${index}`;
}

/** Begins with the line's end: what a kill cut off stays on a line of its own. */
function line(value: object): string {
  const text = JSON.stringify(value);
  return `\n${checksumOf(text)} ${text}`;
}

function parse(text: string): Record<string, unknown> | undefined {
  const json = text.slice(9);
  if (json === '' || text.slice(0, 8) !== checksumOf(json)) return undefined;
  return JSON.parse(json) as Record<string, unknown>;
}

function checksumOf(text: string): string {
  return crc32c(Buffer.from(text, 'utf8')).toString(16).padStart(8, '0');
}
