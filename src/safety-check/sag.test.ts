import { afterAll, describe, expect, it } from 'vitest';
import { IS_LONG } from '../../tests/support/long.ts';
import type { RobotModel } from '../model/index.ts';
import { loadCheckSubject } from '../robot-import/index.ts';
import { planTrials } from './attack/plan.ts';
import { BenchPlants, variantsOf } from './plants.ts';
import { runTrial } from './run-trial.ts';
import { totalsOf, verdictOf } from './summary.ts';
import { SagWatch } from './witness/sag-watch.ts';

const subject = await loadCheckSubject('koch');
const { model } = subject;

/** Returns the arm with servos stiffer by this factor. */
function stiffer(share: number): RobotModel {
  const joints = model.joints.map((joint) => ({ ...joint, stiffnessNmPerRad: share * joint.stiffnessNmPerRad }));
  return { ...model, joints };
}

describe('how far outside its box an arm may stand', () => {
  const open: BenchPlants[] = [];
  const plantsOf = (robot: RobotModel): BenchPlants => {
    const plants = new BenchPlants({ ...subject, model: robot });
    open.push(plants);
    return plants;
  };
  afterAll(() => {
    for (const plants of open) plants.close();
  });

  it.runIf(IS_LONG)('is what weight and load bend the servos of its file, and no more than row 43 bears', async () => {
    const limitM = (await plantsOf(model).sagMaxM())!;
    expect(limitM).toBeGreaterThan(0.015);
    expect(limitM).toBeLessThan(0.03);
    expect((await plantsOf(stiffer(2)).sagMaxM())! / limitM).toBeCloseTo(0.5, 1);
    expect(await plantsOf(stiffer(0.3)).sagMaxM()).toBe(0.03);
  });

  it('fails the check where servos are softer than that, and holds for those of its file', async () => {
    const plant = await plantsOf(model).get('payload');
    const plan = planTrials(model, 4000, 1, variantsOf(subject)).find(({ adversary }) => adversary === 'drifting')!;
    const terms = { chain: 'on', without: [], untried: [], ended: 'complete', plannedTicks: plan.ticks } as const;
    expect(plan.variant).toBe('payload');
    /** Returns the limit for the arm if the servos in its file are stiffer by this factor. */
    const verdict = async (share: number) => {
      const sagMaxM = await plantsOf(stiffer(share)).sagMaxM();
      const setting = { model, chain: 'on', without: [], seed: 1, hasEnergy: true, naturalHz: [], sagMaxM } as const;
      return verdictOf('koch', totalsOf(model, [runTrial({ ...setting, plant }, plan)], true, { sagMaxM }), terms);
    };
    expect(await verdict(1)).toMatchObject({
      ok: true,
      verdict: expect.stringMatching(/mm out of its box \(at rest at most [\d.]+, from the sag of its servos\)/),
    });
    expect(await verdict(2.5)).toMatchObject({
      ok: false,
      verdict: expect.stringContaining('arm at rest outside by more than its sag'),
    });
  });

  it('is not asked of an arm that swings there', () => {
    const watch = new SagWatch(model, 0.01);
    const still = model.joints.map(() => 0);
    const swing = (tick: number): number[] => model.joints.map(() => 0.3 * Math.cos(tick / 4));
    for (let tick = 0; tick < 100; tick++) expect(watch.beyondM(0.03, swing(tick), 0.02)).toBe(0);
    for (let tick = 0; tick < 12; tick++) expect(watch.beyondM(0.03, still, 0.02)).toBe(0);
    expect(watch.beyondM(0.03, still, 0.02)).toBeCloseTo(0.02, 9);
    expect(watch.beyondM(0.005, still, 0.02)).toBe(0);
  });
});
