import { afterEach, describe, expect, it } from 'vitest';
import type { FeetechServo } from '../../packages/emulate/src/feetech/feetech-servo.ts';
import { HandGuide, type HandRig, handRig } from '../../tests/support/calibrated-by-hand.ts';
import { rigOfTest } from '../../tests/support/rig-of-test.ts';
import { brokenRules, dynamixelFamily, feetechFamily, type ServoFamily, type ServoModel } from '../drivers/serial.ts';
import { createRobotState } from '../rows/index.ts';
import { calibrateArm } from './calibrate/calibrate-arm.ts';
import { checkServoCalibration } from './calibrate/check-calibration.ts';
import { inspectBus } from './doctor/bus-findings.ts';

/** Stored registers without a rule, and the reason. */
const WITHOUT_RULE: Readonly<Record<string, string>> = {
  id: 'it is found by it',
  baud: 'it is found at it',
  returnDelay: 'late, and not otherwise; calibrating sets it',
  positionMin: 'held against the calibration',
  homingOffset: 'held against the calibration',
  torqueMax: 'what it is capped to after a restart; the cap in force is written and read back',
  gainP: 'written at each start where the file has it',
  gainI: 'the same',
  gainD: 'the same',
  ledConditions: 'a light',
  speedGainP: 'of another mode',
  speedGainI: 'of another mode',
  protocolType: 'with another one it does not answer',
  driveMode: 'refused, or cleared at each start',
  operatingMode: 'set at each start',
  movingThreshold: 'of a bit that is not read',
  voltageMax: 'it takes none beyond what it can',
  voltageMin: 'it takes none beyond what it can',
  pwmMax: 'set at each start',
  currentMax: 'set at each start',
  velocityMax: 'of another mode',
  pwmSlope: 'how softly it begins',
  positionMax: 'held against the calibration',
  shutdown: 'set at each start',
};

const rigs: HandRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

const rest = { port: undefined, only: [], firmware: 'ask', ranges: 'file', wallMs: 0 } as const;

/** Calibrated arm at zero. */
async function calibrated(): Promise<HandRig> {
  const rig = handRig();
  rigs.push(rig);
  await calibrateArm({ ...rig, guide: new HandGuide(rig), ...rest });
  rig.body.positionRad.fill(0);
  return rig;
}

const inspect = (rig: HandRig) => inspectBus({ arm: { ...rig.arm, calibration: rig.out }, open: rig.open });

describe('what a servo stores', () => {
  it.each<[string, ServoFamily]>([
    ['feetech', feetechFamily],
    ['dynamixel', dynamixelFamily],
  ])('has a rule, or a reason to have none: %s', (_, family) => {
    for (const model of Object.values(family.models)) {
      const ruled = family.storedRules({ model }).map(({ register }) => register);
      const stored = Object.entries(model.registers).filter(([, { isStored }]) => isStored === true);
      const forgotten = stored.map(([name]) => name).filter((name) => !ruled.includes(name) && !(name in WITHOUT_RULE));
      expect(forgotten, model.name).toEqual([]);
    }
  });

  it.each<[string, ServoFamily, (model: ServoModel) => readonly (readonly [string, number])[]]>([
    [
      'feetech',
      feetechFamily,
      () => [
        ['phase', 12],
        ['statusLevel', 1],
        ['positionMax', 1023],
      ],
    ],
    [
      'dynamixel',
      dynamixelFamily,
      () => [
        ['shadowId', 255],
        ['startupConfiguration', 0],
      ],
    ],
  ])('is right where it is as from the factory, and wanted to be right: %s', (_, family, factory) => {
    for (const model of Object.values(family.models)) {
      const rules = family.storedRules({ model });
      const held = new Map(rules.map(({ register, wanted }) => [register, wanted]));
      for (const [register, value] of factory(model)) held.set(register, value);
      expect(
        brokenRules({ model }, rules, (register) => held.get(register)),
        model.name,
      ).toEqual([]);
    }
  });
});

describe('a Feetech servo with a setting that changes what it reads, does or bears', () => {
  const CASES = [
    ['phase', 28, 18, 'it counts turns'],
    ['phase', 8, 18, 'speed unit is 50 counts/s'],
    ['phase', 4, 18, 'a goal speed of 0 stops it'],
    ['statusLevel', 0, 8, 'acknowledges no writes'],
    ['operatingMode', 1, 33, 'is not in position mode'],
    ['resolution', 3, 30, 'that many times as large'],
    ['positionMax', 0, 11, 'counts turns'],
    ['unloadConditions', 0, 19, 'keeps its torque through overload'],
    ['temperatureMax', 255, 13, 'overheating protection trips too late'],
    ['voltageMax', 255, 14, 'overvoltage protection trips too late'],
    ['voltageMin', 0, 15, 'undervoltage protection trips too late'],
    ['overloadTorque', 0, 36, 'overload protection trips late, or never'],
    ['overloadTorque', 100, 36, 'overload protection trips late, or never'],
    ['startForce', 1000, 24, 'thousandths of its torque'],
    ['protectionTime', 0, 35, 'latches its overload protection at once'],
    ['protectiveTorque', 100, 34, 'more than half of its torque'],
    ['currentMax', 0, 28, 'no protection against overcurrent'],
    ['overcurrentTime', 0, 38, 'any current latches'],
    ['deadZonePositive', 200, 26, 'counts short of its goals'],
  ] as const;

  it('is named by doctor, with register, value and what follows', async () => {
    const rig = await calibrated();
    const { registers } = rig.servos[2]!;
    for (const [register, value, address, follows] of CASES) {
      const right = registers.get(register);
      rig.bus.setRegister(3, register, value);
      const { findings, next } = await inspect(rig);
      const named = findings.find(({ name, detail }) => name === 'servo 3' && detail.includes('(register'));
      expect(named, register).toMatchObject({
        status: 'fail',
        detail: expect.stringContaining(`elbow_flex: ${register} (register ${address}) is ${value}, not `),
        remedy: expect.stringMatching(
          new RegExp(`^rein calibrate --robot so101 --joint elbow_flex, which offers to store ${register} \\d+$`),
        ),
      });
      expect(named!.detail).toContain(follows);
      expect(next).not.toContain('bring-up');
      rig.bus.setRegister(3, register, right);
    }
    expect((await inspect(rig)).next).toBe('rein bring-up --robot so101');
  });

  it.each([12 + 128, 12 + 1])(
    'that turns or counts the other way than when it was calibrated is not driven: %i',
    async (phase) => {
      const rig = await calibrated();
      const ready = (await inspect(rig)).next;
      rig.bus.setRegister(3, 'phase', phase);
      const { findings, next } = await inspect(rig);
      expect(findings.find(({ name }) => name === 'elbow_flex')).toMatchObject({
        status: 'fail',
        detail: expect.stringContaining(
          'turns or counts the other way than when it was calibrated: phase (register 18)',
        ),
        remedy: 'rein calibrate --robot so101 --joint elbow_flex',
      });
      expect(next).not.toContain('bring-up');
      await calibrateArm({ ...rig, guide: new HandGuide(rig), ...rest, only: ['elbow_flex'] });
      rig.body.positionRad.fill(0);
      expect((await inspect(rig)).next).toBe(ready);
    },
  );

  it('is right once it was calibrated', async () => {
    const rig = await calibrated();
    const { registers } = rig.servos[2]!;
    const wrong = new Map<string, number>(CASES.map(([register, value]) => [register, value]));
    const right = [...wrong.keys()].map((register) => registers.get(register));
    for (const [register, value] of wrong) rig.bus.setRegister(3, register, value);
    const guide = new HandGuide(rig);
    await calibrateArm({ ...rig, guide, ...rest, only: ['elbow_flex'] });
    for (const [register, value] of wrong) {
      expect(guide.said.join('\n')).toContain(`servo 3 (elbow_flex): ${register} ${value} → `);
    }
    expect([...wrong.keys()].map((register) => registers.get(register))).toEqual(right);
    rig.body.positionRad.fill(0);
    expect((await inspect(rig)).next).toBe('rein bring-up --robot so101');
  });

  it.each([
    ['phase', 28],
    ['phase', 8],
    ['phase', 4],
    ['statusLevel', 0],
    ['operatingMode', 1],
    ['resolution', 3],
    ['positionMax', 0],
  ])('is not driven where that is motion: %s %i', async (register, value) => {
    const { driver, bus } = rigOfTest({ robot: 'so101', family: feetechFamily });
    bus.setRegister!(3, register, value);
    await expect(driver.open()).rejects.toMatchObject({
      message: expect.stringMatching(
        new RegExp(`^Servo 3 \\(elbow_flex\\) is not driven: its ${register} \\(register \\d+\\) is ${value}, not `),
      ),
      remedy: 'rein calibrate --robot so101 --joint elbow_flex',
    });
  });

  it('that reads beyond a turn counts turns, and its horn has not slipped', async () => {
    const rig = await calibrated();
    rig.servos[2]!.faults.wrapTurns = 1;
    const beyond = expect.stringMatching(
      /reads \d{4}, outside 0 to 4095: it counts turns, as phase \(register 18\) or positionMax \(register 11\) lets it$/,
    );
    const { findings } = await inspect(rig);
    expect(findings.find(({ name }) => name === 'servo 3')).toMatchObject({ status: 'fail', detail: beyond });
    const { arm, out: path, open } = rig;
    const checked = await checkServoCalibration({ arm, port: undefined, path, open });
    expect(checked.find(({ name }) => name === 'elbow_flex')).toMatchObject({ status: 'fail', detail: beyond });
  });
});

describe('an emulated STS3215', () => {
  /** Behaviour of servo 3 of an arm with `registers`; `move`: motion of the joint within half a second, rad. */
  async function moved(registers: Readonly<Record<string, number>>) {
    const { driver, bus, body, line } = rigOfTest({ robot: 'so101', family: feetechFamily });
    await driver.open();
    driver.read(createRobotState(6, 0));
    driver.torque(1);
    const servo = (bus as unknown as { servos: readonly FeetechServo[] }).servos[2]!;
    for (const [name, value] of Object.entries(registers)) bus.setRegister!(3, name, value);
    const before = body.positionRad[2]!;
    servo.registers.set('goalPosition', servo.registers.get('presentPosition') + 300);
    let speed = 0;
    for (let k = 0; k < 50; k++) {
      line.wait(line.clock.nowS() + 0.01);
      speed = Math.max(speed, servo.registers.get('presentSpeed'));
    }
    return { rad: Math.abs(body.positionRad[2]! - before), speed };
  }

  it('obeys its phase: steps of speed, and what a speed of 0 means', async () => {
    const plain = await moved({});
    expect(plain.rad).toBeGreaterThan(0.3);
    const coarse = await moved({ phase: 8 });
    expect(coarse.rad).toBeGreaterThan(0.3);
    expect(coarse.speed).toBeLessThan(plain.speed / 40);
    expect((await moved({ phase: 4 })).rad).toBeLessThan(0.05);
    expect((await moved({ operatingMode: 1 })).rad).toBeLessThan(0.05);
  });
});
