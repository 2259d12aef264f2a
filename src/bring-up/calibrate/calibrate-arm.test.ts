import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { HandGuide, type HandRig, handRig, Interrupted, MOUNTINGS } from '../../../tests/support/calibrated-by-hand.ts';
import { servoOptionsOf } from '../../../tests/support/emulated-servos.ts';
import { readCalibration } from '../../drivers/serial.ts';
import { ServoDriver } from '../../drivers/servo/servo-driver.ts';
import { createRobotState } from '../../rows/index.ts';
import { type CalibrateRequest, calibrateArm } from './calibrate-arm.ts';
import { checkServoCalibration } from './check-calibration.ts';

const rigs: HandRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

function rigOf(options: Parameters<typeof handRig>[0] = {}): HandRig {
  const rig = handRig(options);
  rigs.push(rig);
  return rig;
}

function request(rig: HandRig, guide: HandGuide, more: Partial<CalibrateRequest> = {}): CalibrateRequest {
  const { arm, out, open } = rig;
  return {
    arm,
    port: undefined,
    out,
    only: [],
    firmware: 'ask',
    ranges: 'file',
    guide,
    open,
    wallMs: Date.UTC(2026, 0, 1),
    ...more,
  };
}

describe('an arm calibrated by hand', () => {
  it('opens with its driver, which reads the true angle of each joint within a count', async () => {
    const rig = rigOf();
    const { path, problems } = await calibrateArm(request(rig, new HandGuide(rig)));
    expect(problems).toEqual([]);
    expect(existsSync(`${path}.partial`)).toBe(false);
    const { joints, adapter } = readCalibration(path, 'so101');
    expect(adapter).toBe('EMU0001');
    expect(Object.values(joints).map(({ direction }) => direction)).toEqual(MOUNTINGS.map((each) => each.direction));
    const { driver: _, ...model } = rig.arm.robot;
    const port = await rig.open({ baud: 1_000_000 });
    const driver = new ServoDriver({
      model,
      family: rig.arm.bus.family,
      options: { ...servoOptionsOf(rig.arm.robot), calibration: path },
      openLine: () => port.line,
      adapterAt: () => 'EMU0001',
    });
    await driver.open();
    const trueRad = [0.7, -0.9, 1.1, 0.3, -2, 0.8];
    trueRad.forEach((value, i) => {
      rig.body.positionRad[i] = value;
    });
    const state = createRobotState(6, 0);
    port.line.wait(port.line.clock.nowS() + 0.02);
    driver.read(state);
    for (const [i, value] of trueRad.entries()) expect(Math.abs(state.positionRad[i]! - value)).toBeLessThan(1.6e-3);
    await driver.close();
  });

  it('is told what goes on: where to put it, which way is up, least and greatest', async () => {
    const rig = rigOf();
    const guide = new HandGuide(rig);
    await calibrateArm(request(rig, guide));
    const said = guide.said.join('\n');
    expect(said).toContain("2/6 shoulder_lift (servo 2), sts3215: -100.0° to 100.0° in the robot's file");
    expect(said).toContain('Put it at its zero: the part that it carries points up.');
    expect(said).toContain('Put it at its zero: the part of gripper is on its upper side.');
    expect(said).toContain('Put it at its zero: the jaws are 10° open.');
    expect(said).toContain('turn it clockwise, seen from above: that way its angle rises');
    expect(said).toMatch(
      /shoulder_lift {2}min +-(?:99\.9|100\.0)° \( 312[78]\) {2}now +100\.0° \( {2}852\) {2}max +100\.0°/,
    );
    expect(said).toContain('servo 1 (shoulder_pan): returnDelay 250 → 0, so that it answers at once');
    expect(rig.servos[0]!.registers.get('returnDelay')).toBe(0);
    expect(rig.servos[0]!.registers.get('lock')).toBe(1);
    // Settings that were not requested are unchanged.
    expect(rig.servos[0]!.registers.get('positionMax')).toBe(4095);
    expect(rig.servos[5]!.registers.get('homingOffset')).toBe(-40);
  });

  it('stores nothing without a yes, and ranges only where that was asked for', async () => {
    const rig = rigOf();
    const no = new HandGuide(rig, (question) => (question.startsWith('Write that?') ? 'n' : undefined));
    await calibrateArm(request(rig, no, { ranges: 'servos' }));
    expect(rig.servos[0]!.registers.get('returnDelay')).toBe(250);
    await calibrateArm(request(rig, new HandGuide(rig), { ranges: 'servos', only: ['elbow_flex'] }));
    const { minCounts, maxCounts } = readCalibration(rig.out, 'so101').joints['elbow_flex']!;
    const { registers } = rig.servos[2]!;
    expect([registers.get('positionMin'), registers.get('positionMax')]).toEqual([minCounts, maxCounts]);
  });

  it('has its torque off before anything is asked of it, and asks first', async () => {
    const rig = rigOf();
    for (const { registers } of rig.servos) registers.set('torqueEnable', 1);
    let wasOn: boolean | undefined;
    const guide = new HandGuide(rig, (question) => {
      if (question.startsWith('Torque goes off now')) wasOn = rig.servos.every(({ isTorqueOn }) => isTorqueOn);
      if (question.includes('Put it at')) expect(rig.servos.some(({ isTorqueOn }) => isTorqueOn)).toBe(false);
      return undefined;
    });
    await calibrateArm(request(rig, guide));
    expect(wasOn).toBe(true);
  });

  it('asks again where the joint was not moved, and after a range that was not all of it', async () => {
    const rig = rigOf();
    const first = new Set<string>();
    const guide = new HandGuide(rig, (question, { joint }) => {
      if (joint !== 1) return undefined;
      const kind = ['Put it at', 'its angle rises', 'to one stop', 'up to both stops'].find((each) =>
        question.includes(each),
      );
      if (kind === undefined) return undefined;
      if (kind === 'up to both stops') return 'n';
      if (first.has(kind)) return undefined;
      first.add(kind);
      return '';
    });
    await calibrateArm(request(rig, guide));
    const said = guide.said.join('\n');
    expect(said).toContain('It has moved by 0.0° only: go on to 12.0°.');
    const { minCounts, maxCounts } = readCalibration(rig.out, 'so101').joints['shoulder_lift']!;
    expect(maxCounts - minCounts).toBeGreaterThan(2250);
  });

  it('says what to write where the file allows more than the joint can', async () => {
    const rig = rigOf();
    const guide = new HandGuide(rig, (question, hand) => {
      if (question.includes('to one stop') && hand.joint === 0) hand.moves(-1.5, 1.4);
      return question.includes('to one stop') && hand.joint === 0 ? '' : undefined;
    });
    const { problems } = await calibrateArm(request(rig, guide));
    expect(problems).toEqual([
      "shoulder_pan: the robot's file allows -110.0° to 110.0°, and the arm went from -86.0° to 80.2°: write positionMinRad: -1.5 and positionMaxRad: 1.4. Write these numbers into the robot's file: beyond them the arm pushes against its stops.",
    ]);
  });

  it.each(['y', 'n'])(
    'names a zero that was held elsewhere, and measures the joint again where it may: %s',
    async (again) => {
      const rig = rigOf();
      let held = 0;
      const guide = new HandGuide(rig, (question, hand) => {
        if (hand.joint !== 1) return undefined;
        if (question.includes('Calibrate this joint again')) return again;
        if (!question.includes('Put it at') || held++ > 0) return undefined;
        hand.moves(0.35);
        return '';
      });
      const { problems } = await calibrateArm(request(rig, guide));
      const said =
        "shoulder_lift: the robot's file allows -100.0° to 100.0°, and the arm went from -120.1° to 80.0°: its zero is probably off by 20.0°";
      expect(guide.said.filter((line) => line.includes('probably'))).toEqual([`  ${said}`]);
      expect(guide.said.join('\n')).not.toContain('write position');
      if (again === 'y') {
        expect(problems).toEqual([]);
        expect(Math.abs(readCalibration(rig.out, 'so101').joints['shoulder_lift']!.zeroCounts - 1990)).toBeLessThan(2);
        return;
      }
      const remedy =
        "Calibrate this joint again, held at its zero pose. If that gives the same, its stops are not those of the file: write positionMaxRad: 1.39 into the robot's file then. First: rein calibrate --robot so101 --joint shoulder_lift";
      expect(problems).toEqual([`${said}. ${remedy}`]);
      rig.body.positionRad.fill(0);
      const check = async (positionMaxRad: number) => {
        const joints = rig.arm.robot.joints.map((joint, i) => (i === 1 ? { ...joint, positionMaxRad } : joint));
        const arm = { ...rig.arm, robot: { ...rig.arm.robot, joints } };
        const found = await checkServoCalibration({ arm, port: undefined, path: rig.out, open: rig.open });
        return found.filter(({ status }) => status !== 'ok');
      };
      expect(await check(1.74533)).toEqual([{ name: 'shoulder_lift', status: 'fail', detail: said, remedy }]);
      // With a limit written for it, a doubt remains.
      expect(await check(1.39)).toMatchObject([
        { status: 'warn', detail: expect.stringMatching(/its zero is off by 20\.\d°$/) },
      ]);
    },
  );

  it('with other stops than the file is told so where the same is measured twice, and then which limit to write', async () => {
    const rig = rigOf();
    let asked = 0;
    const guide = new HandGuide(rig, (question, hand) => {
      if (hand.joint !== 1) return undefined;
      if (question.includes('Calibrate this joint again')) {
        asked++;
        return '';
      }
      if (!question.includes('to one stop')) return undefined;
      hand.moves(-2.05, 1.5);
      return '';
    });
    const { problems } = await calibrateArm(request(rig, guide));
    expect(asked).toBe(2);
    const told = guide.said.filter((line) => line.includes('The same as before'));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/its stops are not those of the file. Then write positionMaxRad: 1\.(5|49) into/);
    expect(problems).toEqual([expect.stringMatching(/If that gives the same, .*write positionMaxRad: 1\.(5|49) into/)]);
  });

  it('whose reading jumps within its range gets another middle, after a yes', async () => {
    const mountings = MOUNTINGS.map((each, i) => (i === 2 ? { ...each, zeroCounts: 3900 } : each));
    const rig = rigOf({ mountings });
    const guide = new HandGuide(rig);
    await calibrateArm(request(rig, guide));
    expect(guide.said.join('\n')).toContain('Its reading jumps from 4095 to 0 within its range');
    const { zeroCounts, homingOffsetCounts, minCounts, maxCounts } = readCalibration(rig.out, 'so101').joints[
      'elbow_flex'
    ]!;
    expect(homingOffsetCounts).not.toBe(0);
    expect(rig.servos[2]!.registers.get('homingOffset')).toBe(homingOffsetCounts);
    expect(Math.abs(zeroCounts + homingOffsetCounts - 3900)).toBeLessThanOrEqual(1);
    expect(minCounts).toBeGreaterThan(900);
    expect(maxCounts).toBeLessThan(3200);
  });

  it('or is refused with how to mount its horn', async () => {
    const mountings = MOUNTINGS.map((each, i) => (i === 2 ? { ...each, zeroCounts: 3900 } : each));
    const rig = rigOf({ mountings });
    const guide = new HandGuide(rig, (question) => (question.includes("Set the servo's middle") ? 'n' : undefined));
    await expect(calibrateArm(request(rig, guide))).rejects.toMatchObject({
      message: "The range of elbow_flex crosses the end of its servo's readings.",
      remedy: expect.stringContaining('Mount its horn so that the middle of its range reads about 2048'),
    });
    expect(rig.servos[2]!.registers.get('homingOffset')).toBe(0);
    // The joints before it are kept.
    expect(Object.keys(readCalibration(`${rig.out}.partial`, 'so101').joints)).toEqual([
      'shoulder_pan',
      'shoulder_lift',
    ]);
  });
});

describe('a calibration that was interrupted', () => {
  it('goes on behind the joints that were done', async () => {
    const rig = rigOf();
    const stopped = new HandGuide(rig, (question, { joint }) => {
      if (joint === 3 && question.includes('Put it at')) throw new Interrupted();
      return undefined;
    });
    await expect(calibrateArm(request(rig, stopped))).rejects.toThrow(Interrupted);
    const guide = new HandGuide(rig);
    await calibrateArm(request(rig, guide));
    const said = guide.said.join('\n');
    expect(said).toContain('Begun before: shoulder_pan, shoulder_lift, elbow_flex are done.');
    expect(said).not.toContain('1/6 shoulder_pan');
    expect(said).toContain('4/6 wrist_flex');
    expect(Object.keys(readCalibration(rig.out, 'so101').joints)).toHaveLength(6);
  });

  it('begins anew where what it left is damaged, or of another adapter', async () => {
    const cut = ({ out }: HandRig): void => writeFileSync(`${out}.partial`, '{ "kind": ');
    for (const spoil of [cut, () => undefined]) {
      const rig = rigOf();
      const stopped = new HandGuide(rig, (question, { joint }) => {
        if (joint === 1 && question.includes('Put it at')) throw new Interrupted();
        return undefined;
      });
      await expect(calibrateArm(request(rig, stopped))).rejects.toThrow(Interrupted);
      spoil(rig);
      const other = rigOf({ adapter: 'EMU0002' });
      const guide = new HandGuide(other);
      await calibrateArm(request(other, guide, { out: rig.out }));
      expect(guide.said.join('\n')).toContain('1/6 shoulder_pan');
    }
  });

  it('never leaves half a file', async () => {
    const rig = rigOf();
    writeFileSync(rig.out, 'old');
    const guide = new HandGuide(rig, () => {
      expect(readFileSync(rig.out, 'utf8')).toBe('old');
      return undefined;
    });
    await calibrateArm(request(rig, guide));
    expect(readCalibration(rig.out, 'so101').robot).toBe('so101');
  });
});

describe('a calibration is refused in one sentence with its remedy', () => {
  const refused = async (rig: HandRig, more: Partial<CalibrateRequest> = {}, guide = new HandGuide(rig)) => {
    const error = await calibrateArm(request(rig, guide, more)).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    // The operator was not asked to let go of anything.
    expect(guide.said.join('\n')).not.toContain('Torque goes off now');
    return error;
  };

  it('at a wrong speed, with the one that is right', async () => {
    const rig = rigOf({ busBaud: 500_000 });
    expect(await refused(rig)).toMatchObject({
      message: 'No servo answers at 1000000 bit/s; at 500000 bit/s 1, 2, 3, 4, 5, 6 do.',
      remedy: "Write baud: 500000 under driver in the robot's file.",
    });
  });

  it('where nobody answers at any speed', async () => {
    const rig = rigOf({ mountings: [] });
    expect(await refused(rig)).toMatchObject({
      message: 'No servo answers, at any speed of feetech.',
      remedy: expect.stringContaining('power'),
    });
    expect(new Set(rig.opened).size).toBe(8);
  });

  it('with a servo that is missing, and one that no joint has', async () => {
    const rig = rigOf({ mountings: MOUNTINGS.map((each, i) => (i === 4 ? { ...each, id: 9 } : each)) });
    expect(await refused(rig)).toMatchObject({ message: 'Servo 5 (wrist_roll) does not answer.' });
  });

  it('with two servos of one id', async () => {
    const [first] = rigOf().servos;
    const twin = { ...first!.spec, id: 3, joint: undefined, signal: 'none', zeroCounts: 777 };
    const rig = rigOf({ more: [twin] });
    expect(await refused(rig)).toMatchObject({
      message: expect.stringMatching(/^More than one servo has the id 3: their answers collide \([2-8] of 8\)\.$/),
      remedy:
        "Unplug all but one of them, give that one an id of its own with its maker's program, then: rein doctor --robot so101",
    });
  });

  it('with firmware that nobody knows, unless it is taken as it is', async () => {
    const mountings = MOUNTINGS.map((each, i) => (i === 1 ? { ...each, registers: { firmwareMajor: 9 } } : each));
    const rig = rigOf({ mountings });
    const guide = new HandGuide(rig, (question) => (question === 'Take it as it is? [y/N]' ? '' : undefined));
    expect(await refused(rig, {}, guide)).toMatchObject({
      message: 'The servo 2 (shoulder_lift) has firmware 9.10, and its table is known for 3.',
      remedy: expect.stringContaining('rein calibrate --robot so101 --accept-firmware'),
    });
    await calibrateArm(request(rig, new HandGuide(rig), { firmware: 'accept' }));
    expect(readCalibration(rig.out, 'so101').joints['shoulder_lift']!.firmware).toBe('9.10');
  });

  it('for a joint that the robot has not, and for one joint where the others never were', async () => {
    const rig = rigOf();
    expect(await refused(rig, { only: ['hip'] })).toMatchObject({ message: 'so101 has no joint hip.' });
    expect(await refused(rig, { only: ['gripper'] })).toMatchObject({
      message: expect.stringContaining('shoulder_pan was never calibrated on this arm'),
    });
  });

  it('once a servo falls silent, with what to do', async () => {
    const rig = rigOf();
    const guide = new HandGuide(rig, (question, { joint }) => {
      if (joint === 2 && question.includes('its angle rises')) rig.servos[2]!.faults.isDead = true;
      return undefined;
    });
    await expect(calibrateArm(request(rig, guide))).rejects.toMatchObject({
      message: 'Servo 3 (elbow_flex) does not answer any more.',
    });
  });
});
