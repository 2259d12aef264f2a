import { describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../config/index.ts';
import { countsPerUnit, type JointCalibration } from '../../drivers/serial.ts';
import { requireServoArm } from '../families.ts';
import { type RangeProblem, rangeProblem, rangeRemedy } from './joint-range.ts';

/** Problems of `name` with either mounting of its servo, for a measured range of `least` to `most`, rad. */
function saidOf(robot: string, name: string, least: number, most: number, file: object = {}): (string | undefined)[] {
  return problemsOf(robot, name, least, most, file).map((problem) =>
    problem === undefined
      ? undefined
      : `${problem.kind} ${problem.message.replace(/^.* to -?[\d.]+(?:°| mm)(?=[:,])/, '')}`,
  );
}

/** Results of `rangeProblem` for either mounting of the servo; `least` and `most` in rad or m. */
function problemsOf(
  robot: string,
  name: string,
  least: number,
  most: number,
  file: object = {},
): (RangeProblem | undefined)[] {
  const arm = requireServoArm(loadRobotFile(robot).robot, 'calibrate');
  const i = arm.motors.findIndex((motor) => motor.name === name);
  const motor = arm.motors[i]!;
  return ([1, -1] as const).map((direction) => {
    const ends = [least, most]
      .map((value) => 2048 + Math.round(direction * value * countsPerUnit(motor)))
      .sort((a, b) => a - b);
    const calibration: JointCalibration = {
      id: motor.id,
      model: motor.model.name,
      modelNumber: 777,
      firmware: '3.10',
      direction,
      zeroCounts: 2048,
      homingOffsetCounts: 0,
      minCounts: ends[0]!,
      maxCounts: ends[1]!,
    };
    return rangeProblem({ ...arm.robot.joints[i]!, ...file }, motor, calibration);
  });
}

/** Equal for either mounting of its servo. */
const both = (said: unknown): unknown[] => [said, said];

describe("a calibrated range beside the file's", () => {
  it.each([
    ['so101', 'shoulder_lift', -2.095, 1.395],
    ['so101', 'shoulder_lift', -1.395, 2.095],
    ['koch', 'shoulder_lift', -1.92, 0.25],
    ['koch', 'elbow_flex', -1.22, 1.8],
  ])('as wide and shifted is a zero that is off, never another limit: %s %s', (robot, name, least, most) => {
    expect(saidOf(robot, name, least, most)).toEqual(
      both(expect.stringMatching(/^zero : its zero is probably off by (19|20)\.\d°$/)),
    );
  });

  it('of a gripper, too', () => {
    expect(saidOf('so101', 'gripper', -0.675, 1.245)).toEqual(
      both(expect.stringMatching(/^zero : its zero is probably off by 28\.\d°$/)),
    );
  });

  it('the other way round is a direction that was mistaken', () => {
    const said = 'direction , with the sign reversed: the direction in which its angle rises was probably mistaken';
    expect(saidOf('so101', 'gripper', -1.745, 0.175)).toEqual(both(said));
    expect(saidOf('koch', 'shoulder_lift', -0.6, 1.57)).toEqual(both(said));
    // Limits that fit it would mirror floor and walls.
    for (const problem of problemsOf('so101', 'gripper', -1.745, 0.175)) {
      expect(rangeRemedy(problem!, 'a.yaml')).not.toMatch(/write|position/);
    }
  });

  it('narrower at one end, at both, or a few degrees beside, gives other limits', () => {
    expect(saidOf('so101', 'shoulder_lift', -1.745, 1.4)).toEqual(
      both(expect.stringMatching(/^limit : write positionMaxRad: 1\.(39|4)$/)),
    );
    expect(saidOf('so101', 'shoulder_lift', -1.5, 1.4)).toEqual(
      both(expect.stringMatching(/^limit : write positionMinRad: -1\.(5|49) and positionMaxRad: 1\.(39|4)$/)),
    );
    // A zero held by eye is not exact to a degree, and stops of arms of one make differ by as much.
    expect(saidOf('so101', 'shoulder_lift', -1.825, 1.665)).toEqual(
      both(expect.stringMatching(/^limit : write positionMaxRad: 1\.6[56]$/)),
    );
    expect(saidOf('so101', 'shoulder_lift', -1.76, 1.73)).toEqual(both(undefined));
  });

  it('wider at one end only leaves a doubt, which a limit that was written for a wrong zero is, too', () => {
    expect(saidOf('so101', 'shoulder_lift', -2.095, 1.395, { positionMaxRad: 1.39 })).toEqual(
      both(expect.stringMatching(/^doubt : unless the file is narrower on purpose, its zero is off by 20\.\d°$/)),
    );
    expect(saidOf('so101', 'shoulder_lift', -2.095, 2.095)).toEqual(both(undefined));
  });

  it('shifted far at one end hides behind no limit of the other, which lacks less', () => {
    expect(saidOf('so101', 'shoulder_lift', -1.945, 1.685)).toEqual(
      both(expect.stringMatching(/^zero : its zero is probably off by 3\.[3-6]°$/)),
    );
  });

  it('of a zero that was right ends with the limit of the end that is short, and then in a doubt', () => {
    const file = { positionMinRad: -1, positionMaxRad: 1 };
    for (const problem of problemsOf('so101', 'shoulder_lift', -1.3, 0.85, file)) {
      expect(problem).toMatchObject({ kind: 'zero' });
      expect(rangeRemedy(problem!, 'a.yaml')).toMatch(
        /^Calibrate .* If that gives the same, .*write positionMaxRad: 0\.8[45] into .* --joint shoulder_lift$/,
      );
    }
    expect(saidOf('so101', 'shoulder_lift', -1.3, 0.85, { ...file, positionMaxRad: 0.84 })).toEqual(
      both(expect.stringMatching(/^doubt /)),
    );
  });

  it('of a joint that slides is judged in millimetres', () => {
    expect(saidOf('viperx', 'gripper', 0.027, 0.063)).toEqual(
      both(expect.stringMatching(/^zero : its zero is probably off by [56]\.\d mm$/)),
    );
    expect(saidOf('viperx', 'gripper', 0.021, 0.054)).toEqual(
      both(expect.stringMatching(/^limit : write positionMaxRad: 0\.05(4|39)$/)),
    );
    expect(saidOf('viperx', 'gripper', 0.022, 0.0565)).toEqual(both(undefined));
  });

  it('says nothing of the zero of a joint without stops, whose range ends where the hand did', () => {
    expect(saidOf('viperx', 'waist', -2.9, 3.3)).toEqual(both(expect.stringMatching(/^limit /)));
    expect(saidOf('koch', 'wrist_roll', -3.14, 3.5)).toEqual(both(undefined));
  });
});
