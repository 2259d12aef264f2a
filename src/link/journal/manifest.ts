/**
 * Manifest `files.jsonl` of the journal's files: one line when a file is started and one when it is closed. With it a file that is
 * missing, short, or has a damaged header is known and counted. Append only; a damaged line is skipped, and without the
 * manifest the files are read on their own.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '../../rows/index.ts';
import type { SegmentHeader } from './segment.ts';

export const MANIFEST_FILE = 'files.jsonl';

/** What is known about one file without reading it. */
export interface ManifestEntry extends SegmentHeader {
  /** Records of the journal before this file, over all epochs. */
  readonly first: number;
  /** Start time, ISO 8601. */
  readonly begunAt: string;
  /** Number of its records when it was closed; `undefined` if its process died before. */
  records?: number;
  /** For the last file of an epoch: number of steps passed to the journal in that epoch, recorded or not. */
  appended?: number;
  /** Time of closing, ISO 8601. */
  closedAt?: string;
}

/** Line for a file that is started. */
export function begunLine(header: SegmentHeader, first: number): string {
  return line({ ...header, first, begunAt: new Date().toISOString() });
}

/** Line for a file that is closed with `records`; `appended` in the last file of an epoch. */
export function closedLine({ epoch, index }: SegmentHeader, records: number, appended?: number): string {
  return line({ epoch, index, records, appended, closedAt: new Date().toISOString() });
}

/** Reads the manifest in `dir`, by `nameOf`. Empty if there is none. */
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

/** Key of a file within a journal. */
export function nameOf({ epoch, index }: { readonly epoch: number; readonly index: number }): string {
  return `${epoch}.${index}`;
}

/** Starts with a line break, so that a line cut off by a kill stays on its own. */
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
