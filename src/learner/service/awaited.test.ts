import { expect, it } from 'vitest';
import { AwaitedReplay } from './awaited.ts';

const position = { received: 10, online: 8, demonstrations: 4 };

it('is here once every row is, however many more there are', () => {
  const reported: string[] = [];
  const awaited = new AwaitedReplay(position, (message) => reported.push(message));
  expect(awaited.isHere({ online: 7, demonstrations: 4 }, 9, 0)).toBe(false);
  expect(awaited.isHere({ online: 8, demonstrations: 4 }, 10, 0)).toBe(true);
  expect(awaited.isHere({ online: 9, demonstrations: 4 }, 11, 0)).toBe(true);
  expect(reported).toEqual([]);
});

it('reports once, with both sides, that another journal came: by its length alone it would wait for ever', () => {
  const reported: string[] = [];
  const awaited = new AwaitedReplay(position, (message) => reported.push(message));
  expect(awaited.isHere({ online: 10, demonstrations: 0 }, 10, 0)).toBe(false);
  expect(awaited.isHere({ online: 11, demonstrations: 0 }, 11, 0)).toBe(false);
  expect(reported).toHaveLength(1);
  expect(reported[0]).toMatch(
    /sent 10 transitions, which give 10 online and 0 of demonstrations; .* from 8 online and 4 of demonstrations\./,
  );
});

it('does not wait for what robots report lost, and reports how much that was', () => {
  const reported: string[] = [];
  const awaited = new AwaitedReplay(position, (message) => reported.push(message));
  expect(awaited.isHere({ online: 6, demonstrations: 4 }, 8, 1)).toBe(false);
  expect(awaited.isHere({ online: 6, demonstrations: 3 }, 7, 3)).toBe(true);
  expect(reported).toEqual([
    'Transitions that the checkpoint was learned from and that are lost: 3. Learning goes on without them.',
  ]);
});
