import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readState, writeState } from './state-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-state-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a state that cannot be read is passed over with a sentence, and the one before it taken', () => {
  writeState(folder, 1, { weights: Float32Array.of(0.5) });
  writeState(folder, 2, {});
  const newest = join(folder, readdirSync(folder).sort()[1]!);
  rmSync(newest);
  mkdirSync(newest);
  const said: string[] = [];
  expect(readState(folder, (sentence) => said.push(sentence))).toEqual({ weights: Float32Array.of(0.5) });
  expect(said).toEqual([`The checkpoint ${newest} is not used: it cannot be read (EISDIR). Trying the one before it.`]);
});
