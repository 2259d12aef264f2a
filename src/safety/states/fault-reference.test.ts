import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../faults.ts';
import { faultReference } from './fault-reference.ts';
import { OTHER_FAULTS } from './other-faults.ts';

describe('the page of faults', () => {
  it('docs/faults.md is current (else: npm run docs)', () => {
    const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'faults.md');
    expect(readFileSync(page, 'utf8')).toBe(faultReference());
  });

  it('has a line for every fault, and whole sentences in each', () => {
    const lines = faultReference()
      .split('\n')
      .filter((line) => /^\| \d/.test(line));
    expect(lines).toHaveLength(FAULTS.length + OTHER_FAULTS.length);
    for (const { sentence, remedy } of [...FAULTS, ...OTHER_FAULTS]) {
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(remedy).toMatch(/^[A-Z].*(\.|\.$)/);
    }
  });

  it('names no fault twice in one row', () => {
    const keys = [...FAULTS.map(({ row, flag }) => `${row} ${flag}`), ...OTHER_FAULTS.map((f) => `${f.row} ${f.name}`)];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
