import { describe, expect, it } from 'vitest';
import { clockText, counted, grouped, markdownTable, percent, significant, withoutFullStop } from './text.ts';

describe('clockText', () => {
  it('writes times for people', () => {
    expect([0, 59.6, 61.2, 3725, -1, null, Number.NaN].map(clockText)).toEqual([
      '0:00',
      '1:00',
      '1:01',
      '1:02:05',
      '0:00',
      '-',
      '-',
    ]);
  });
});

it('lets a sentence be part of another', () => {
  expect(['It stands.', 'It stands', ''].map(withoutFullStop)).toEqual(['It stands', 'It stands', '']);
});

describe('numbers', () => {
  it('say one of a thing and many', () => {
    expect([0, 1, 4596].map((count) => counted(count, 'tick'))).toEqual(['0 ticks', '1 tick', '4596 ticks']);
  });

  it('have as many digits as they are worth', () => {
    expect([0.123456, 1234.5, 20, -0.00012345].map((value) => significant(value))).toEqual([
      '0.123',
      '1230',
      '20',
      '-0.000123',
    ]);
    expect(significant(2 / 3, 5)).toBe('0.66667');
  });

  it('stand in groups of three', () => {
    expect([0, 999, 1000, 1_234_567.6, -4321, Number.NaN].map((value) => grouped(value))).toEqual([
      '0',
      '999',
      '1 000',
      '1 234 568',
      '-4 321',
      '-',
    ]);
    expect(grouped(12_345, '_')).toBe('12_345');
  });

  it('are shares of a hundred', () => {
    expect([percent(0.1234), percent(1, 0), percent(Number.NaN)]).toEqual(['12.3 %', '100 %', '-']);
  });
});

describe('a Markdown table', () => {
  it('keeps what a cell says within the cell', () => {
    expect(
      markdownTable(
        ['a', 'b'],
        [
          ['x | y', 2],
          ['two\nlines', undefined],
        ],
      ),
    ).toBe('| a | b |\n|---|---|\n| x \\| y | 2 |\n| two lines |  |\n');
  });
});
