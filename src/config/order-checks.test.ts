import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CONFIG_ROOT, configNames } from './names.ts';
import { resolveConfig } from './resolve.ts';
import { loadRobotFile } from './robot-file.ts';

const root = mkdtempSync(join(tmpdir(), 'rein-order-'));
cpSync(CONFIG_ROOT, root, { recursive: true });
afterAll(() => rmSync(root, { recursive: true }));

const fileOf = (kind: 'robot' | 'task', name: string): string => join(root, `${kind}s`, `${name}.yaml`);

/** Refusals of the file with `text` in place of its own, by line. */
function refusal(kind: 'robot' | 'task', name: string, text: string): string {
  const own = readFileSync(fileOf(kind, name), 'utf8');
  writeFileSync(fileOf(kind, name), text);
  try {
    if (kind === 'robot') loadRobotFile(name, root, root);
    else resolveConfig({ task: name, seed: 1, root, isSimulated: true });
    return 'accepted';
  } catch (error) {
    return (error as Error).message.replace(/^.*\.yaml:(\d+):\d+/gm, '$1');
  } finally {
    writeFileSync(fileOf(kind, name), own);
  }
}

/** `text` with its numbers `from` and `to` at those places swapped. */
function exchanged(
  text: string,
  from: RegExpIndicesArray,
  [a, b]: readonly [number, number],
  by: [string, string],
): string {
  const [first, second] = [from[a]!, from[b]!];
  return text.slice(0, first[0]) + by[0] + text.slice(first[1], second[0]) + by[1] + text.slice(second[1]);
}

/** Names and numbers of each adjacent pair of minimum and maximum. */
const PAIRS =
  /(\b(?:min|\w+Min)(?:[A-Z]\w*)?): *(\[[^\]]+\]|-?[\d.]+)(?:,? |\n *)((?:max|\w+Max)\w*): *(\[[^\]]+\]|-?[\d.]+)/dg;

describe.each(['robot', 'task'] as const)('least and most in the file of a %s', (kind) => {
  it.each(configNames(kind))('%s is refused at the line of each that is out of order, with what to do', (name) => {
    const text = readFileSync(fileOf(kind, name), 'utf8');
    expect([...text.matchAll(/\b(?:min|\w+Min)(?:[A-Z]\w*)?: *[[\d-]/g)].length).toBe([...text.matchAll(PAIRS)].length);
    for (const { indices, 1: low, 2: least, 3: high, 4: most } of text.matchAll(PAIRS)) {
      const lineOf = (group: number): number => text.slice(0, indices![group]![0]).split('\n').length;
      const swapped = exchanged(text, indices!, [1, 3], [high!, low!]);
      const told = refusal(kind, name, swapped);
      expect(told).toMatch(
        new RegExp(`^${lineOf(3)}: \\S*${low}\\S*, \\S+, is above \\S*${high}\\S*, \\S+: swap the two numbers`),
      );
      // Follows the remedy.
      expect(refusal(kind, name, exchanged(swapped, indices!, [2, 4], [most!, least!]))).toBe('accepted');
      const equal = refusal(kind, name, exchanged(text, indices!, [2, 4], [most!, most!]));
      expect(equal).toMatch(
        new RegExp(
          `^${lineOf(1)}: \\S*${low}\\S* and \\S*${high}\\S* are both \\S+: lower the first or raise the second`,
        ),
      );
    }
  });
});

it('is told at the one that is written, where the other has a default', () => {
  const text = readFileSync(fileOf('robot', 'so101'), 'utf8');
  const line = text.split('\n').findIndex((each) => each.includes('voltageMaxV')) + 1;
  const written = (pair: string) => refusal('robot', 'so101', text.replace('voltageMaxV: 8.5', pair));
  expect(written('voltageMaxV: 3')).toBe(
    `${line}: driver.voltageMinV, 4.5, is above driver.voltageMaxV, 3: raise the second; the first is a default`,
  );
  expect(written('voltageMinV: 20')).toMatch(
    new RegExp(`^${line}: driver.voltageMinV, 20, is above driver.voltageMaxV, \\S+: lower the first; the second is a`),
  );
  expect(written('voltageMaxV: 4.5')).toMatch(/ are both 4.5: raise the second; the first is a default$/);
});
