import { describe, expect, it } from 'vitest';
import { isInForeground, ownsTerminal } from './foreground.ts';

const stat = (group: number, terminalGroup: number): string =>
  `4711 (node) 1) S 4000 ${group} 4000 34816 ${terminalGroup} 4194304 2500 0 0`;
const terminal = { isTTY: true };

describe('the terminal', () => {
  it('is for the job in the foreground only', () => {
    expect(isInForeground(stat(4711, 4711))).toBe(true);
    expect(isInForeground(stat(4711, 4000))).toBe(false);
  });

  it('is taken as ours where nothing says whose it is', () => {
    expect(isInForeground(undefined)).toBe(true);
  });

  it('has keys only where its screen can be seen', () => {
    expect(ownsTerminal(terminal, terminal, stat(1, 1))).toBe(true);
    expect(ownsTerminal(terminal, {}, stat(1, 1))).toBe(false);
    expect(ownsTerminal({}, terminal, stat(1, 1))).toBe(false);
    expect(ownsTerminal(terminal, terminal, stat(1, 2))).toBe(false);
  });
});
