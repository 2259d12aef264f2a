import { expect, it } from 'vitest';
import { linesOf } from './event-lines.ts';

const event = { level: 'warn', name: 'asksForHelp', row: 0, message: 'Press c.', remedy: '' } as const;

it('rings at a terminal alone, and tells a page of its buttons', () => {
  expect(linesOf({ ...event, messageAtPage: 'Press Start.' })).toEqual(['\u0007Press c.', 'Press Start.']);
  expect(linesOf({ ...event, name: 'rewind' })).toEqual(['Press c.', 'Press c.']);
});

it('tells nobody of a fault that passes', () => {
  expect(linesOf({ ...event, name: 'commandLate', row: 2 })).toBe(undefined);
  expect(linesOf({ ...event, name: 'commandLate', row: 2, level: 'error' })).toEqual(['Press c.', 'Press c.']);
});
