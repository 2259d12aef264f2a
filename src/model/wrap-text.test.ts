import { expect, it } from 'vitest';
import { wrapText } from './text.ts';

it.each([
  ['leaves what fits', 'a short line\n  another', 'a short line\n  another'],
  [
    'breaks between words, below the indentation',
    '  one two three four five six seven eight',
    '  one two three four five\n  six seven eight',
  ],
  [
    'keeps the column of a description',
    '  $ rein x  one two three four five six seven',
    '  $ rein x  one two three four five\n            six seven',
  ],
  ['leaves a long word whole', `  ${'w'.repeat(50)} end`, `  ${'w'.repeat(50)}\n  end`],
])('%s', (_, text, wrapped) => {
  expect(wrapText(text, text.includes('$') ? 36 : 28)).toBe(wrapped);
});

it('never makes a line that is wider than asked for where words are short', () => {
  const words = Array.from({ length: 200 }, (_, i) => 'word'.slice(0, 1 + (i % 4))).join(' ');
  for (let width = 24; width < 120; width++) {
    for (const line of wrapText(`  --option <x>  ${words}`, width).split('\n')) {
      expect(line.length).toBeLessThanOrEqual(width);
    }
  }
});
