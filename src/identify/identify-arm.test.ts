import { describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { faultRow } from '../../tests/support/fault-row.ts';
import { IS_LONG } from '../../tests/support/long.ts';
import { PlantArm, type PlantArmOptions } from '../../tests/support/plant-arm.ts';
import { createActionCommand, lockStepGuard } from '../guard/index.ts';
import type { MemoryGuardLink } from '../guard/link/memory-link.ts';
import { type JointModel, LockStepClock, type RobotModel, type TorqueObserverModel } from '../model/index.ts';
import { faultsOf } from '../safety/index.ts';
import type { Identification } from './evaluate.ts';
import { identifyArm } from './identify-arm.ts';
import { openArm } from './open-arm.ts';
import { actionPeriodS, identifyAction } from './path-follower.ts';
import { judge, observerYaml } from './verdict.ts';

const { driver: _, torqueObserver: _shipped, ...robot } = arm6Setup().config.robot;
const model: RobotModel = robot;
const SHOULDER = 1;
const ELBOW = 2;

async function identified(options: Partial<PlantArmOptions> = {}, durationS = 12): Promise<Identification> {
  const arm = await openArm(model, new PlantArm({ model, velocityFeedForward: true, ...options }));
  try {
    return await identifyArm({ ...arm, durationS, filterS: 0.03, seed: 2 });
  } finally {
    await arm.close();
  }
}

/** Returns the arm with gains of servo `at` other than in its file. */
function servo(at: number, change: (joint: JointModel) => Partial<JointModel>): RobotModel {
  return { ...model, joints: model.joints.map((joint, i) => (i === at ? { ...joint, ...change(joint) } : joint)) };
}

const wrong = (found: Identification): string[] =>
  judge(model, found)
    .filter(({ ok }) => !ok)
    .map(({ of, what }) => `${of} ${what}`);

describe('an identification', () => {
  it('finds the servos of the file to be what they are, their timing, and nothing wrong', async () => {
    const found = await identified();
    expect(found.servo.delayTicks).toBe(0);
    expect(found.servo.velocityFeedForward).toBe(true);
    for (const [i, { stiffnessNmPerRad, dampingNmSPerRad }] of model.joints.entries()) {
      expect(found.servo.stiffness[i]!.value / stiffnessNmPerRad).toBeCloseTo(1, 1);
      expect(found.servo.damping[i]!.value / dampingNmSPerRad).toBeCloseTo(1, 1);
    }
    expect(wrong(found)).toEqual([]);
  }, 60_000);

  it.runIf(IS_LONG)(
    'refuses a tank whose file is off by 30 % in stiffness',
    async () => {
      const stiffer = servo(ELBOW, (joint) => ({ stiffnessNmPerRad: 1.3 * joint.stiffnessNmPerRad }));
      const found = await identified({ model: stiffer });
      expect(wrong(found)).toEqual(expect.arrayContaining(['elbow stiffness', 'elbow damping']));
    },
    90_000,
  );

  it.runIf(IS_LONG)(
    'refuses a tank whose file is off by a tenth in damping, or by two ticks in delay',
    async () => {
      expect(
        wrong(
          await identified({ model: servo(SHOULDER, (joint) => ({ dampingNmSPerRad: 0.9 * joint.dampingNmSPerRad })) }),
        ),
      ).toEqual(['shoulder_lift damping']);
      const late = await identified({ delayTicks: 2 });
      expect(late.servo.delayTicks).toBe(2);
      expect(wrong(late)).toContain('robot delay');
    },
    90_000,
  );

  it.runIf(IS_LONG)(
    'measures the noise of the encoders while it stands',
    async () => {
      const found = await identified({ noiseRad: 2e-4 });
      for (const peak of found.noisePeakRad) expect(peak).toBeGreaterThan(1e-4);
      for (const peak of found.noisePeakRad) expect(peak).toBeLessThan(4.1e-4);
    },
    60_000,
  );

  it('writes no number that is not finite', async () => {
    const { observer } = await identified({}, 4);
    const broken = { ...observer, servoMaxNm: [Number.NaN, ...observer.servoMaxNm.slice(1)] };
    expect(() => observerYaml(broken, model.joints, 'x')).toThrow('not finite');
  }, 60_000);

  it('is refused where the driver measures no torque', async () => {
    const arm = new PlantArm({ model, velocityFeedForward: true });
    const read = arm.read.bind(arm);
    arm.read = (out) => {
      const status = read(out);
      out.torqueNm.fill(0);
      return status;
    };
    const opened = await openArm(model, arm);
    await expect(identifyArm({ ...opened, durationS: 3, filterS: 0.03, seed: 2 })).rejects.toThrow(
      'measures no torque',
    );
    await opened.close();
  }, 60_000);
});

describe('the torque observer of an identified arm', () => {
  const STILL = 40;
  const MOVED = 400;
  /** The identified arm behind a guard with a torque observer, standing at home with torque on. */
  async function watching(
    options: Partial<PlantArmOptions>,
    limits: Partial<TorqueObserverModel> | 'noObserver' = {},
  ): Promise<{ readonly arm: PlantArm; readonly link: MemoryGuardLink; readonly clock: LockStepClock }> {
    const torqueObserver = limits === 'noObserver' ? undefined : { ...(await nominal).observer, ...limits };
    const watched: RobotModel = { ...model, tank: undefined, torqueObserver };
    const arm = new PlantArm({ velocityFeedForward: true, ...options, model: options.model ?? model });
    const facts = await arm.open();
    const clock = new LockStepClock(1 / model.controlHz);
    const action = identifyAction(watched);
    const link = lockStepGuard({
      nodeIs: 'person',
      driver: arm,
      facts,
      model: watched,
      action,
      policyPeriodS: actionPeriodS(watched),
      clock,
    });
    await link.advance(2);
    await link.request({ kind: 'enable' });
    return { arm, link, clock };
  }

  const flagsOf = (link: MemoryGuardLink): readonly string[] =>
    faultsOf(link.latest.faultFlags).map(({ flag }) => flag);

  /** Returns the guard's faults while `arm` moves to and fro; `disturb` is called before the last ticks. */
  async function faultsSeen(
    options: Partial<PlantArmOptions>,
    disturb: (arm: PlantArm, clock: LockStepClock) => void,
    limits: Partial<TorqueObserverModel> = {},
  ): Promise<readonly string[]> {
    const { arm, link, clock } = await watching(options, limits);
    await link.advance(STILL);
    const command = createActionCommand(6);
    Object.assign(command, { decider: 'human', leaseS: 0.2 });
    for (let tick = 0; tick < MOVED; tick += 5) {
      if (tick >= MOVED / 2) disturb(arm, clock);
      command.seq++;
      command.issuedAtS = clock.nowS();
      command.action.fill(0.1 * Math.sin(tick / 25));
      link.send(command);
      if (tick === 0) await link.request({ kind: 'activate' });
      await link.advance(5);
    }
    const flags = flagsOf(link);
    await link.close();
    return flags;
  }

  /**
   * Returns the ticks from `disturb` until a push or a load is reported, with the arm standing at home; `undefined` if
   * not within a second.
   */
  async function ticksUntilReported(
    options: Partial<PlantArmOptions>,
    disturb: (arm: PlantArm) => void,
  ): Promise<number | undefined> {
    const { arm, link } = await watching(options);
    await link.advance(options.payload === undefined ? STILL : 1);
    expect(flagsOf(link)).toEqual([]);
    disturb(arm);
    let reported: number | undefined;
    for (let tick = 1; tick <= model.controlHz && reported === undefined; tick++) {
      await link.advance(1);
      if (flagsOf(link).includes('torqueResidual')) reported = tick;
    }
    const { residualJoint, residualNm } = link.latest;
    // The figures remain those of the stop once the arm stands.
    await link.advance(reported === undefined ? 0 : STILL);
    if (reported !== undefined) expect(link.latest).toMatchObject({ residualJoint, residualNm });
    await link.close();
    return reported;
  }
  const nominal = identified({}, 40);
  const nothing = (): void => undefined;

  it('says nothing of ticks that come late, in which the simulated arm moves for one period all the same', async () => {
    const close = { externalMaxNm: model.joints.map(({ torqueMaxNm }) => torqueMaxNm / 500) };
    const seen = await faultsSeen({}, (_, clock) => clock.step(), close);
    expect(seen).not.toContain('torqueResidual');
    expect(seen).not.toContain('servoResidual');
  });

  it('keeps torque off where its file counts on a mean force that the driver does not give, until it is taken out', async () => {
    const { link } = await watching({}, { wrench: 'mean' });
    await link.advance(1);
    expect(await link.request({ kind: 'enable' })).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/torqueObserver\.wrench .* is mean: take torqueObserver out of .* then run `rein /),
    });
    expect(flagsOf(link)).toEqual([]);
    await link.close();
    const { link: anew } = await watching({}, 'noObserver');
    await anew.advance(1);
    expect(anew.latest.state).toBe('ready');
    await anew.close();
  });

  it('says nothing of the arm that was identified, in motion', async () => {
    expect(await faultsSeen({}, nothing)).toEqual([]);
  }, 90_000);

  faultRow(
    54,
    'fake',
    'half as much again as the least force and load that identify names is told of once the filter has it, 0.3 of it never',
    async (promised) => {
      const { sensitivity, observer } = await nominal;
      // A first-order filter reaches 1 / 1.5 of a step after filterS · ln 3.
      const mostTicks = Math.ceil(observer.filterS * Math.log(3) * model.controlHz) + promised('samples') + 1;
      const felt = sensitivity.links.filter(({ forceN }) => forceN !== undefined);
      expect(felt.map(({ link }) => link)).toEqual(model.joints.slice(1).map(({ name }) => name));
      for (const { link, forceN, pointM, direction } of felt) {
        const at = model.joints.findIndex(({ name }) => name === link);
        const push = (share: number) => (arm: PlantArm) => {
          const [x, y, z] = direction;
          const sizeN = share * forceN!;
          arm.plant.pushLink(at, [sizeN * x, sizeN * y, sizeN * z], pointM);
        };
        const reported = await ticksUntilReported({}, push(1.5));
        expect(reported, link).toBeLessThanOrEqual(mostTicks);
        expect(await ticksUntilReported({}, push(0.3)), link).toBeUndefined();
      }
      const massKg = sensitivity.payloadKg!;
      expect(await ticksUntilReported({ payload: { massKg: 1.5 * massKg } }, nothing)).toBeLessThanOrEqual(mostTicks);
      expect(await ticksUntilReported({ payload: { massKg: 0.3 * massKg } }, nothing)).toBeUndefined();
    },
    120_000,
  );

  faultRow(
    54,
    'fake',
    'a push at the upper arm, a load of 3 kg, a servo a third stiffer and one without damping are each seen',
    async (promised) => {
      expect(promised('samples')).toBe(3);
      expect(await faultsSeen({}, ({ plant }) => plant.pushLink(ELBOW, [0, 0, 60]))).toContain('torqueResidual');
      expect(await faultsSeen({ payload: { massKg: 3 } }, nothing)).toContain('torqueResidual');
      const stiffer = servo(SHOULDER, (joint) => ({ stiffnessNmPerRad: 1.3 * joint.stiffnessNmPerRad }));
      const receivesNothing = { externalMaxNm: model.joints.map(() => 1e4) };
      const pushed = ({ plant }: PlantArm): void => plant.pushLink(ELBOW, [0, 0, 60]);
      expect(await faultsSeen({}, pushed, receivesNothing)).toEqual([]);
      expect(await faultsSeen({ model: stiffer }, pushed, receivesNothing)).toContain('servoResidual');
      // A servo that leads by its own damping follows smooth references as if its damping were right: only a little of the error shows.
      const undamped = servo(SHOULDER, (joint) => ({ dampingNmSPerRad: 0.1 * joint.dampingNmSPerRad }));
      expect(await faultsSeen({ model: undamped }, nothing, receivesNothing)).toContain('servoResidual');
    },
    120_000,
  );
});
