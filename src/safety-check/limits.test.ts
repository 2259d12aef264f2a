import { describe, expect, it } from 'vitest';
import { loadCheckSubject } from '../robot-import/index.ts';
import { limitRowsOf, turnUnitOf, untriedOf } from './limits.ts';
import { totalsOf, verdictOf } from './summary.ts';

const { model: arm } = await loadCheckSubject('arm6');
const { model: car } = await loadCheckSubject('car');

describe('what a check does not try', () => {
  it.each([
    ['a whole arm', arm, true, ''],
    ['an arm without masses', arm, false, 'energy (no masses)'],
    [
      'an arm without a tank and shapes',
      { ...arm, tank: undefined, collision: undefined },
      true,
      'energy (no tank), collisions (no shapes)',
    ],
    [
      'shapes without pairs',
      { ...arm, collision: { ...arm.collision!, pairs: [], keepOut: [] } },
      true,
      'distance between links (no pairs)',
    ],
    [
      'a car without a fence',
      { ...car, base: { ...car.base!, fence: undefined } },
      true,
      'energy (no tank), fence (none given)',
    ],
  ])('of %s', (_, model, hasEnergy, words) => {
    expect(untriedOf(model, hasEnergy).join(', ')).toBe(words);
  });

  it('is not claimed by the verdict', () => {
    const totals = totalsOf(arm, [], false);
    const terms = { chain: 'on', without: [], untried: [], ended: 'complete', plannedTicks: 0 } as const;
    expect(verdictOf('arm', totals, terms).verdict).toBe(
      'The reference of arm kept every limit in 0 adversarial ticks.',
    );
    expect(verdictOf('arm', totals, { ...terms, untried: ['energy (no tank)'] }).verdict).toBe(
      'The reference of arm kept every limit that was tried in 0 adversarial ticks.',
    );
  });

  it('is told apart from what was not reached', () => {
    const totals = totalsOf(arm, [], false);
    const terms = { chain: 'on', without: [], untried: [], ended: 'timeLimit', plannedTicks: 5000 } as const;
    expect(verdictOf('arm', totals, terms).verdict).toBe(
      'The reference of arm kept every limit in 0 of 5 000 (time limit) adversarial ticks.',
    );
  });
});

describe('units', () => {
  it('are metres where joints slide', () => {
    const slider = { ...arm.joints[1]!, kind: 'prismatic' as const };
    const mixed = { ...arm, joints: [arm.joints[0]!, slider] };
    expect([turnUnitOf(arm), turnUnitOf(mixed), turnUnitOf({ joints: [slider] })]).toEqual(['rad', 'rad or m', 'm']);
    const units = totalsOf(mixed, [], false).violations.map(({ kind, unit }) => [kind, unit]);
    expect(units).toContainEqual(['velocity', '(rad or m)/s']);
    const margin = limitRowsOf(mixed).find(({ name }) => name === 'distance kept from joint limits');
    expect(margin?.unit).toBe('rad or m');
  });
});
