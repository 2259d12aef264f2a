import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { HandGuide, type HandRig, handRig, MOUNTINGS } from '../../../tests/support/calibrated-by-hand.ts';
import { tried } from '../../../tests/support/cases.ts';
import { rigOfTest } from '../../../tests/support/rig-of-test.ts';
import { countsProblem, feetechFamily, type JointCalibration } from '../../drivers/serial.ts';
import { reachProblem } from '../../drivers/servo/readable.ts';
import { calibrateArm } from './calibrate-arm.ts';
import { positionOf } from './joint-range.ts';
import { calibrationOf, type LeRobotJoint, lerobotProblem, readLeRobotFile } from './lerobot.ts';

const rigs: HandRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

function rigOf(options: Parameters<typeof handRig>[0] = {}): HandRig {
  const rig = handRig(options);
  rigs.push(rig);
  return rig;
}

/** As in `readable.ts`: distance that hands leave at a stop. */
const SLACK_RAD = 0.03;
const known = { modelNumber: 777, firmware: '3.10' };

describe('what a file says of a joint', () => {
  const counts = fc.oneof(fc.integer({ min: -100, max: 4200 }), fc.integer({ min: -32_768, max: 32_767 }));
  const anyFile = fc.record({
    i: fc.integer({ min: 0, max: 5 }),
    direction: fc.constantFrom<1 | -1>(1, -1),
    minCounts: counts,
    maxCounts: counts,
    zeroCounts: counts,
    homingOffsetCounts: fc.integer({ min: -3000, max: 3000 }),
  });

  it('is taken only where every angle that the robot may be at has a reading of one turn', () => {
    const { arm } = rigOf();
    let taken = 0;
    fc.assert(
      fc.property(anyFile, ({ i, ...joint }) => {
        const [motor, model] = [arm.motors[i]!, arm.robot.joints[i]!];
        const calibration: JointCalibration = { id: motor.id, model: motor.model.name, ...known, ...joint };
        const wrong =
          countsProblem(feetechFamily, motor, joint) ?? reachProblem(feetechFamily, motor, model, calibration);
        if (wrong !== undefined) {
          expect(wrong).toMatch(/\d.* \(fault 34\)$/);
          return;
        }
        taken++;
        for (const reading of [joint.minCounts, joint.maxCounts]) {
          expect(reading).toBeGreaterThanOrEqual(0);
          expect(reading).toBeLessThanOrEqual(4095);
        }
        const turn = [0, 4095].map((reading) => positionOf(motor, calibration, reading)).sort((a, b) => a - b);
        expect(model.positionMinRad).toBeGreaterThanOrEqual(turn[0]! - SLACK_RAD - 1e-9);
        expect(model.positionMaxRad).toBeLessThanOrEqual(turn[1]! + SLACK_RAD + 1e-9);
      }),
      { numRuns: 3000, seed: 29 },
    );
    expect(taken).toBeGreaterThan(tried(20));
  });

  it("is taken from LeRobot only where it is a sweep of that joint, whose middle is near the file's", () => {
    const { arm } = rigOf();
    let taken = 0;
    fc.assert(
      fc.property(anyFile, ({ i, direction, minCounts, maxCounts, homingOffsetCounts }) => {
        const [motor, model] = [arm.motors[i]!, arm.robot.joints[i]!];
        const from = { id: motor.id, homingOffset: homingOffsetCounts, rangeMin: minCounts, rangeMax: maxCounts };
        if (lerobotProblem(feetechFamily, model, motor, from) !== undefined) return;
        taken++;
        const joint = calibrationOf(feetechFamily, model, motor, from, { direction, ...known });
        expect(countsProblem(feetechFamily, motor, joint)).toBeUndefined();
        const ends = [joint.minCounts, joint.maxCounts].map((reading) => positionOf(motor, joint, reading));
        const own = model.positionMaxRad - model.positionMinRad;
        expect(Math.abs(ends[0]! - ends[1]!)).toBeLessThanOrEqual(1.25 * own + 1e-9);
      }),
      { numRuns: 3000, seed: 29 },
    );
    expect(taken).toBeGreaterThan(tried(20));
  });
});

describe('a calibration of LeRobot whose numbers no servo says', () => {
  const BASE: Readonly<Record<string, readonly [number, number, number]>> = {
    shoulder_pan: [-1463, 742, 3417],
    shoulder_lift: [-1657, 831, 3347],
    elbow_flex: [1129, 799, 3003],
    wrist_flex: [-2033, 904, 3271],
    wrist_roll: [-1884, 0, 4095],
    gripper: [1012, 2021, 3487],
  };

  function fileOf(rig: HandRig, change: typeof BASE = {}, head = ''): string {
    const joints = rig.arm.motors.map(({ name, id }) => {
      const [homing_offset, range_min, range_max] = (change[name] ?? BASE[name])!;
      return [name, { id, drive_mode: 0, homing_offset, range_min, range_max }];
    });
    const path = join(rig.folder, 'lerobot.json');
    writeFileSync(path, `${head}${JSON.stringify(Object.fromEntries(joints))}`);
    return path;
  }

  it.each<[string, typeof BASE, string]>([
    [
      'a sign taken for a value',
      { shoulder_pan: [-1463, 947, 30_671] },
      'servo 1 (shoulder_pan) was calibrated from 947 to 30671, and reads 0 to 4095 in its turn: turns were counted',
    ],
    ['more than a turn', { wrist_flex: [-2033, 2047, 4367] }, 'servo 4 (wrist_flex) was calibrated from 2047 to 4367'],
    ['below 0', { wrist_flex: [-2033, -212, 2080] }, 'servo 4 (wrist_flex) was calibrated from -212 to 2080'],
    [
      'a whole turn of a joint that has stops',
      { elbow_flex: [1129, 0, 4095] },
      'servo 3 (elbow_flex) went from 0 to 4095, 1.9 times',
    ],
    ['a broken sweep', { elbow_flex: [1129, 300, 3100] }, 'servo 3 (elbow_flex) went from 300 to 3100, 1.3 times'],
    [
      'an offset that its register does not hold',
      { wrist_roll: [2048, 0, 4095] },
      'servo 5 (wrist_roll) stores the offset 2048, and ignores what is beyond ±2047',
    ],
    ['no motion', { gripper: [1012, 2048, 2048] }, 'says that gripper went from 2048 to 2048: it was not moved'],
  ])('is refused before anything moves or is written: %s', async (_, change, message) => {
    const offsets = Object.values(BASE).map(([homingOffset]) => homingOffset);
    const mountings = MOUNTINGS.map((each, i) => ({ ...each, registers: { homingOffset: offsets[i]! } }));
    const rig = rigOf({ mountings });
    const from = fileOf(rig, change);
    const guide = new HandGuide(rig);
    const rest = { port: undefined, only: [], firmware: 'ask', ranges: 'servos', wallMs: 0 } as const;
    await expect(calibrateArm({ ...rig, guide, from, ...rest })).rejects.toThrow(message);
    expect(guide.said.join('\n')).not.toContain('Torque goes off');
    expect(rig.servos.map(({ registers }) => registers.get('positionMax'))).toEqual(Array(6).fill(4095));
  });

  it('is read with a byte order mark, as some editors save it', () => {
    const rig = rigOf();
    const found = readLeRobotFile(fileOf(rig, {}, '\ufeff'), rig.arm.motors);
    expect(found['gripper']).toEqual<LeRobotJoint>({ id: 6, homingOffset: 1012, rangeMin: 2021, rangeMax: 3487 });
  });
});

describe('a driver with a calibration that was written by others', () => {
  it.each([
    [{ minCounts: -212 }, 'was calibrated from -212 to 4095, and reads 0 to 4095 in its turn'],
    [{ maxCounts: 30_671 }, 'was calibrated from 0 to 30671, and reads 0 to 4095 in its turn'],
    [{ minCounts: 2048, maxCounts: 2048 }, 'was calibrated from 2048 to 2048, which is no range'],
    [{ zeroCounts: 3500 }, "has its zero at 3500: -1.69 to 1.69, which the robot's file allows, is 2398 to 4602"],
  ])('is not opened: %o', async (change, message) => {
    const { driver } = rigOfTest({
      robot: 'so101',
      family: feetechFamily,
      calibrate: (all) => {
        const elbow_flex = { ...all.joints['elbow_flex']!, ...change };
        return { ...all, joints: { ...all.joints, elbow_flex } };
      },
    });
    await expect(driver.open()).rejects.toMatchObject({
      message: expect.stringContaining(`Servo 3 (elbow_flex) ${message}`),
      remedy: expect.stringContaining('rein calibrate --robot so101'),
    });
  });

  it('is not opened with a signal whose zero its encoder never reads', async () => {
    const signals = [{ name: 'pegXM', id: 9, model: 'sts3215', zeroCounts: 40_000, perCount: 1e-5 }];
    const { driver } = rigOfTest({
      robot: 'so101',
      family: feetechFamily,
      options: { signals },
      signalNames: ['pegXM'],
    });
    await expect(driver.open()).rejects.toThrow(
      'driver.signals of pegXM has zeroCounts 40000, and sts3215 reads -32767 to 32767.',
    );
  });
});
