/** Tests that show what a row of the fault table promises. `docs/faults.md` and `tests/arch/faults.test.ts` find them by their calls. */
import { it } from 'vitest';
import type { FaultRow } from '../../src/safety/fault-table/fault-row.ts';
import { FAULT_ROWS } from '../../src/safety/faults.ts';

/** A promised number of the row, by its name in the table. */
export type Promised = (name: string) => number;

/**
 * A test of `rows`: write the numbers, the clock and the title out, as they are read from the text. `fake`: time is moved by the
 * test, or plays no part. `process`: what really runs, processes, threads or sockets, of which nothing is judged by how long it takes
 * the machine. `real-time`: the same where time itself is the promise. `test` gets the numbers that the rows promise.
 */
export function faultRow(
  rows: number | readonly number[],
  clock: 'fake' | 'process' | 'real-time',
  title: string,
  test: (promised: Promised) => void | Promise<void>,
  timeoutMs?: number,
): void {
  const cited = (typeof rows === 'number' ? [rows] : rows).map(rowOf);
  const name = `row ${cited.map(({ row }) => row).join(', ')} (${clock} clock): ${title}`;
  it(name, () => test((wanted) => promisedBy(cited, wanted)), timeoutMs);
}

function rowOf(row: number): FaultRow {
  const found = FAULT_ROWS.find((each) => each.row === row);
  if (found === undefined) throw new RangeError(`the fault table has no row ${row}`);
  return found;
}

function promisedBy(rows: readonly FaultRow[], name: string): number {
  for (const { numbers } of rows) if (numbers[name] !== undefined) return numbers[name];
  throw new RangeError(`no number ${name} in row ${rows.map(({ row }) => row).join(', ')}`);
}
