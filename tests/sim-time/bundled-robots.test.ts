/**
 * Each bundled arm through the driver that `rein sim` and `teleop` give it: it is the robot that its file describes to the tank, and no energy
 * comes from nowhere. A plant that a test sets up for itself cannot tell that a driver sets it up otherwise.
 */
import { describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/config/index.ts';
import { createDriver, simulatedDriver } from '../../src/drivers/index.ts';
import { MujocoDriver } from '../../src/drivers/mujoco/mujoco-driver.ts';
import { createActionCommand, lockStepGuard } from '../../src/guard/index.ts';
import { identifyArm, judge, openSimulatedArm } from '../../src/identify/index.ts';
import { armDriver } from '../../src/identify/open-arm.ts';
import { actionPeriodS, identifyAction } from '../../src/identify/path-follower.ts';
import { LockStepClock } from '../../src/model/index.ts';
import { springJ } from '../../src/safety-check/witness/energy-ledger.ts';
import { IS_LONG } from '../support/long.ts';

/** And how long each is identified, s: counts of 12 bits take their time. */
const ARMS = [
  ['arm7', 6],
  ...(IS_LONG
    ? ([
        ['arm6', 6],
        ['so101', 20],
        ['koch', 40],
        ['viperx', 40],
      ] as const)
    : []),
] as const;

function robotOf(name: string) {
  const { robot } = loadRobotFile(name);
  return { ...robot, driver: simulatedDriver(robot.driver) };
}

/** A policy that strokes with all joints, and what then is in arm and tank beyond what was there, J: at most what it was topped up with. */
async function surplusJ(name: string, hz: number, seconds: number): Promise<number> {
  const { driver: config, ...model } = robotOf(name);
  const { name: kind, options } = armDriver({ ...model, driver: config });
  const driver = await createDriver({ name: kind, options }, { model });
  if (!(driver instanceof MujocoDriver)) throw new TypeError(`${name} is simulated by another driver`);
  const periodS = 1 / model.controlHz;
  const facts = await driver.open();
  const link = lockStepGuard({
    nodeIs: 'program',
    driver,
    facts,
    model,
    action: identifyAction(model),
    policyPeriodS: actionPeriodS(model),
    clock: new LockStepClock(periodS),
  });
  try {
    await link.advance(2);
    for (const kind of ['enable', 'activate'] as const)
      expect(await link.request({ kind })).toMatchObject({ ok: true });
    const plant = driver.plant!;
    const storedJ = (): number =>
      plant.kineticJ() +
      plant.potentialJ() +
      model.joints.reduce((sum, { stiffnessNmPerRad, torqueMaxNm }, i) => {
        return sum + springJ(plant.setPointRad[i]! - plant.positionRad[i]!, stiffnessNmPerRad, torqueMaxNm);
      }, 0);
    let before = link.latest.tankEnergyJ;
    let toppedUpJ = 0;
    let most = Number.NEGATIVE_INFINITY;
    let startJ = Number.NaN;
    const command = createActionCommand(model.joints.length);
    command.decider = 'policy';
    command.leaseS = 0.1;
    for (let tick = 0; tick < seconds * model.controlHz; tick++) {
      command.seq++;
      command.issuedAtS = link.latest.stampS;
      command.action.forEach((_, i) => {
        command.action[i] = 0.5 * Math.sign(Math.sin(2 * Math.PI * hz * tick * periodS + i));
      });
      link.send(command);
      await link.advance(1);
      // The tick's period passes before its step is paid for: the set-points in force are those that the tank had paid for then.
      const heldJ = storedJ() + before;
      if (Number.isNaN(startJ)) startJ = heldJ;
      most = Math.max(most, heldJ - startJ - toppedUpJ);
      toppedUpJ += (model.tank?.topUpW ?? 0) * periodS;
      before = link.latest.tankEnergyJ;
    }
    // Else it moved nothing, and all of this would hold of any robot.
    expect(link.latest.tankInjectedJ).toBeGreaterThan(1);
    return most;
  } finally {
    await link.close();
  }
}

describe.each(ARMS)('the servos of %s', (name, durationS) => {
  it('are simulated as its file has them, and identified by what its encoders say', async () => {
    const robot = robotOf(name);
    const arm = await openSimulatedArm(robot);
    try {
      const found = await identifyArm({ ...arm, durationS, filterS: 0.03, seed: 1 });
      expect(judge(robot, found).filter(({ ok }) => !ok)).toEqual([]);
    } finally {
      await arm.close();
    }
  });

  // The scene that arm6 works in is simulated by a driver that does not say what energy is in it.
  it.runIf(name !== 'arm6')('are paid for by its tank, whatever a policy strokes', async () => {
    for (const hz of [0.5, 3]) expect(await surplusJ(name, hz, 3)).toBeLessThan(1e-6);
  });
});
