/** The fault table as a readable page: `docs/faults.md`. */
import { markdownTable } from '../src/model/portable.ts';
import type { FaultRow } from '../src/safety/fault-table/fault-row.ts';
import { FAULT_ROWS, FAULTS, OTHER_FAULTS } from '../src/safety/faults.ts';
import { rosFaults } from './ros/faults.ts';

/** Test that proves a row. */
export interface FaultProof {
  readonly row: number;
  readonly clock: 'fake' | 'process' | 'real-time';
  /** Path from the root of the repository. */
  readonly file: string;
  readonly title: string;
}

const HEAD = `# Faults

Written by \`npm run docs\` from the table in \`src/safety/faults.ts\`, from the tests that name its rows, and from \`scripts/ros/faults.ts\`; change
those, not this page. [What is promised](#what-is-promised) · [what is reported](#what-is-reported), with what to do ·
[over ROS 2](#over-ros-2).

Numbers never change: events, diagnostics, logs and tests cite them. Every row has at least one test of its logic on a clock that the test moves, and one
against what really runs, processes, threads or sockets; a row without either fails \`npm test\`.

## What is promised

`;

const REPORTED = `
## What is reported

What happened, what the robot does, and what to do.

**cat0**: torque off now. **cat1**: brake, then torque off. **cat2**: brake and hold, stopped until acknowledged.
**hold**: brake and hold; it goes on when the cause is gone. **slow**: goes on, slower. **warn**: reported, nothing else. **refuse**: nothing starts.

Only a person acknowledges, enables and activates; the guard recognises a person by the channel (\`docs/safety-case.md\`, who may let it go on). The
one exception: a simulated robot acknowledges by itself, through its driver, and only where no flag is cat1 or cat0.

`;

/** Text of `docs/faults.md`, with the tests `proofs` beside the rows that they prove. */
export function faultReference(proofs: readonly FaultProof[]): string {
  return [
    HEAD,
    markdownTable(
      ['no.', 'fault', 'what is done', 'number from', 'by its logic', 'in processes', 'in real time'],
      FAULT_ROWS.map((row) => promised(row, proofs)),
    ),
    REPORTED,
    reported(),
    rosFaults(),
  ].join('');
}

function promised(row: FaultRow, proofs: readonly FaultProof[]): (string | number)[] {
  const cells = [row.row, row.fault, row.promise, row.source];
  const shown = (clock: FaultProof['clock']): string =>
    proofs
      .filter((proof) => proof.row === row.row && proof.clock === clock)
      .map(({ file, title }) => `[${title}](../${file})`)
      .join('; ') || '–';
  return [...cells, shown('fake'), shown('process'), shown('real-time')];
}

function reported(): string {
  const guards = FAULTS.map(({ flag, ...fault }) => ({ ...fault, name: flag, seenBy: 'guard' }));
  const others = OTHER_FAULTS.map((fault) => ({ ...fault, mayMove: '–' }));
  const rows = [...guards, ...others].sort((a, b) => a.row - b.row || (a.name < b.name ? -1 : 1));
  return markdownTable(
    ['no.', 'name', 'seen by', 'what is done', 'may still move it', 'goes away', 'what happened', 'what to do'],
    rows.map(({ row, name, seenBy, action, mayMove, clears, message, remedy }) => {
      const goes = clears === 'byItself' ? 'with its cause' : 'when acknowledged';
      return [row, name, seenBy, action, mayMove, goes, message, remedy];
    }),
  );
}
