import { describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../config/index.ts';
import type { JointCalibration } from '../../drivers/serial.ts';
import { requireServoArm } from '../families.ts';
import { rangeProblem } from './joint-range.ts';

const PER_RAD = 4096 / (2 * Math.PI);

/** What is said of `name`, whose servo was mounted either way round, where the arm went from `least` to `most`, rad. */
function saidOf(robot: string, name: string, least: number, most: number, file: object = {}): (string | undefined)[] {
  const arm = requireServoArm(loadRobotFile(robot).robot, 'calibrate');
  const i = arm.motors.findIndex((motor) => motor.name === name);
  const motor = arm.motors[i]!;
  return ([1, -1] as const).map((direction) => {
    const ends = [least, most].map((rad) => 2048 + Math.round(direction * rad * PER_RAD)).sort((a, b) => a - b);
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
    const { kind, message } = rangeProblem({ ...arm.robot.joints[i]!, ...file }, motor, calibration) ?? {};
    return kind === undefined ? undefined : `${kind} ${message!.replace(/^.* to -?[\d.]+°(?=[:,])/, '')}`;
  });
}

/** Whichever way round its servo is. */
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
    const said = 'zero , the same the other way round: the way its angle rises was probably mistaken';
    expect(saidOf('so101', 'gripper', -1.745, 0.175)).toEqual(both(said));
    expect(saidOf('koch', 'shoulder_lift', -0.6, 1.57)).toEqual(both(said));
  });

  it('narrower at one end, at both, or a few degrees beside, gives other limits', () => {
    expect(saidOf('so101', 'shoulder_lift', -1.745, 1.4)).toEqual(
      both(expect.stringMatching(/^limit : write positionMaxRad: 1\.(39|4)$/)),
    );
    expect(saidOf('so101', 'shoulder_lift', -1.5, 1.4)).toEqual(
      both(expect.stringMatching(/^limit : write positionMinRad: -1\.(5|49) and positionMaxRad: 1\.(39|4)$/)),
    );
    // Eyes hold no zero to a degree, and stops of arms of one make differ by as much.
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

  it('says nothing of the zero of a joint without stops, whose range ends where the hand did', () => {
    expect(saidOf('viperx', 'waist', -2.9, 3.3)).toEqual(both(expect.stringMatching(/^limit /)));
    expect(saidOf('koch', 'wrist_roll', -3.14, 3.5)).toEqual(both(undefined));
  });
});
