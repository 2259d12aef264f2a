/** Autonomous behaviour of serial devices after each write, as a readable page: `docs/serial-writes.md`. */

import {
  dynamixelFamily,
  feetechFamily,
  VESC_WRITES,
  WRITE_STATES,
  type WriteRule,
  type WriteState,
} from '../src/drivers/serial.ts';
import { markdownTable } from '../src/model/portable.ts';

const HEAD = `# What servos do when they are written to

Written by \`npm run docs\` from the tables in \`src/drivers/*/writes.ts\`; change those, not this page.

A register is not just memory: some writes turn torque on, move a joint, or change what later goals mean. For each one this page says what the
device does by itself, and in which states a driver may write it. The tests of all drivers run on a line that refuses every write that is not here
(\`tests/support/write-recorder.ts\`). All from the makers' documents and sources that are named: tried on emulators only.

`;

/** Returns the text of the page. */
export function serialWritesReference(): string {
  const states = markdownTable(
    ['state', 'of one device'],
    Object.entries(WRITE_STATES).map(([name, text]) => [name, text]),
  );
  return [
    HEAD,
    states,
    chapter('Feetech STS and SCS', feetechFamily.writes),
    chapter("Dynamixel's X series", dynamixelFamily.writes),
    chapter('VESC', VESC_WRITES),
  ].join('');
}

function chapter(title: string, rules: readonly WriteRule[]): string {
  const rows = rules.map(({ what, value, does, allowed, source }) => [
    value === undefined ? `\`${what}\`` : `\`${what}\` = ${value}`,
    does,
    allowedText(allowed),
    source,
  ]);
  return `\n## ${title}\n\n${markdownTable(['written', 'what it does by itself', 'written while it is', 'source'], rows)}`;
}

function allowedText(allowed: readonly WriteState[]): string {
  if (allowed.length === 0) return 'never';
  return allowed.length === Object.keys(WRITE_STATES).length ? 'any' : allowed.join(', ');
}
