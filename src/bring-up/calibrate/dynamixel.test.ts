import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DynamixelBus } from '../../../packages/emulate/src/dynamixel/dynamixel-bus.ts';
import { DynamixelServo } from '../../../packages/emulate/src/dynamixel/dynamixel-servo.ts';
import { SimpleBody } from '../../../packages/emulate/src/index.ts';
import { MemoryLine, WaitedClock } from '../../../packages/emulate/src/memory-line.ts';
import { HandGuide } from '../../../tests/support/calibrated-by-hand.ts';
import { servoOptionsOf } from '../../../tests/support/emulated-servos.ts';
import { loadRobotFile } from '../../config/index.ts';
import { calibrationText, DYNAMIXEL_MODELS, readCalibration } from '../../drivers/serial.ts';
import { ServoDriver } from '../../drivers/servo/servo-driver.ts';
import { Rng } from '../../model/index.ts';
import { createRobotState } from '../../rows/index.ts';
import type { OpenBusPort } from '../bus-port.ts';
import { inspectBus } from '../doctor/bus-findings.ts';
import { requireServoArm } from '../families.ts';
import { calibrateArm } from './calibrate-arm.ts';
import { checkServoCalibration } from './check-calibration.ts';

// Source of the registers' behaviour: ROBOTIS e-Manual, Homing Offset(20), Present Position(132).

const PER_RAD = 4096 / (2 * Math.PI);
const EXTENDED = 4;
const SHOULDER = 1;
const WRIST_FLEX = 3;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Koch arm at zero; `changed`: mounting and stored registers of its servos, by the index of the joint. */
function kochRig(
  changed: Readonly<Record<number, { zeroCounts?: number; registers?: Readonly<Record<string, number>> }>> = {},
) {
  const { robot } = loadRobotFile('koch');
  const arm = requireServoArm(robot, 'calibrate');
  const body = new SimpleBody(arm.robot.joints.map(() => ({ startRad: 0 })));
  const servos = arm.motors.map(
    ({ id, model }, joint) =>
      new DynamixelServo({
        id,
        model: DYNAMIXEL_MODELS[model.name]!,
        joint,
        zeroCounts: changed[joint]?.zeroCounts ?? 2048,
        countsPerUnit: PER_RAD,
        registers: { ...changed[joint]?.registers },
      }),
  );
  const bus = new DynamixelBus({ servos, body, baud: arm.driver.baud, rng: new Rng(1) });
  const clock = new WaitedClock();
  const folder = mkdtempSync(join(tmpdir(), 'rein-koch-'));
  folders.push(folder);
  const open: OpenBusPort = async ({ baud }) => {
    const line = new MemoryLine(bus, { baud: arm.driver.baud, hostBaud: baud, clock, path: '/dev/memory' });
    return { line, adapter: 'EMU0001', answerS: 0.004, warning: undefined, close: async () => line.close() };
  };
  const started = new MemoryLine(bus, { baud: arm.driver.baud, clock, path: '/dev/memory' });
  started.wait(0.5);
  const rig = { arm, body, servos, clock, open, out: join(folder, 'koch.json'), folder };
  return {
    ...rig,
    calibrate: (guide: HandGuide, from?: string) =>
      calibrateArm({
        arm,
        port: undefined,
        out: rig.out,
        only: [],
        from,
        firmware: 'ask',
        ranges: 'file',
        guide,
        open,
        wallMs: 0,
      }),
    driver: async () => {
      const { driver: _, ...model } = robot;
      const port = await open({ baud: arm.driver.baud });
      return new ServoDriver({
        model,
        family: arm.bus.family,
        options: { ...servoOptionsOf(robot), calibration: rig.out },
        openLine: () => port.line,
        adapterAt: () => 'EMU0001',
      });
    },
  };
}

type Rig = ReturnType<typeof kochRig>;

/** Angle of `joint` measured by the driver with its torque on, and its true angle. */
async function measured(rig: Rig, joint: number): Promise<readonly [number, number]> {
  const driver = await rig.driver();
  await driver.open();
  const state = createRobotState(6, 0);
  rig.clock.passTo(rig.clock.nowS() + 0.02);
  driver.read(state);
  driver.torque(1);
  rig.clock.passTo(rig.clock.nowS() + 0.02);
  driver.read(state);
  const found = [state.positionRad[joint]!, rig.body.positionRad[joint]!] as const;
  await driver.close();
  return found;
}

/** State left by LeRobot: a reading of 2047 in the middle of the range, in extended position mode. */
function lerobotRegisters(homingOffset: number) {
  return { zeroCounts: 2047 - homingOffset, registers: { operatingMode: EXTENDED, homingOffset } };
}

describe('Dynamixels that LeRobot has set up', () => {
  it('are set to the mode that they are driven in before the first reading, and then read the true angle', async () => {
    const rig = kochRig({
      [SHOULDER]: { zeroCounts: 2300, registers: { operatingMode: EXTENDED, homingOffset: 1500 } },
    });
    let modes: readonly number[] = [];
    const guide = new HandGuide(rig, (question) => {
      if (question.includes('Put it at')) modes = rig.servos.map(({ registers }) => registers.get('operatingMode'));
      return undefined;
    });
    await rig.calibrate(guide);
    const said = guide.said.join('\n');
    expect(said).toContain('servo 2 (shoulder_lift): operatingMode 4 → 3, so that it reads as it is driven');
    expect(said).toContain(
      'servo 2 (shoulder_lift): homingOffset 1500 → 0, so that it has none that it ignores, or that its watchdog walks on with',
    );
    expect(modes).toEqual([3, 3, 3, 3, 3, 5]);
    const [read, truly] = await measured(rig, SHOULDER);
    expect(Math.abs(read - truly)).toBeLessThan(0.01);
  });

  it('do not turn the other way, nor follow another, once they were calibrated', async () => {
    const rig = kochRig({ [SHOULDER]: { registers: { driveMode: 1 } } });
    const guide = new HandGuide(rig);
    await rig.calibrate(guide);
    expect(guide.said.join('\n')).toContain('servo 2 (shoulder_lift): driveMode 1 → 0, so that it counts as it turns');
    expect(rig.servos[SHOULDER]!.registers.get('driveMode')).toBe(0);
  });

  it('are refused by the check as by the driver where they turn the other way, or store a narrower range', async () => {
    for (const [registers, options] of [
      [{ driveMode: 1 }, ''],
      [{ positionMin: 2000 }, ' --store-ranges --joint shoulder_lift'],
    ] as const) {
      const rig = kochRig();
      await rig.calibrate(new HandGuide(rig));
      for (const [name, value] of Object.entries(registers)) rig.servos[SHOULDER]!.registers.set(name, value);
      const remedy = `rein calibrate --robot koch${options}`;
      const { arm, out: path, open } = rig;
      const found = await checkServoCalibration({ arm, port: undefined, path, open });
      expect(found.find(({ name }) => name === 'shoulder_lift')).toMatchObject({ status: 'fail', remedy });
      const driver = await rig.driver();
      await expect(driver.open()).rejects.toMatchObject({ remedy });
    }
  });

  it('have no offset where a mode counts turns, in which their bus watchdog lets them walk on with one', async () => {
    const GRIPPER = 5;
    const rig = kochRig({ [GRIPPER]: { registers: { operatingMode: 5, homingOffset: 300 } } });
    await rig.calibrate(new HandGuide(rig));
    expect(rig.servos[GRIPPER]!.registers.get('homingOffset')).toBe(0);
    const { checksum: _, ...calibration } = readCalibration(rig.out, 'koch');
    const gripper = { ...calibration.joints['gripper']!, homingOffsetCounts: 300 };
    writeFileSync(rig.out, calibrationText({ ...calibration, joints: { ...calibration.joints, gripper } }));
    rig.servos[GRIPPER]!.registers.set('homingOffset', 300);
    await expect((await rig.driver()).open()).rejects.toThrow(
      'Servo 6 (gripper) stores the offset 300, with which its bus watchdog may let it walk on',
    );
  });

  it('are not measured without a yes', async () => {
    const rig = kochRig({ [SHOULDER]: { registers: { operatingMode: EXTENDED } } });
    const guide = new HandGuide(rig, (question) => (question.startsWith('Write that?') ? 'n' : undefined));
    await expect(rig.calibrate(guide)).rejects.toThrow('Nothing was measured');
    expect(rig.servos[SHOULDER]!.registers.get('operatingMode')).toBe(EXTENDED);
    expect(guide.said.join('\n')).not.toContain('Put it at');
  });

  const fileOf = (rig: Rig, offsetCounts: number): string => {
    const entries = rig.arm.motors.map(({ name, id }, i) => {
      const joint = rig.arm.robot.joints[i]!;
      const half = Math.floor(((joint.positionMaxRad - joint.positionMinRad) / 2) * PER_RAD) - 2;
      const range = { range_min: Math.max(0, 2047 - half), range_max: Math.min(4095, 2047 + half) };
      return [name, { id, drive_mode: 0, homing_offset: i === WRIST_FLEX ? offsetCounts : 0, ...range }];
    });
    const path = join(rig.folder, 'koch_lerobot.json');
    writeFileSync(path, JSON.stringify(Object.fromEntries(entries)));
    return path;
  };

  it.each([
    [1500, 'servo 4 (wrist_flex) stores the offset 1500, and ignores what is beyond ±1024 as it is driven'],
    [900, 'servo 4 (wrist_flex) reads 900 to 4995 in its turn, and was calibrated from 7'],
  ])('are refused by their file where its offset of %i makes no positions', async (offsetCounts, message) => {
    const rig = kochRig({ [WRIST_FLEX]: lerobotRegisters(offsetCounts) });
    const guide = new HandGuide(rig);
    await expect(rig.calibrate(guide, fileOf(rig, offsetCounts))).rejects.toMatchObject({
      message: expect.stringContaining(message),
      remedy: 'It is measured anew by: rein calibrate --robot koch',
    });
    expect(guide.said.join('\n')).not.toContain('Torque goes off');
  });
});

describe('a Dynamixel whose reading leaves its turn', () => {
  it('because the encoder does is refused, with how to mount its horn: no offset cures that', async () => {
    const rig = kochRig({ [WRIST_FLEX]: { zeroCounts: 3500 } });
    await expect(rig.calibrate(new HandGuide(rig))).rejects.toMatchObject({
      message: "The range of wrist_flex crosses the end of its servo's readings.",
      remedy: 'Mount its horn so that the middle of its range reads about 2048, or move it less far.',
    });
    expect(rig.servos[WRIST_FLEX]!.registers.get('homingOffset')).toBe(0);
  });

  it('because of its offset gets none, and is driven where it is', async () => {
    const rig = kochRig({ [WRIST_FLEX]: { zeroCounts: 2500, registers: { homingOffset: 900 } } });
    const guide = new HandGuide(rig);
    await rig.calibrate(guide);
    expect(rig.servos[WRIST_FLEX]!.registers.get('homingOffset')).toBe(0);
    const joint = readCalibration(rig.out, 'koch').joints['wrist_flex']!;
    expect(joint.homingOffsetCounts).toBe(0);
    expect(Math.abs(joint.zeroCounts - 2500)).toBeLessThanOrEqual(1);
    const [read, truly] = await measured(rig, WRIST_FLEX);
    expect(Math.abs(read - truly)).toBeLessThan(0.01);
  });

  it.each([
    [{ homingOffsetCounts: 1500 }, 'stores the offset 1500, and ignores what is beyond ±1024 as it is driven'],
    [{ homingOffsetCounts: 900 }, 'reads 900 to 4995 in its turn, and was calibrated from'],
  ])('is refused by driver and check, whoever wrote its calibration: %o (row 34)', async (change, message) => {
    const rig = kochRig();
    await rig.calibrate(new HandGuide(rig));
    const { checksum: _, ...calibration } = readCalibration(rig.out, 'koch');
    const joints = { ...calibration.joints, wrist_flex: { ...calibration.joints['wrist_flex']!, ...change } };
    writeFileSync(rig.out, calibrationText({ ...calibration, joints }));
    rig.servos[WRIST_FLEX]!.registers.set('homingOffset', change.homingOffsetCounts);
    await expect((await rig.driver()).open()).rejects.toMatchObject({
      message: expect.stringContaining(`Servo 4 (wrist_flex) ${message}`),
      remedy: 'rein calibrate --robot koch',
    });
    const { arm, out, open } = rig;
    const found = await checkServoCalibration({ arm, port: undefined, path: out, open });
    expect(found.filter(({ status }) => status === 'fail')).toMatchObject([
      { name: 'wrist_flex', detail: expect.stringContaining(message), remedy: 'rein calibrate --robot koch' },
    ]);
  });
});

// ROBOTIS, dynamixel_hardware_interface: `xl330_m288_fw52.model`, `xl330_m288.model`.
describe('the control table of a firmware', () => {
  const ofFirmware = (firmware: number) => [2, 3, 4, 5].map((joint) => [joint, { registers: { firmware } }] as const);

  /** Calibrates, drives, and returns the faults of enough slow reads for all servos to have their turn. */
  async function driven(rig: Rig): Promise<number> {
    await rig.calibrate(new HandGuide(rig));
    const driver = await rig.driver();
    await driver.open();
    const state = createRobotState(6, 0);
    const tick = () => {
      rig.clock.passTo(rig.clock.nowS() + 0.02);
      driver.read(state);
    };
    tick();
    driver.torque(1);
    for (let i = 0; i < 40; i++) {
      tick();
      driver.write(state.positionRad);
    }
    const { hardwareFaults } = driver.report;
    await driver.close();
    return hardwareFaults;
  }

  it.each([46, 52, 53])(
    'is that of an XL330 with firmware %i, which is supervised where it stands',
    async (firmware) => {
      expect(await driven(kochRig(Object.fromEntries(ofFirmware(firmware))))).toBe(0);
    },
  );

  it('is not known of newer ones: doctor, calibrate and driver refuse them by number', async () => {
    const refused = {
      message:
        'Servo 3 (elbow_flex) is model xl330-m288 with firmware 54, and control tables are known up to firmware 53: its register addresses are unknown.',
      remedy: 'Give it firmware 53 with DYNAMIXEL Wizard 2.0 (Firmware Recovery), or take a newer Rein.',
    };
    const rig = kochRig();
    await rig.calibrate(new HandGuide(rig));
    rig.servos[2]!.registers.set('firmware', 54);
    await expect((await rig.driver()).open()).rejects.toMatchObject(refused);
    await expect(rig.calibrate(new HandGuide(rig))).rejects.toMatchObject(refused);
    const { findings, next } = await inspectBus({ arm: { ...rig.arm, calibration: rig.out }, open: rig.open });
    expect(findings.filter(({ status }) => status === 'fail').map(({ name }) => name)).toContain('servo 3');
    expect(next).toBe(refused.remedy);
  });

  it('is another one than its number says: nothing is driven by garbage', async () => {
    const rig = kochRig(Object.fromEntries(ofFirmware(53)));
    // It reports 52, but has its indirect data at the address of 53.
    for (const joint of [2, 3, 4, 5]) rig.servos[joint]!.registers.set('firmware', 52);
    await rig.calibrate(new HandGuide(rig));
    await expect((await rig.driver()).open()).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Servo 3 \(elbow_flex\) shows \d+ for \w+ at its indirect data \(208\): its firmware 52 has another control table than is known\.$/,
      ),
    });
  });
});
