import { expect, it } from 'vitest';
import { guardedArm } from '../../tests/support/guarded-robots.ts';
import { ChainLoad } from './chain-load.ts';

it('drives an arm that slides too: its actions are in rad, read as m', () => {
  expect(guardedArm.joints.some(({ kind }) => kind === 'prismatic')).toBe(true);
  const load = new ChainLoad({ model: guardedArm, load: 'typical', ticks: 1, seed: 1 });
  load.prepare(0);
  load.apply(0);
  expect(load.chain.sentRad).toHaveLength(guardedArm.joints.length);
});
