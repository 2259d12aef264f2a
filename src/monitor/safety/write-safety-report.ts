/** Puts the report of a safety check on the disk. */
import { replaceFile } from '../../core/index.ts';
import type { SafetyCheckResult } from '../../safety-check/index.ts';
import { renderSafetyReport } from './safety-page.ts';

/** Writes the page to `path`, whole or not at all. Rejects when the disk refuses. */
export async function writeSafetyReport(path: string, result: SafetyCheckResult): Promise<void> {
  await replaceFile(path, renderSafetyReport(result));
}
