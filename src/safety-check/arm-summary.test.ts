import { describe, expect, it } from 'vitest';
import { ArmKinematics, type JointModel, type RobotModel } from '../model/index.ts';
import { loadCheckSubject } from '../robot-import/index.ts';
import type { StageName } from '../safety/chain-report.ts';
import { planTrials } from './attack/plan.ts';
import { BenchPlants, type CheckedPlant, variantsOf } from './plants.ts';
import { runTrial } from './run-trial.ts';
import { type Totals, totalsOf, verdictOf } from './summary.ts';
import { addTally, createTally } from './tally.ts';
import type { TrialOutcome } from './trial-outcome.ts';
import { ArmWitness } from './witness/witness.ts';

const subject = await loadCheckSubject('arm6', { payloadMaxKg: 3 });
const { model } = subject;
const terms = { chain: 'on', without: [], untried: [], ended: 'complete', plannedTicks: 1 } as const;

describe('the simulated arm', () => {
  it('is counted beyond a joint limit, too fast and outside its box, each by its worst amount', () => {
    const arm = new ArmWitness(model);
    const still = new Float64Array(model.joints.length);
    arm.check(model.homeRad, still);
    expect(Object.values(arm.counts).map(({ count }) => count)).toEqual([0, 0, 0, 0, 0]);
    arm.tick = 7;
    const beyond = Float64Array.from(model.homeRad);
    beyond[5] = model.joints[5]!.positionMaxRad + 0.02;
    arm.check(beyond, still);
    expect(arm.counts.armPosition).toEqual({ count: 1, worst: expect.closeTo(0.02, 9), worstTick: 7, worstJoint: 5 });
    const fast = still.map((_, i) => (i === 2 ? -1.25 * model.joints[2]!.velocityMaxRadPerS : 0));
    arm.check(model.homeRad, fast);
    expect(arm.counts.armSpeed).toMatchObject({ count: 1, worst: expect.closeTo(0.25, 9), worstJoint: 2 });
    const limited = new ArmWitness({ ...model, toolSpeedMaxMPerS: 0.25 });
    limited.check(model.homeRad, still);
    expect(limited.counts.armToolSpeed.count).toBe(0);
    limited.check(model.homeRad, fast);
    expect(limited.counts.armToolSpeed).toMatchObject({ count: 1, worst: expect.any(Number) });
    expect(arm.counts.armToolSpeed.count).toBe(0);
    const flat = new ArmWitness({ ...model, workspace: { ...model.workspace, maxM: [9, 9, -9] } });
    flat.check(model.homeRad, still);
    expect(flat.counts.armWorkspace.worst).toBeGreaterThan(9);
    arm.checkDistance(0.004);
    expect(arm.counts.armContact.count).toBe(0);
    arm.checkDistance(-0.004);
    expect(arm.counts.armContact).toMatchObject({ count: 1, worst: 0.004, worstJoint: -1 });
  });

  it('is told of with the joint, the attack and the tick at which it was worst, whatever its servos are', () => {
    const outcomeOf = (index: number, ticks: number, worst: number): TrialOutcome => {
      const name = { index, adversary: 'pushing', space: 'joint', plant: 'late' } as const;
      const trace = { trial: name, timeS: [], margin: [], tankJ: [], injectedJ: [], creditedJ: [], kineticJ: [] };
      const outcome = { ...createTally(), name, stops: [], trace, ticks };
      Object.assign(outcome.arm.armSpeed, { count: 1, worst, worstTick: 3, worstJoint: 2 });
      return outcome;
    };
    const [calm, fast] = [outcomeOf(4, 100, 0.5), outcomeOf(9, 100, 3.24)];
    const adviceOf = (assumed: readonly string[]) =>
      totalsOf(model, [calm, fast], true, { assumedServos: assumed }).arm.margins;
    const { name } = model.joints[2]!;
    const place = ' Worst in tick 3 of trial 9: pushing, joint, late.';
    const did = `Joint "${name}" was 324 % faster than velocityMaxRadPerS`;
    const to = 'if that is the mechanical limit of the joint, set 0.23 times it.';
    expect(adviceOf([])).toMatchObject([{ message: `${did}: ${to}${place}`, set: 0.23 }]);
    expect(adviceOf([model.joints[1]!.name])).toMatchObject([{ set: 0.23 }]);
    const give = `give stiffnessNmPerRad and dampingNmSPerRad of joint ${name} in a limits file before a margin is set for this.`;
    expect(adviceOf([name])).toMatchObject([
      { message: `${did}, with servos that are assumed: ${give}${place}`, set: null },
    ]);
    // No margin makes up for a stage that was left out.
    expect(totalsOf(model, [calm, fast], true, { isWhole: false }).arm).toMatchObject({ margins: [] });
    // Attempts of one trial are consecutive.
    addTally(calm, fast);
    expect(calm.arm.armSpeed).toMatchObject({ worst: 3.24, worstTick: 103 });
  });

  it('leans out of its limits where a drift goes on, which no short trial shows, but not as it is shipped', async () => {
    const shipped = await loadCheckSubject('viperx');
    const { joints, ...rest } = shipped.model;
    const gripper = joints.findIndex(({ name }) => name === 'gripper');
    // The position ranges are reduced, and the margin is that of the fingers.
    const drawnIn = (joint: JointModel): JointModel => ({
      ...joint,
      positionMinRad: joint.positionMinRad + 0.03,
      positionMaxRad: joint.positionMaxRad - 0.03,
    });
    const old = {
      ...rest,
      limitMarginRad: 0.001,
      joints: joints.map((joint, i) => (i === gripper ? joint : drawnIn(joint))),
    };
    const plants = new BenchPlants(shipped);
    const drift = async (model: RobotModel): Promise<Totals> => {
      const plans = planTrials(model, 4000, 1, variantsOf({ ...shipped, model }));
      const plan = plans.find(({ adversary }) => adversary === 'drifting')!;
      expect(plan).toMatchObject({ space: 'cartesian', variant: 'payload', jitter: 'none', stops: 'none' });
      expect(plan.ticks / model.controlHz).toBeGreaterThanOrEqual(5);
      const plant = await plants.get(plan.variant);
      const setting = { model, chain: 'on', without: [], seed: 1, hasEnergy: true } as const;
      return totalsOf(model, [runTrial({ ...setting, naturalHz: [], plant }, plan)], true);
    };
    const { arm, violations } = await drift(old);
    expect(violations.filter(({ count }) => count > 0)).toEqual([]);
    expect(arm.excursions[0]!.worst).toBeGreaterThan(0.02);
    // The fingers' 36 mm leave no room for a margin that covers it: the joint gets its own.
    expect(arm.margins[0]!.message).toMatch(
      /^Joint "shoulder" went [\d.]+ .* set limitMarginRad of joint "shoulder" to 0\.03\d* instead of 0\.001.*: drifting, cartesian/,
    );
    const now = await drift(shipped.model);
    plants.close();
    expect(now.violations.filter(({ count }) => count > 0)).toEqual([]);
    expect(now.arm.excursions[0]!.worst).toBe(0);
  });

  it('may touch while its reference is clear: that is told with the clearance that covers it, and is no violation', async () => {
    const totals = await trialOf(['armAlone'], []);
    const touch = totals.arm.excursions.find(({ kind }) => kind === 'armContact')!;
    expect(touch.count).toBeGreaterThan(0);
    expect(touch.worst).toBeCloseTo(0.004, 9);
    expect(totals.margins).toMatchObject({ plantM: -0.004 });
    expect(totals.margins.shapesM!).toBeGreaterThan(0);
    expect(totals.violations.filter(({ count }) => count > 0)).toEqual([]);
    const advice = totals.arm.margins.find(({ key }) => key === 'clearanceM')!;
    expect(advice.set).toBeGreaterThanOrEqual(model.collision!.clearanceM + 0.004);
    expect(advice.message).toMatch(/4 mm deep: set collision\.clearanceM to /);
    expect(verdictOf('arm6', totals, terms)).toMatchObject({
      ok: true,
      verdict: expect.stringMatching(/kept every limit .*; the simulated arm .* 4 mm deep into contact \(\d+ ticks\)/),
    });
  });

  it('is no excuse for its reference: without barrier and shield that breaks its distances, by capsules and by MuJoCo', async () => {
    const whole = await trialOf([], []);
    const bare = await trialOf([], ['barrier', 'tank', 'shield']);
    const counts = ({ violations }: typeof whole): number[] =>
      (['selfCollision', 'keepOut', 'contact'] as const).map((kind) => violations.find((v) => v.kind === kind)!.count);
    expect(counts(whole)).toEqual([0, 0, 0]);
    const [self, box, contact] = counts(bare);
    expect(self! + box!).toBeGreaterThan(0);
    expect(contact).toBeGreaterThan(0);
    expect(bare.margins.shapesM!).toBeLessThan(0);
    expect(verdictOf('arm6', bare, terms)).toMatchObject({
      ok: false,
      verdict: expect.stringMatching(/broke limits .* links touch in the reference's pose \(MuJoCo\)/),
    });
  });

  it('may be clear while its reference touches, and that is a violation', async () => {
    const totals = await trialOf(['referenceAlone'], []);
    expect(totals.violations.find(({ kind }) => kind === 'contact')!.count).toBeGreaterThan(0);
    expect(totals.arm.excursions.find(({ kind }) => kind === 'armContact')!.count).toBe(0);
  });

  /** A trial of pushes in all directions; `lies` replace MuJoCo's measurements of the arm, or at the reference's pose. */
  async function trialOf(
    lies: readonly ('armAlone' | 'referenceAlone')[],
    without: readonly StageName[],
  ): Promise<Totals> {
    const plants = new BenchPlants(subject);
    const real = await plants.get('nominal');
    const plant: CheckedPlant = new Proxy(real, {
      get: (target, key) => {
        if (key === 'smallestDistanceM' && lies.includes('armAlone')) return () => -0.004;
        if (key === 'distanceAtM' && lies.includes('referenceAlone')) return () => -0.004;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const plan = { index: 1, adversary: 'pushing', space: 'joint', variant: 'nominal', ticksPerStep: 3 } as const;
    const rest = { jitter: 'none', ticks: 600, attempts: 1, stops: 'none' } as const;
    const setting = { model, chain: 'on', without, seed: 1, hasEnergy: true, naturalHz: [], plant } as const;
    const outcome = runTrial(setting, { ...plan, ...rest });
    plants.close();
    return totalsOf(model, [outcome], true);
  }

  it('strays under a load that nobody knows of, while its reference keeps every limit; the verdict says both', async () => {
    expect(variantsOf(subject)).toEqual(expect.arrayContaining(['payload', 'halfPayload']));
    expect(variantsOf({ ...subject, model: { ...model, payloadMaxKg: undefined } })).not.toContain('payload');
    // A box that ends at home: the weight of the load pulls the tool out of it.
    const low = { ...model, workspace: { ...model.workspace, minM: homeAsFloor() } };
    const plants = new BenchPlants({ ...subject, model: low });
    const plan = {
      index: 1,
      adversary: 'pushing',
      space: 'joint',
      variant: 'payload',
      ticksPerStep: 3,
      jitter: 'none',
    };
    const rest = { ticks: 200, attempts: 1, stops: 'none' };
    const setting = { model: low, chain: 'on' as const, without: [], seed: 1, hasEnergy: true, naturalHz: [] };
    const outcome = runTrial({ ...setting, plant: await plants.get('payload') }, { ...plan, ...rest } as never);
    plants.close();
    const totals = totalsOf(low, [outcome], true);
    const box = totals.arm.excursions.find(({ kind }) => kind === 'armWorkspace')!;
    expect(box.count).toBeGreaterThan(0);
    expect(totals.violations.find(({ kind }) => kind === 'workspace')!.count).toBe(0);
    const advice = totals.arm.margins.find(({ key }) => key === 'workspace')!;
    expect(advice.set).toBeGreaterThanOrEqual(box.worst);
    expect(verdictOf('arm6', totals, terms).verdict).toMatch(
      /kept every limit .*; the simulated arm with up to 3 kg of unknown load strayed up to [\d.]+ mm out of its box/,
    );
  });

  function homeAsFloor(): readonly [number, number, number] {
    const heightM = new ArmKinematics(model).tcpPositionM[2]!;
    return [model.workspace.minM[0], model.workspace.minM[1], heightM];
  }
});
