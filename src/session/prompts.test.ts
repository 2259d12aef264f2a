import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { JUDGED_BY_PERSON } from '../tasks/task.ts';
import { demonstrationPrompt } from '../teleop/person-demonstrator.ts';
import { JUDGING, promptOf, RECORDING, RECORDING_JUDGED } from './recording-desk.ts';
import { RunLog } from './run-log.ts';
import { SILENT_OBSERVER } from './supervision.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-prompts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('names both in what is said of a judgement to everybody', () => {
  expect(JUDGED_BY_PERSON).toMatch(/m or Success .* n or Failure/);
});

const waiting = { kept: 1, wanted: 5 } as Parameters<typeof promptOf>[0];
const PROMPTS = [
  demonstrationPrompt(0, 2),
  RECORDING,
  RECORDING_JUDGED,
  JUDGING,
  promptOf(waiting, true),
  promptOf({ ...waiting, wanted: null }, false),
];

it.each(PROMPTS)('names keys at the terminal alone: %s', (atTerminal, atPage) => {
  const keys = /(?<!\w)([tcgnm]|Enter|Backspace|Ctrl\+C)(?!\w)/;
  expect(atTerminal).toMatch(keys);
  expect(atPage).not.toMatch(keys);
  expect(atPage).toMatch(/Take over|Start|Record|Stop recording|Success|Failure|Redo|Delete the last/);
});

it('is told to both, and is gone from both', async () => {
  const log = new RunLog(folder, 'r', arm6Setup(), SILENT_OBSERVER);
  log.ask('press c', 'press Start');
  expect(log.status.operator).toMatchObject({ prompt: 'press c', promptAtPage: 'press Start' });
  log.ask('wait');
  expect(log.status.operator).toMatchObject({ prompt: 'wait' });
  expect(log.status.operator).not.toHaveProperty('promptAtPage');
  log.ask('press c', 'press Start');
  log.ask(undefined);
  expect(Object.keys(log.status.operator).filter((key) => key.startsWith('prompt'))).toEqual([]);
  await log.close();
});
