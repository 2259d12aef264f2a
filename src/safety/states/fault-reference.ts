/** The fault table as a page for people. */
import { FAULTS } from '../faults.ts';
import { OTHER_FAULTS } from './other-faults.ts';

interface Row {
  readonly row: number;
  readonly name: string;
  readonly seenBy: string;
  readonly action: string;
  readonly clears: 'byItself' | 'acknowledged';
  readonly sentence: string;
  readonly remedy: string;
}

const HEAD = `# Faults

Written by \`npm run docs\` from the tables in \`src/safety/\`; change those, not this page.

What can go wrong, what the robot does, and what to do. Numbers never change: events, diagnostics, logs and tests cite
them; the gaps are faults that nothing detects yet.

**cat0**: torque off now. **cat1**: brake, then torque off. **cat2**: brake and hold, stopped until somebody acknowledges.
**hold**: brake and hold; it goes on when the cause is gone. **warn**: told, nothing else. **refuse**: nothing starts.

| no. | name | seen by | what is done | goes away | what happened | what to do |
|---|---|---|---|---|---|---|
`;

/** The text of `docs/faults.md`. */
export function faultReference(): string {
  const guards = FAULTS.map(({ flag, ...fault }): Row => ({ ...fault, name: flag, seenBy: 'guard' }));
  const rows = [...guards, ...OTHER_FAULTS].sort((a, b) => a.row - b.row || (a.name < b.name ? -1 : 1));
  return HEAD + rows.map(line).join('');
}

function line({ row, name, seenBy, action, clears, sentence, remedy }: Row): string {
  const goes = clears === 'byItself' ? 'with its cause' : 'when acknowledged';
  return `| ${row} | ${name} | ${seenBy} | ${action} | ${goes} | ${sentence} | ${remedy} |\n`;
}
