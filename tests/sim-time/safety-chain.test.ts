import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ADVERSARIES, type Attack, cartesianSpec, jointSpec, runAttack } from '../support/adversary.ts';
import { tried } from '../support/cases.ts';
import { fencedBases, guardedArm } from '../support/guarded-robots.ts';
import { carBase, diffBase, holonomicBase, oddArm3, ur5eLike } from '../support/robot-models.ts';

const ATTACK_TICKS = 500;
/** Attacks on each robot and action space: few where they run on every change. `npm run coverage` asks for 300 000 ticks, and tries a third. */
const ATTACKS = Math.ceil(Number(process.env['REIN_TICKS'] ?? 8_000) / ATTACK_TICKS);
const TICKS = tried(ATTACKS) * ATTACK_TICKS;

const spaces = [
  { name: 'UR5e-like, tool', model: ur5eLike, action: cartesianSpec(0.012, 0.08) },
  { name: 'UR5e-like, joints', model: ur5eLike, action: jointSpec(ur5eLike, 0.09) },
  { name: 'odd three joints, tool', model: oddArm3, action: cartesianSpec(0.011, 0.1) },
  { name: 'odd three joints, joints', model: oddArm3, action: jointSpec(oddArm3, 0.1) },
  { name: 'differential base', model: diffBase, action: jointSpec(diffBase, 0.1) },
  { name: 'holonomic base', model: holonomicBase, action: jointSpec(holonomicBase, 0.07) },
  { name: 'car', model: carBase, action: jointSpec(carBase, 0.09) },
  { name: 'arm on a rail among obstacles, tool', model: guardedArm, action: cartesianSpec(0.006, 0.05) },
  { name: 'arm on a rail among obstacles, joints', model: guardedArm, action: jointSpec(guardedArm, 0.09) },
  ...fencedBases.map((model) => ({ name: model.name, model, action: jointSpec(model, 0.09) })),
];

const shape = fc.record({
  adversary: fc.constantFrom(...ADVERSARIES),
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
  ticksPerStep: fc.constantFrom(1, 3, 10),
  jitter: fc.constantFrom('none' as const, 'wild' as const),
});

describe.each(spaces)('the chain against adversaries: $name', ({ model, action }) => {
  it(`breaks no limit in any of ${TICKS} ticks, and still moves`, () => {
    let ticks = 0;
    fc.assert(
      fc.property(shape, (drawn) => {
        const attack: Attack = { model, action, ticks: ATTACK_TICKS, ...drawn };
        const result = runAttack(attack);
        ticks += attack.ticks;
        expect(result).toMatchObject({ violations: 0, broken: 0 });
        expect(result.travelRad).toBeGreaterThan(0);
      }),
      { numRuns: ATTACKS },
    );
    expect(ticks).toBeGreaterThanOrEqual(TICKS);
  });
});

describe('the chain of a base that has driven far', () => {
  it('breaks no limit of speed or acceleration ten thousand kilometres away', () => {
    fc.assert(
      fc.property(shape, (drawn) => {
        const attack: Attack = { model: diffBase, action: jointSpec(diffBase, 0.1), ticks: ATTACK_TICKS, ...drawn };
        const result = runAttack({ ...attack, startRad: [1e7, -1e5] });
        expect(result).toMatchObject({ violations: 0, broken: 0 });
      }),
      { numRuns: ATTACKS },
    );
  });
});
