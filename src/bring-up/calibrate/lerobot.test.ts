import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HandGuide, type HandRig, handRig, MOUNTINGS } from '../../../tests/support/calibrated-by-hand.ts';
import { readCalibration } from '../../drivers/serial.ts';
import { calibrateArm } from './calibrate-arm.ts';
import { checkServoCalibration } from './check-calibration.ts';
import { positionOf } from './joint-range.ts';

const rigs: HandRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

/** File of LeRobot for a calibrated arm: half a turn in the middle pose, the stops, and the whole turn of wrist_roll. */
function lerobotArm(): { rig: HandRig; file: Record<string, Record<string, number>>; path: string } {
  // As set_half_turn_homings leaves it: the reading is 2047 where the joint is in the middle of its range.
  const middleRad = [0, 0, 0, 0, 0, 0.7854];
  const mountings = MOUNTINGS.map(({ direction }, i) => {
    const offset = [120, -310, 15, 700, -55, 233][i]!;
    const perRad = 4096 / (2 * Math.PI);
    return {
      direction,
      zeroCounts: 2047 + offset - direction * middleRad[i]! * perRad,
      registers: { homingOffset: offset },
    };
  });
  const rig = handRig({ mountings });
  rigs.push(rig);
  const file = Object.fromEntries(
    rig.arm.robot.joints.map(({ name, positionMinRad, positionMaxRad }, i) => {
      const half = ((positionMaxRad - positionMinRad) / 2) * (4096 / (2 * Math.PI));
      const range =
        name === 'wrist_roll'
          ? { range_min: 0, range_max: 4095 }
          : { range_min: Math.round(2047 - half), range_max: Math.round(2047 + half) };
      return [name, { id: i + 1, drive_mode: 0, homing_offset: mountings[i]!.registers.homingOffset, ...range }];
    }),
  );
  return { rig, file, path: join(rig.folder, 'my_arm.json') };
}

async function imported(rig: HandRig, path: string, guide: HandGuide): Promise<void> {
  const { arm, out, open } = rig;
  await calibrateArm({
    arm,
    port: undefined,
    out,
    only: [],
    from: path,
    firmware: 'ask',
    ranges: 'file',
    guide,
    open,
    wallMs: 0,
  });
}

describe('a calibration of LeRobot', () => {
  it('becomes one of ours once the directions were asked, and reads the true angles', async () => {
    const { rig, file, path } = lerobotArm();
    writeFileSync(path, JSON.stringify(file));
    const guide = new HandGuide(rig, (question, hand) => {
      if (question.includes('its angle rises')) hand.moves(rig.body.positionRad[hand.joint]! + 0.4);
      return undefined;
    });
    await imported(rig, path, guide);
    const { joints } = readCalibration(rig.out, 'so101');
    expect(guide.said.join('\n')).not.toContain('to one stop');
    for (const [i, motor] of rig.arm.motors.entries()) {
      const joint = joints[motor.name]!;
      expect(joint.direction).toBe(MOUNTINGS[i]!.direction);
      const reading = rig.servos[i]!.registers.get('presentPosition');
      const trueRad = rig.body.positionRad[i]!;
      // wrist_roll has no range with a middle; its pose of calibration is taken for the middle of the file's, 2.8° off.
      const slack = motor.name === 'wrist_roll' ? 0.06 : 0.003;
      expect(Math.abs(positionOf(motor, joint, reading) - trueRad), motor.name).toBeLessThan(slack);
    }
  });

  it('is told by how much a zero is off where only one end of a range was not swept', async () => {
    const { rig, file, path } = lerobotArm();
    file['elbow_flex']!['range_max']! -= 300;
    writeFileSync(path, JSON.stringify(file));
    const guide = new HandGuide(rig);
    await imported(rig, path, guide);
    expect(guide.said.filter((line) => line.includes('narrower'))).toEqual([
      "  LeRobot's range is 26.3° narrower than the file's: if it ended early at one stop only, the zero is 13.2° off.",
    ]);
  });

  it('tells the direction of a joint that rests at its stop by its way back to it', async () => {
    const { rig, file, path } = lerobotArm();
    writeFileSync(path, JSON.stringify(file));
    const stops = rig.arm.robot.joints.map(({ positionMaxRad }) => positionMaxRad);
    rig.body.positionRad.set(stops);
    const guide = new HandGuide(rig, (question, hand) => {
      if (!question.includes('its angle rises')) return undefined;
      hand.moves(stops[hand.joint]! - 0.5, stops[hand.joint]!);
      return '';
    });
    await imported(rig, path, guide);
    const { joints } = readCalibration(rig.out, 'so101');
    expect(rig.arm.motors.map(({ name }) => joints[name]!.direction)).toEqual(
      MOUNTINGS.map(({ direction }) => direction),
    );
  });

  it('is refused where the servos store other offsets than it says', async () => {
    const { rig, file, path } = lerobotArm();
    file['elbow_flex']!['homing_offset'] = 16;
    writeFileSync(path, JSON.stringify(file));
    await expect(imported(rig, path, new HandGuide(rig))).rejects.toMatchObject({
      message: `Servo 3 (elbow_flex) stores the offset 15, and ${path} says 16.`,
      remedy: expect.stringContaining('file of another arm'),
    });
  });

  it.each([
    ['{', 'is not a calibration file of LeRobot'],
    ['{"homing_offset": [1], "motor_names": ["a"]}', 'is of an old LeRobot'],
    ['{"shoulder_pan": {"id": 1}}', 'has no id, drive_mode, homing_offset, range_min, range_max of shoulder_pan'],
    ['{"hip": {}}', 'has no shoulder_pan'],
    ['{"shoulder_pan": {"id":2,"drive_mode":0,"homing_offset":0,"range_min":1,"range_max":9}}', 'is servo 2'],
    ['{"shoulder_pan": {"id":1,"drive_mode":1,"homing_offset":0,"range_min":1,"range_max":9}}', 'drive_mode'],
  ])('that is none is refused in one sentence: %s', async (text, message) => {
    const { rig, path } = lerobotArm();
    writeFileSync(path, text);
    await expect(imported(rig, path, new HandGuide(rig))).rejects.toThrow(message);
  });
});

describe('rein calibrate --check', () => {
  const check = ({ arm, out, open }: HandRig) => checkServoCalibration({ arm, port: undefined, path: out, open });
  const calibrated = async (): Promise<HandRig> => {
    const { rig, file, path } = lerobotArm();
    writeFileSync(path, JSON.stringify(file));
    await imported(rig, path, new HandGuide(rig));
    rig.body.positionRad.fill(0);
    return rig;
  };
  const failed = async (rig: HandRig) => (await check(rig)).filter(({ status }) => status === 'fail');

  it('finds nothing where file, servos and robot agree', async () => {
    const rig = await calibrated();
    const findings = await check(rig);
    expect(findings.map(({ status }) => status)).toEqual(Array(7).fill('ok'));
    expect(findings[0]!.detail).toContain('adapter EMU0001');
  });

  it('sees an offset that was changed, a horn that slipped, and other firmware', async () => {
    const rig = await calibrated();
    rig.servos[1]!.registers.set('homingOffset', 5);
    expect(await failed(rig)).toMatchObject([
      { name: 'shoulder_lift', detail: expect.stringContaining('its calibrated zero is wrong') },
    ]);
    rig.servos[1]!.registers.set('homingOffset', -310);
    rig.servos[3]!.faults.shiftRad = 2;
    rig.clock.passTo(rig.clock.nowS() + 0.1);
    expect(await failed(rig)).toMatchObject([
      { name: 'wrist_flex', detail: expect.stringContaining('its horn has slipped') },
    ]);
    rig.servos[3]!.faults.shiftRad = 0;
    rig.servos[0]!.registers.set('firmwareMinor', 9);
    expect(await failed(rig)).toMatchObject([
      { name: 'shoulder_pan', detail: expect.stringContaining('firmware 3.9; it was') },
    ]);
  });

  it('says that a newer calibration was begun and not ended', async () => {
    const rig = await calibrated();
    writeFileSync(`${rig.out}.partial`, '{}');
    expect((await check(rig)).filter(({ status }) => status !== 'ok')).toEqual([
      {
        name: 'calibration',
        status: 'warn',
        detail: 'a newer one was begun and not ended: the one of before is in force',
        remedy: `to go on with it: rein calibrate --robot so101; to drop it: rm ${rig.out}.partial`,
      },
    ]);
  });

  it('sees a servo that itself stops short of its range', async () => {
    const rig = await calibrated();
    rig.servos[2]!.registers.set('positionMin', 1800);
    const failed = (await check(rig)).filter(({ status }) => status === 'fail');
    expect(failed).toMatchObject([{ name: 'elbow_flex', remedy: expect.stringContaining('--store-ranges') }]);
  });

  it("sees a gripper's servo that takes a firm hold for an overload, as LeRobot leaves it, and calibrating mends that", async () => {
    const rig = await calibrated();
    const { registers } = rig.servos[5]!;
    registers.set('overloadTorque', 25);
    expect((await check(rig)).filter(({ status }) => status === 'warn')).toEqual([
      {
        name: 'gripper',
        status: 'warn',
        detail: 'its servo takes 25 % for an overload, and may press with 40 %: a firm hold latches it (fault 13)',
        remedy:
          'rein calibrate --robot so101 --joint gripper, which offers to store 80 %; or write torqueRatio below 0.25 for it',
      },
    ]);
    const { arm, out, open } = rig;
    const rest = { port: undefined, firmware: 'ask', ranges: 'file', wallMs: 0 } as const;
    const guide = new HandGuide(rig);
    await calibrateArm({ arm, out, open, guide, only: ['gripper'], ...rest });
    expect(guide.said.join('\n')).toContain('overloadTorque 25 → 80, so that it may hold on with its cap of 40 %');
    expect(registers.get('overloadTorque')).toBe(80);
    expect((await check(rig)).filter(({ status }) => status === 'warn')).toEqual([]);
  });

  it('sees a file of another adapter, one that was changed, and none', async () => {
    const rig = await calibrated();
    const other = await checkServoCalibration({
      arm: rig.arm,
      port: undefined,
      path: rig.out,
      open: async (settings) => ({ ...(await rig.open(settings)), adapter: 'EMU0002' }),
    });
    expect(other[0]).toMatchObject({ status: 'fail', detail: expect.stringContaining('bound to the adapter EMU0001') });
    writeFileSync(rig.out, '{}');
    expect(await failed(rig)).toMatchObject([{ name: 'calibration', detail: expect.stringContaining('damaged') }]);
    rig.remove();
    expect(await failed(rig)).toMatchObject([{ name: 'calibration', detail: expect.stringContaining('There is no') }]);
  });
});
