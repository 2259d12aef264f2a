import { expect, it } from 'vitest';
import { closedAfter } from './closing.ts';

it.each([
  ['its own error', true, 'work'],
  ['the first error of closing', false, 'close 2'],
])('work that opened things closes all of them and rejects with %s', async (_, fails, message) => {
  const closed: number[] = [];
  const work = closedAfter(async (closes) => {
    for (const i of [1, 2]) {
      closes.push(() => {
        closed.push(i);
        throw new Error(`close ${i}`);
      });
    }
    if (fails) throw new Error('work');
  });
  await expect(work).rejects.toThrow(message);
  expect(closed).toEqual([2, 1]);
});
