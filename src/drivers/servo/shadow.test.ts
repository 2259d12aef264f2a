/** Joints with two servos, the second of which obeys the first one's requests: ViperX's shoulder and elbow. */
import { describe, expect, it } from 'vitest';
import type { DynamixelBus } from '../../../packages/emulate/src/dynamixel/dynamixel-bus.ts';
import type { DynamixelServo } from '../../../packages/emulate/src/dynamixel/dynamixel-servo.ts';
import type { ServoRig } from '../../../tests/support/emulated-servos.ts';
import { rigOfTest } from '../../../tests/support/rig-of-test.ts';
import { createRobotState, HARDWARE, type RobotState } from '../../rows/index.ts';
import type { DriverStatus } from '../driver.ts';
import { dynamixelFamily } from '../dynamixel/dynamixel-family.ts';

interface Viper {
  readonly rig: ServoRig;
  readonly state: RobotState;
  readonly servo: (id: number) => DynamixelServo;
  /** Runs `ticks` ticks at the home pose, the shoulder moved by `shoulderRad`; returns the status of each read. */
  readonly run: (ticks: number, shoulderRad?: number) => readonly DriverStatus[];
}

function viper(): Viper {
  const rig = rigOfTest({ robot: 'viperx', family: dynamixelFamily });
  const state = createRobotState(7, 0);
  const servo = (id: number): DynamixelServo => (rig.bus as DynamixelBus).servos.find((each) => each.id === id)!;
  const run = (ticks: number, shoulderRad = 0): readonly DriverStatus[] => {
    const reference = Float64Array.from(rig.robot.homeRad);
    reference[1] = reference[1]! + shoulderRad;
    return Array.from({ length: ticks }, () => {
      rig.endOfTick();
      const said = rig.driver.read(state);
      rig.driver.write(reference as typeof state.positionRad);
      return said;
    });
  };
  return { rig, state, servo, run };
}

async function enabled(): Promise<Viper> {
  const arm = viper();
  await arm.rig.driver.open();
  arm.rig.driver.read(arm.state);
  arm.rig.driver.torque(1);
  arm.run(40);
  return arm;
}

describe('a joint with two servos', () => {
  it('moves both by what one is told, reads the torque of both, and is well', async () => {
    const { rig, state, servo, run } = await enabled();
    const said = run(100, 0.2);
    expect(new Set(said)).toEqual(new Set(['ok']));
    expect([3, 5].map((id) => servo(id).isTorqueOn)).toEqual([true, true]);
    expect(servo(3).registers.get('goalPosition')).toBe(servo(2).registers.get('goalPosition'));
    expect(rig.body.positionRad[1]).toBeCloseTo(rig.robot.homeRad[1]! + 0.2, 1);
    expect(rig.driver.report.hardwareFaults).toBe(0);
    // Blocked, both servos press.
    const held = rig.body.positionRad[1]!;
    for (let tick = 0; tick < 10; tick++) {
      run(1, 0.26);
      rig.body.positionRad[1] = held;
      rig.body.velocityRadPerS[1] = 0;
    }
    const both = servo(2).motor.torqueNm + servo(3).motor.torqueNm;
    expect(both).toBeGreaterThan(0.5);
    // The reading is from a moment before.
    expect(Math.abs(state.torqueNm[1]! / both - 1)).toBeLessThan(0.25);
  });

  it('is late, and braked by others, where the second one is dead', async () => {
    const { rig, run } = await enabled();
    rig.bus.faultsOf(3)!.isDead = true;
    expect(run(6).filter((said) => said === 'late').length).toBeGreaterThanOrEqual(3);
    expect(rig.driver.takeNotice()).toMatchObject({
      row: 10,
      message: 'Servo 3 (shoulder, second servo) does not answer.',
    });
  });

  it('gets torque in neither where the second one has not confirmed it', async () => {
    const { rig, state, servo } = viper();
    await rig.driver.open();
    rig.driver.read(state);
    rig.bus.faultsOf(3)!.isDead = true;
    rig.driver.torque(1);
    rig.bus.faultsOf(3)!.isDead = false;
    rig.line.wait(rig.line.clock.nowS() + 0.005);
    expect([2, 3].map((id) => servo(id).isTorqueOn)).toEqual([false, false]);
    rig.bus.faultsOf(3)!.isDead = false;
    const drop = rig.bus.faultsOf(3)!;
    const write = rig.line.write.bind(rig.line);
    // The servo answers, but takes nothing.
    rig.line.write = (bytes, length) => {
      const said = write(bytes, length);
      servo(3).registers.set('torqueEnable', 0);
      return said;
    };
    for (let tick = 0; tick < 3; tick++) {
      rig.endOfTick();
      rig.driver.read(state);
      rig.driver.write(state.positionRad);
    }
    expect(drop.isDead).toBe(false);
    expect(rig.driver.takeNotice()).toMatchObject({
      row: 10,
      message: expect.stringMatching(/^Servo 3 \(shoulder, second servo\) did not confirm/),
    });
  });

  it('stops where the second one overloads, loses its torque or its cap, and says which', async () => {
    const overloaded = await enabled();
    overloaded.rig.bus.faultsOf(5)!.isOverloaded = true;
    overloaded.run(5);
    expect(overloaded.rig.driver.report.hardwareFaults & HARDWARE.servoFault).not.toBe(0);
    expect(overloaded.rig.driver.takeNotice()?.message).toBe('Servo 5 (elbow, second servo) reports overload.');

    const limp = await enabled();
    limp.servo(3).registers.set('torqueEnable', 0);
    limp.run(30);
    expect(limp.rig.driver.report.hardwareFaults).toBe(HARDWARE.servoReset);
    expect(limp.rig.driver.takeNotice()?.message).toMatch(/^Servo 3 .* has restarted/);

    const strong = await enabled();
    strong.servo(5).registers.set('goalPwm', 885);
    strong.run(30);
    expect(strong.rig.driver.report.hardwareFaults).toBe(HARDWARE.torqueCap);
  });

  it('stops where the two read different places', async () => {
    const { rig, run } = await enabled();
    run(20);
    expect(rig.driver.report.hardwareFaults).toBe(0);
    rig.bus.faultsOf(3)!.shiftRad = 0.3;
    run(2);
    expect(rig.driver.report.hardwareFaults & HARDWARE.servoFault).not.toBe(0);
    expect(rig.driver.takeNotice()?.message).toMatch(/^Servo 3 .* reads another position than the first servo/);
  });

  it('is refused before anything moves where they do not agree, or one is not there', async () => {
    const shifted = viper();
    shifted.rig.bus.faultsOf(5)!.shiftRad = -0.2;
    shifted.rig.line.wait(0.01);
    await expect(shifted.rig.driver.open()).rejects.toThrow(
      /^Servo 5 \(elbow, second servo\) reads \d+ where the first/,
    );
    const lonely = viper();
    lonely.rig.bus.faultsOf(3)!.isDead = true;
    await expect(lonely.rig.driver.open()).rejects.toThrow(/No servo 3 \(shoulder, second servo\) answers/);
  });

  it('keeps the drive mode of the second one, which turns the other way, whatever is written to the first', async () => {
    const arm = viper();
    // The time-based profile is cleared in both servos; 1 is reversed direction.
    arm.rig.bus.setRegister!(2, 'driveMode', 4);
    arm.rig.bus.setRegister!(3, 'driveMode', 5);
    arm.rig.bus.setRegister!(5, 'driveMode', 1);
    arm.rig.bus.setRegister!(5, 'shadowId', 255);
    await arm.rig.driver.open();
    expect([2, 3, 4, 5].map((id) => arm.servo(id).registers.get('driveMode'))).toEqual([0, 1, 0, 1]);
    expect(arm.servo(5).registers.get('shadowId')).toBe(4);
  });
});

it('sends a joint that slides 2 mm beyond its calibrated range at most', async () => {
  const countsPerM = 4096 / 0.1257;
  const mostCounts = 2048 + Math.round(0.04 * countsPerM);
  const rig = rigOfTest({
    robot: 'viperx',
    family: dynamixelFamily,
    calibrate: (fresh) => ({
      ...fresh,
      joints: { ...fresh.joints, gripper: { ...fresh.joints['gripper']!, maxCounts: mostCounts } },
    }),
  });
  const state = createRobotState(7, 0);
  await rig.driver.open();
  rig.driver.read(state);
  rig.driver.torque(1);
  const { registers } = (rig.bus as DynamixelBus).servos.find(({ id }) => id === 9)!;
  const goalAt = (gripperM: number): number => {
    const reference = Float64Array.from(rig.robot.homeRad);
    reference[6] = gripperM;
    for (let tick = 0; tick < 4; tick++) {
      rig.endOfTick();
      rig.driver.read(state);
      rig.driver.write(reference as typeof state.positionRad);
    }
    return registers.get('goalPosition');
  };
  goalAt(0.04);
  expect(goalAt(0.041)).toBeGreaterThan(mostCounts);
  expect(goalAt(0.044)).toBeLessThanOrEqual(mostCounts + Math.round(0.002 * countsPerM));
});
