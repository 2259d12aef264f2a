/** The fault table is whole, and every row that applies without hardware is shown to hold on both clocks. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFaultProofs, proofsIn } from '../../scripts/fault-proofs.js';
import { FAULT_ROWS } from '../../src/safety/faults.ts';
import { faultRow } from '../support/fault-row.ts';

const ROWS = 54;
const proofs = findFaultProofs(join(import.meta.dirname, '..', '..'));

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

  it('gives every row that applies a number, and every other one what is missing', () => {
    for (const row of FAULT_ROWS) {
      if (row.applies) expect(Object.keys(row.numbers).length, `row ${row.row}`).toBeGreaterThan(0);
      else expect(row.needs, `row ${row.row}`).toMatch(/driver|robot|sensor/);
    }
  });

  it.each(['fake', 'wall'] as const)('has a test on the %s clock for each row that applies', (clock) => {
    const shown = new Set(proofs.filter((proof) => proof.clock === clock).map(({ row }) => row));
    expect(FAULT_ROWS.filter(({ row, applies }) => applies && !shown.has(row)).map(({ row }) => row)).toEqual([]);
  });

  it('is cited by tests only where it has a row that can be shown', () => {
    const rows = new Set(FAULT_ROWS.filter(({ applies }) => applies).map(({ row }) => row));
    expect(proofs.filter(({ row }) => !rows.has(row))).toEqual([]);
  });

  it('finds every way in which a test may cite rows', () => {
    const text = `faultRow(7, 'fake', 'it\\'s one', () => {});
      faultRow(
        [10, 25],
        'wall',
        \`of \${what}\`,
        async () => {},
      ); faultRow(rows, 'fake', 'not seen');`;
    expect(proofsIn('a.test.ts', text)).toEqual([
      { row: 7, clock: 'fake', file: 'a.test.ts', title: "it's one" },
      { row: 10, clock: 'wall', file: 'a.test.ts', title: 'of …' },
      { row: 25, clock: 'wall', file: 'a.test.ts', title: 'of …' },
    ]);
  });

  it('does not let a test cite what there is not', () => {
    expect(() => faultRow(0, 'fake', 'no such row', () => {})).toThrow('no row 0');
    expect(() => faultRow(55, 'wall', 'no such row', () => {})).toThrow('no row 55');
    expect(() => faultRow(13, 'fake', 'no servo', () => {})).toThrow('needs servos');
  });
});
