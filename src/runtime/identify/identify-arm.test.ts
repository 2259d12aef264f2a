import { describe, expect, it } from 'vitest';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { PlantArm, type PlantArmOptions } from '../../../tests/support/plant-arm.ts';
import { type JointModel, LockStepClock, type RobotModel, type TorqueObserverModel } from '../../core/index.ts';
import { faultsOf } from '../../safety/index.ts';
import { Guard } from '../guard/index.ts';
import { createActionCommand, MemoryGuardLink } from '../guard-link/index.ts';
import { IDENTIFY_PERIOD_S, type Identification, identifyAction, identifyArm } from './identify-arm.ts';
import { observerYaml } from './observer-yaml.ts';
import { openArm } from './open-arm.ts';
import { judge } from './verdict.ts';

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

/** The arm whose servo `at` has other gains than its file. */
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

  it('refuses a tank whose file is off: stiffness by 30 %, damping by a tenth, delay by two ticks', async () => {
    expect(
      wrong(
        await identified({ model: servo(ELBOW, (joint) => ({ stiffnessNmPerRad: 1.3 * joint.stiffnessNmPerRad })) }),
      ),
    ).toEqual(expect.arrayContaining(['elbow stiffness', 'elbow damping']));
    expect(
      wrong(
        await identified({ model: servo(SHOULDER, (joint) => ({ dampingNmSPerRad: 0.9 * joint.dampingNmSPerRad })) }),
      ),
    ).toEqual(['shoulder_lift damping']);
    const late = await identified({ delayTicks: 2 });
    expect(late.servo.delayTicks).toBe(2);
    expect(wrong(late)).toContain('robot delay');
  }, 90_000);

  it('measures the noise of the encoders while it stands', async () => {
    const found = await identified({ noiseRad: 2e-4 });
    for (const peak of found.noisePeakRad) expect(peak).toBeGreaterThan(1e-4);
    for (const peak of found.noisePeakRad) expect(peak).toBeLessThan(4.1e-4);
  }, 60_000);

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
  /** Faults that the guard tells while `arm` moves to and fro; `disturb` is called before the last ticks. */
  async function faultsSeen(
    options: Partial<PlantArmOptions>,
    disturb: (arm: PlantArm) => void,
    limits: Partial<TorqueObserverModel> = {},
  ): Promise<readonly string[]> {
    const torqueObserver = { ...(await nominal).observer, ...limits };
    const watched: RobotModel = { ...model, tank: undefined, torqueObserver };
    const arm = new PlantArm({ velocityFeedForward: true, ...options, model: options.model ?? model });
    await arm.open();
    const clock = new LockStepClock(1 / model.controlHz);
    const action = identifyAction(watched);
    const link = new MemoryGuardLink({
      nodeIs: 'person',
      shape: { joints: 6, signals: 0, actions: 6, controlHz: model.controlHz },
      clock,
      createGuard: (port) =>
        new Guard({ driver: arm, model: watched, action, policyPeriodS: IDENTIFY_PERIOD_S, clock, port }),
    });
    await link.advance(2);
    await link.request({ kind: 'enable' });
    await link.advance(STILL);
    const command = createActionCommand(6);
    Object.assign(command, { decider: 'human', leaseS: 0.2 });
    for (let tick = 0; tick < MOVED; tick += 5) {
      if (tick >= MOVED / 2) disturb(arm);
      command.seq++;
      command.issuedAtS = clock.nowS();
      command.action.fill(0.1 * Math.sin(tick / 25));
      link.send(command);
      if (tick === 0) await link.request({ kind: 'activate' });
      await link.advance(5);
    }
    const flags = faultsOf(link.latest.faultFlags).map(({ flag }) => flag);
    await link.close();
    return flags;
  }
  const nominal = identified({}, 40);
  const nothing = (): void => undefined;

  it('says nothing of the arm that was identified, in motion', async () => {
    expect(await faultsSeen({}, nothing)).toEqual([]);
  }, 90_000);

  faultRow(
    54,
    'fake',
    'a push at the upper arm, a load of 3 kg and a servo a third stiffer are each seen',
    async (promised) => {
      expect(promised('samples')).toBe(3);
      expect(await faultsSeen({}, ({ plant }) => plant.pushLink(ELBOW, [0, 0, 60]))).toContain('torqueResidual');
      expect(await faultsSeen({ payload: { massKg: 3 } }, nothing)).toContain('torqueResidual');
      const stiffer = servo(SHOULDER, (joint) => ({ stiffnessNmPerRad: 1.3 * joint.stiffnessNmPerRad }));
      const deaf = { externalMaxNm: model.joints.map(() => 1e4) };
      const pushed = ({ plant }: PlantArm): void => plant.pushLink(ELBOW, [0, 0, 60]);
      expect(await faultsSeen({}, pushed, deaf)).toEqual([]);
      expect(await faultsSeen({ model: stiffer }, pushed, deaf)).toContain('servoResidual');
    },
    120_000,
  );
});
