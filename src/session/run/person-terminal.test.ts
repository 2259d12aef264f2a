import { expect, it } from 'vitest';
import { isInForeground } from './person-terminal.ts';

const stat = (group: number, terminalGroup: number): string =>
  `4711 (node) 1) S 4000 ${group} 4000 34816 ${terminalGroup} 4194304 2500 0 0`;

it('is in the foreground where the terminal is its own, where there is none, and where nothing says whose it is', () => {
  expect(isInForeground(stat(4711, 4711))).toBe(true);
  expect(isInForeground(stat(4711, 4000))).toBe(false);
  expect(isInForeground(stat(4711, -1))).toBe(true);
  expect(isInForeground()).toBeTypeOf('boolean');
});
