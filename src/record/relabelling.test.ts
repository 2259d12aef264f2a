import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { appendRelabels, readRelabelling } from './relabelling.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-relabel-'));
  path = join(folder, 'relabel.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const drop = (episode: number) => ({ kind: 'drop', epoch: 1, episode }) as const;

it('passes over a line that a crash or a full disk has cut, and writes the next one in its place', () => {
  appendRelabels(folder, [drop(1), drop(2)]);
  const whole = readFileSync(path, 'utf8');
  const line = `${JSON.stringify(drop(3))}\n`;
  for (let cut = 1; cut < line.length - 1; cut++) {
    writeFileSync(path, whole + line.slice(0, cut));
    expect(readRelabelling(folder).all).toHaveLength(2);
    appendRelabels(folder, [drop(4)]);
    expect(readRelabelling(folder).all.map(({ id, ...said }) => [id, said])).toEqual([
      [1, drop(1)],
      [2, drop(2)],
      [3, drop(4)],
    ]);
  }
});

it('keeps a line that lacks its end alone', () => {
  appendFileSync(path, JSON.stringify(drop(1)));
  appendRelabels(folder, [drop(2)]);
  expect(readRelabelling(folder).all.map(({ id }) => id)).toEqual([1, 2]);
});

it('refuses a line of others by its number', () => {
  appendFileSync(path, `${JSON.stringify(drop(1))}\nnonsense\n`);
  expect(() => readRelabelling(folder)).toThrow(`Line 2 of ${path} is no relabelling.`);
});
