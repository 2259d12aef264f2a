import { describe, expect, it } from 'vitest';
import type { SafetyCheckResult } from '../../safety-check/index.ts';
import { checkTable } from './safety-table.ts';

const energy = {
  hasTank: true,
  surplusMaxJ: 1e-9,
  toleranceJ: 1e-6,
  tankMinJ: 0.25,
  tankFloorJ: 0.2,
  injectedJ: 1,
  creditedJ: 1,
  peakKineticJ: 1,
  trace: null,
  comparison: [
    {
      attack: 'wall' as const,
      trials: 8,
      ticks: 4000,
      peakKineticWithJ: 0.0123456,
      peakKineticWithoutJ: 1.23456,
      peakForceWithN: 98.765,
      peakForceWithoutN: 1234.5,
      hasTouched: true,
    },
  ],
};
const arm = { applies: false, payloadMaxKg: null, excursions: [], margins: [] };
const none = { jointRad: 0, workspaceM: null, fenceM: null, selfM: null, keepOutM: null, shapesM: null, plantM: null };
const result = {
  margins: none,
  violations: [],
  energy,
  stops: [],
  untried: [],
  stages: [],
  arm,
} as unknown as SafetyCheckResult;

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

  it('says so where the wall was never touched, instead of forces of 0', () => {
    const untouched = energy.comparison.map((each) => ({ ...each, hasTouched: false }));
    const table = checkTable({ ...result, energy: { ...energy, comparison: untouched } });
    expect(table).toContain('never touched the wall');
    expect(table).not.toContain('force ');
  });

  it('says how far the simulated arm strayed, under which load, and which margin covers it', () => {
    const excursions = [
      { kind: 'armWorkspace' as const, count: 7, ticks: 900, worst: 0.0142, unit: 'm', first: null, worstAt: null },
      { kind: 'armSpeed' as const, count: 0, ticks: 900, worst: 0, unit: '1', first: null, worstAt: null },
    ];
    const margins = [{ key: 'workspace' as const, message: 'The tool left its box.', set: 0.015, unit: 'm' }];
    const table = checkTable({ ...result, arm: { applies: true, payloadMaxKg: 3, excursions, margins } });
    expect(table).toContain(
      'simulated arm (with up to 3 kg): tool measured outside its box: 7 ticks, by up to 14.2 mm;',
    );
    expect(table).toContain('joint measured too fast: never\n  margin: The tool left its box.');
  });

  it('says how near the arm came where its reference came how near', () => {
    const touching = {
      kind: 'armContact' as const,
      count: 3,
      ticks: 900,
      worst: 0.0021,
      unit: 'm',
      first: null,
      worstAt: null,
    };
    const table = checkTable({
      ...result,
      arm: { applies: true, payloadMaxKg: 3, excursions: [touching], margins: [] },
      margins: { ...none, shapesM: 0.0101, plantM: -0.0021 },
    });
    expect(table).toContain(
      'links measured touching (MuJoCo): 3 ticks, by up to 2.1 mm; nearest by MuJoCo: arm -2.1 mm, its reference 10.1 mm',
    );
  });

  it('says in one line what was not tried, and leaves no empty lines for stops that were not', () => {
    const bare = { ...result, energy: { ...energy, hasTank: false, comparison: null } };
    expect(checkTable(bare)).not.toContain('\n\n\n');
    const less = checkTable({ ...bare, untried: ['energy (no tank)', 'collisions (no shapes)'] });
    expect(less.split('\n').slice(1)).toEqual(['', 'not tried: energy (no tank), collisions (no shapes)', '', '']);
  });
});
