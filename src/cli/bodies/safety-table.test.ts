import { describe, expect, it } from 'vitest';
import type { SafetyCheckResult } from '../../runtime/safety-check/index.ts';
import { checkTable } from './safety-table.ts';

const energy = {
  ...{
    hasTank: true,
    surplusMaxJ: 1e-9,
    toleranceJ: 1e-6,
    tankMinJ: 0.25,
    tankFloorJ: 0.2,
    injectedJ: 1,
    creditedJ: 1,
  },
  ...{ peakKineticJ: 1, trace: null },
  comparison: [
    {
      ...{ attack: 'wall' as const, trials: 8, ticks: 4000, peakKineticWithJ: 0.0123456, peakKineticWithoutJ: 1.23456 },
      ...{ peakForceWithN: 98.765, peakForceWithoutN: 1234.5 },
    },
  ],
};
const result = { violations: [], energy, stops: [], untried: [] } as unknown as SafetyCheckResult;

describe('the table of a check', () => {
  it('has three digits of what was measured, and says what is below rounding in words', () => {
    expect(checkTable(result).split('\n').slice(2)).toEqual([
      'energy: no surplus beyond rounding, tank never below 0.25 J',
      'wall: kinetic energy up to 0.0123 J with the tank, 1.23 J without; force 98.8 N with, 1230 N without',
      '',
      '',
    ]);
    const more = checkTable({ ...result, energy: { ...energy, surplusMaxJ: 0.01234 } });
    expect(more).toContain('energy: surplus of 0.0123 J');
  });

  it('says in one line what was not tried, and leaves no empty lines for stops that were not', () => {
    const bare = { ...result, energy: { ...energy, hasTank: false, comparison: null } };
    expect(checkTable(bare)).not.toContain('\n\n\n');
    const less = checkTable({ ...bare, untried: ['energy (no tank)', 'collisions (no shapes)'] });
    expect(less.split('\n').slice(1)).toEqual(['', 'not tried: energy (no tank), collisions (no shapes)', '', '']);
  });
});
