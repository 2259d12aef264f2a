/** The fault table is whole, and every row is shown to hold by its logic, and by what really runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultReference } from '../../scripts/fault-page.ts';
import { findFaultProofs, proofsIn } from '../../scripts/fault-proofs.js';
import { FAULT_ROWS, FAULTS, OTHER_FAULTS } from '../../src/safety/faults.ts';
import { faultRow } from '../support/fault-row.ts';

const ROWS = 54;
const root = join(import.meta.dirname, '..', '..');
const proofs = findFaultProofs(root);
const page = faultReference(proofs);

describe('the fault table', () => {
  it('has every row of the specification, once, in order', () => {
    expect(FAULT_ROWS.map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (_, i) => i + 1));
  });

  it('says in whole words what goes wrong, what is done, and where the number comes from', () => {
    for (const { row, fault, promise, source } of FAULT_ROWS) {
      expect(fault, `row ${row}`).toMatch(/^[A-Z].{10,}[^.]$/);
      expect(promise, `row ${row}`).toMatch(/^[A-Z0-9].{20,}\.$/);
      expect(source.length, `row ${row}`).toBeGreaterThan(3);
    }
  });

  it('gives every row a number', () => {
    for (const { row, numbers } of FAULT_ROWS) expect(Object.keys(numbers).length, `row ${row}`).toBeGreaterThan(0);
  });

  it.each([
    ['of its logic', ['fake']],
    ['of what really runs', ['process', 'real-time']],
  ])('has a test %s for each row, which npm test runs', (_, clocks) => {
    const daily = proofs.filter(({ file }) => !file.startsWith(join('tests', 'long')));
    const shown = new Set(daily.filter(({ clock }) => clocks.includes(clock)).map(({ row }) => row));
    expect(FAULT_ROWS.filter(({ row }) => !shown.has(row)).map(({ row }) => row)).toEqual([]);
  });

  it('has real time only where tests have the machine for themselves, and nothing else there', () => {
    const alone = join('tests', 'real-time');
    const isMisplaced = ({ clock, file }: (typeof proofs)[number]): boolean =>
      !file.startsWith(join('tests', 'long')) && (clock === 'real-time') !== file.startsWith(alone);
    expect(proofs.filter(isMisplaced)).toEqual([]);
  });

  it('is cited by tests only where it has a row', () => {
    const rows = new Set(FAULT_ROWS.map(({ row }) => row));
    expect(proofs.filter(({ row }) => !rows.has(row))).toEqual([]);
  });

  it('finds every way in which a test may cite rows', () => {
    const text = `faultRow(7, 'fake', 'it\\'s one', () => {});
      faultRow(
        [10, 25],
        'real-time',
        \`of \${what}\`,
        async () => {},
      ); faultRow(rows, 'fake', 'not seen');`;
    expect(proofsIn('a.test.ts', text)).toEqual([
      { row: 7, clock: 'fake', file: 'a.test.ts', title: "it's one" },
      { row: 10, clock: 'real-time', file: 'a.test.ts', title: 'of …' },
      { row: 25, clock: 'real-time', file: 'a.test.ts', title: 'of …' },
    ]);
  });

  it('does not let a test cite what there is not', () => {
    expect(() => faultRow(0, 'fake', 'no such row', () => {})).toThrow('no row 0');
    expect(() => faultRow(55, 'process', 'no such row', () => {})).toThrow('no row 55');
  });
});

describe('the page of faults', () => {
  it('docs/faults.md is current (else: npm run docs)', () => {
    expect(readFileSync(join(root, 'docs', 'faults.md'), 'utf8')).toBe(page);
  });

  it('has a line for every row and every fault, and whole sentences in each', () => {
    const [promised = '', reported = ''] = page.split(/^## What is promised|^## What is reported/m).slice(1);
    const lines = (text: string): string[] => text.split('\n').filter((line) => /^\| \d/.test(line));
    expect(lines(promised)).toHaveLength(FAULT_ROWS.length);
    expect(lines(reported.split('\n## ')[0]!)).toHaveLength(FAULTS.length + OTHER_FAULTS.length);
    for (const { message, remedy } of [...FAULTS, ...OTHER_FAULTS]) {
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(remedy).toMatch(/^[A-Z].*(\.|\.$)/);
    }
  });

  it('names tests beside their rows, and a row without any', () => {
    const text = faultReference([{ row: 2, clock: 'process', file: 'tests/x.test.ts', title: 'a | b' }]);
    expect(text).toMatch(/^\| 2 \|.*\| – \| \[a \\\| b\]\(\.\.\/tests\/x\.test\.ts\) \| – \|$/m);
  });

  it('names no fault twice in one row', () => {
    const keys = [...FAULTS.map(({ row, flag }) => `${row} ${flag}`), ...OTHER_FAULTS.map((f) => `${f.row} ${f.name}`)];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
