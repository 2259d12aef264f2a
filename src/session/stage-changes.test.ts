import { expect, it } from 'vitest';
import { SAFETY_BITS } from '../safety/index.ts';
import { StageChanges } from './stage-changes.ts';

const bitOf = (name: string) => SAFETY_BITS.find((each) => each.name === name)!;
const [refused, leashed] = [bitOf('startRefused'), bitOf('targetLeashed')];

it('names the stage that changed most, with what it says of itself, as the reason where it changed half of the steps', () => {
  const changes = new StageChanges();
  expect([changes.sentence, changes.isMost]).toEqual(['', false]);
  changes.add([{ filterBits: refused.bit }, { filterBits: refused.bit | leashed.bit }, { filterBits: 0 }]);
  expect(changes.sentence).toBe(` The safety stage ${refused.name} changed 2 of 3 steps: ${refused.message}`);
  expect(changes.isMost).toBe(true);
  changes.add(Array.from({ length: 2 }, () => ({ filterBits: 0 })));
  expect(changes.isMost).toBe(false);
});
