/** `rein calibrate --check`: whether file, servos and robot agree. Reads only. */
import { ReinError } from '../../core/index.ts';
import { type Calibration, checkAdapter, countsPerUnit, loadCalibration, type Motor } from '../../drivers/serial.ts';
import { type BusPort, busOn, type OpenBusPort, withPort } from '../bus-port.ts';
import type { ServoArm } from '../families.ts';
import type { Finding } from '../finding.ts';
import { ServoAccess } from '../servo-access.ts';
import { problemError, servoProblems } from '../servo-problems.ts';
import { type FoundServo, findServos } from '../servo-scan.ts';
import { refuseSilence } from '../silence.ts';
import { limitProblems, positionOf, shownPosition } from './joint-range.ts';

/** A joint may stand outside its calibrated range by this, rad or m: a stop gives way. */
const OUTSIDE = 0.05;

/** What `found` at `port` says against the file at `path`. Never throws for what a person can mend. */
export function checkCalibration(
  arm: ServoArm,
  named: string,
  path: string,
  port: BusPort,
  found: readonly FoundServo[],
): readonly Finding[] {
  const calibrate = `rein calibrate --robot ${named}`;
  const { robot, bus, motors } = arm;
  let calibration: Calibration;
  try {
    const jointNames = robot.joints.map(({ name }) => name);
    calibration = loadCalibration(path, { robot: robot.name, family: bus.family.name, jointNames });
    checkAdapter(calibration, port.line.path, port.adapter === '' ? undefined : port.adapter);
  } catch (error) {
    if (!(error instanceof ReinError)) throw error;
    return [{ name: 'calibration', status: 'fail', detail: error.message, remedy: error.remedy }];
  }
  const limits = limitProblems(robot, motors, calibration.joints).map(
    ({ joint, message }): Finding => ({
      name: joint,
      status: 'fail',
      detail: message,
      remedy: "Write these numbers into the robot's file: beyond them the arm pushes against its stops.",
    }),
  );
  const joints = motors.map((motor, i): Finding => {
    const servo = found.find(({ id }) => id === motor.id);
    if (servo?.identity === undefined) {
      return {
        name: motor.name,
        status: 'fail',
        detail: `servo ${motor.id} does not answer`,
        remedy: `rein doctor --robot ${named}`,
      };
    }
    const access = new ServoAccess(busOn(port, servo.protocol), motor.id, motor.model);
    const wrong = jointProblem(motor, calibration, servo, access);
    if (wrong !== undefined) return { name: motor.name, status: 'fail', detail: wrong, remedy: calibrate };
    return { name: motor.name, ...standing(arm, i, calibration, access, calibrate) };
  });
  const file: Finding = {
    name: 'calibration',
    status: 'ok',
    detail: `${path}, of ${calibration.calibratedAt}, adapter ${calibration.adapter || 'without a serial number'}`,
  };
  return [file, ...joints, ...limits];
}

function jointProblem(
  motor: Motor,
  { joints }: Calibration,
  { identity }: FoundServo,
  servo: ServoAccess,
): string | undefined {
  const joint = joints[motor.name]!;
  if (joint.id !== motor.id || joint.model !== motor.model.name) {
    return `servo ${motor.id} (${motor.model.name}) in the robot's file, ${joint.id} (${joint.model}) in the calibration`;
  }
  if (identity?.modelNumber !== joint.modelNumber || identity.firmware !== joint.firmware) {
    return `model ${identity?.modelNumber}, firmware ${identity?.firmware}; it was ${joint.modelNumber}, ${joint.firmware} when it was calibrated`;
  }
  const offset = servo.read('homingOffset') ?? 0;
  return offset === joint.homingOffsetCounts
    ? undefined
    : `it stores the offset ${offset}, and ${joint.homingOffsetCounts} when it was calibrated: its zero is elsewhere`;
}

function standing(
  { robot, motors }: ServoArm,
  i: number,
  { joints }: Calibration,
  servo: ServoAccess,
  calibrate: string,
): Omit<Finding, 'name'> {
  const [joint, motor] = [robot.joints[i]!, motors[i]!];
  const calibration = joints[motor.name]!;
  const counts = servo.read('presentPosition');
  if (counts === undefined)
    return { status: 'fail', detail: 'its position cannot be read', remedy: 'Look at its cable.' };
  const shown = `${shownPosition(joint, positionOf(motor, calibration, counts))} (${counts})`;
  const slack = OUTSIDE * countsPerUnit(motor);
  if (counts < calibration.minCounts - slack || counts > calibration.maxCounts + slack) {
    const detail = `stands at ${shown}, outside ${calibration.minCounts} to ${calibration.maxCounts}: its zero is elsewhere, or its horn has slipped`;
    return { status: 'fail', detail, remedy: calibrate };
  }
  const [least, most] = [servo.read('positionMin'), servo.read('positionMax')];
  // Both 0: the servo keeps to no range.
  const isNarrow = least !== undefined && most !== undefined && most > least;
  if (isNarrow && (least > calibration.minCounts + slack || most < calibration.maxCounts - slack)) {
    const detail = `stands at ${shown}; the servo itself stops at ${least} and ${most}, short of ${calibration.minCounts} to ${calibration.maxCounts}`;
    return { status: 'warn', detail, remedy: `${calibrate} --store-ranges --joint ${motor.name}` };
  }
  return { status: 'ok', detail: `stands at ${shown}` };
}

/** Opens the port and compares. Rejects with `ReinError` where nobody answers, or answers cannot be told apart. */
export async function checkServoCalibration({
  arm,
  named,
  port: given,
  path,
  open,
}: CheckRequest): Promise<readonly Finding[]> {
  const { driver, bus, motors } = arm;
  const portPath = given ?? driver.port;
  const findings = await withPort(open, { path: portPath, baud: driver.baud }, async (port) => {
    const found = await findServos(
      port,
      bus,
      motors.map(({ id }) => id),
      (id) => motors.find((each) => each.id === id)?.model,
    );
    if (!found.some(({ identity }) => identity !== undefined)) return undefined;
    const twice = servoProblems(arm, found).find(({ kind }) => kind === 'twice' || kind === 'garbled');
    if (twice !== undefined) throw problemError(twice);
    return checkCalibration(arm, named, path, port, found);
  });
  return findings ?? (await refuseSilence(arm, named, portPath, open));
}

export interface CheckRequest {
  readonly arm: ServoArm;
  /** How the robot was named on the command line. */
  readonly named: string;
  /** Absent: that of the robot's file, else the only one. */
  readonly port: string | undefined;
  /** Of the calibration. */
  readonly path: string;
  readonly open: OpenBusPort;
}
