import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFaultProofs } from '../../../scripts/fault-proofs.js';
import { FAULT_ROWS, FAULTS, OTHER_FAULTS } from '../faults.ts';
import { faultReference } from './fault-reference.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const page = faultReference(findFaultProofs(root));

describe('the page of faults', () => {
  it('docs/faults.md is current (else: npm run docs)', () => {
    expect(readFileSync(join(root, 'docs', 'faults.md'), 'utf8')).toBe(page);
  });

  it('has a line for every row and every fault, and whole sentences in each', () => {
    const [promised = '', hardware = '', told = ''] = page
      .split(/^## What is promised|^## What needs|^## What is told/m)
      .slice(1);
    const lines = (text: string): string[] => text.split('\n').filter((line) => /^\| \d/.test(line));
    expect(lines(promised)).toHaveLength(FAULT_ROWS.length);
    expect(lines(hardware)).toHaveLength(FAULT_ROWS.filter((row) => !row.applies).length);
    expect(lines(told)).toHaveLength(FAULTS.length + OTHER_FAULTS.length);
    for (const { sentence, remedy } of [...FAULTS, ...OTHER_FAULTS]) {
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(remedy).toMatch(/^[A-Z].*(\.|\.$)/);
    }
  });

  it('names tests beside their rows, and a row without any', () => {
    const text = faultReference([{ row: 2, clock: 'wall', file: 'tests/x.test.ts', title: 'a | b' }]);
    expect(text).toMatch(/^\| 2 \|.*\| – \| \[a \\\| b\]\(\.\.\/tests\/x\.test\.ts\) \|$/m);
  });

  it('names no fault twice in one row', () => {
    const keys = [...FAULTS.map(({ row, flag }) => `${row} ${flag}`), ...OTHER_FAULTS.map((f) => `${f.row} ${f.name}`)];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
