/** `rein calibrate --check` and `--rebind`: compares file, servos and robot, and binds the file to another adapter. */
import { existsSync } from 'node:fs';
import {
  adapterText,
  type Calibration,
  checkAdapter,
  countsPerUnit,
  loadCalibration,
  type Motor,
  mendingCommand,
  type SetupProblem,
  turnsProblem,
} from '../../drivers/serial.ts';
import { ReinError } from '../../model/index.ts';
import { type BusPort, busOn, type OpenBusPort, withPort } from '../bus-port.ts';
import type { BusFamily, ServoArm } from '../families.ts';
import type { Finding } from '../finding.ts';
import { confirm, type Guide } from '../guide.ts';
import { ServoAccess } from '../servo-access.ts';
import { problemError, servoProblems } from '../servo-problems.ts';
import { type FoundServo, findServosOf } from '../servo-scan.ts';
import { refuseSilence } from '../silence.ts';
import { keepCalibration, partialOf } from './calibrate-arm.ts';
import { positionOf, rangeProblems, rangeRemedy, shownPosition, toleranceOf } from './joint-range.ts';
import { lowOverload } from './overload.ts';

/** Distance by which a joint may stand outside its calibrated range, rad: stops are compliant. */
const OUTSIDE_RAD = 0.05;

/** Compares `found` at `port` with the file at `path`. Never throws for problems that the user can solve. */
export function checkCalibration(
  arm: ServoArm,
  path: string,
  port: BusPort,
  found: readonly FoundServo[],
): readonly Finding[] {
  let calibration: Calibration;
  try {
    calibration = calibrationOf(arm, path);
    checkAdapter(calibration, { path: port.line.path, adapter: port.adapter, named: arm.named });
  } catch (error) {
    if (!(error instanceof ReinError)) throw error;
    return [{ name: 'calibration', status: 'fail', detail: error.message, remedy: error.remedy }];
  }
  const file: Finding = {
    name: 'calibration',
    status: 'ok',
    detail: `${path}, of ${calibration.calibratedAt}, bound to ${adapterText(calibration.adapter)}`,
  };
  return [file, ...begunCalibration(arm, path), ...checkJoints(arm, calibration, port, found)];
}

/** Reports a calibration that was begun but not completed: the previous file is in force, which may be unexpected. */
export function begunCalibration({ named }: ServoArm, path: string): readonly Finding[] {
  const partial = partialOf(path);
  if (!existsSync(partial)) return [];
  const now = existsSync(path) ? 'the one of before is in force' : 'there is none in force';
  const remedy = `to go on with it: rein calibrate --robot ${named}; to drop it: rm ${partial}`;
  return [{ name: 'calibration', status: 'warn', detail: `a newer one was begun and not ended: ${now}`, remedy }];
}

/** Loads the file at `path`, which must be of `arm`. Throws `ReinError('config')`. */
export function calibrationOf({ robot, named, bus }: ServoArm, path: string): Calibration {
  const jointNames = robot.joints.map(({ name }) => name);
  return loadCalibration(path, { named, robot: robot.name, family: bus.family.name, jointNames });
}

/** Compares the servos and their positions with `calibration`: one finding per joint, then those of ranges against the file's limits. */
export function checkJoints(
  arm: ServoArm,
  calibration: Calibration,
  port: BusPort,
  found: readonly FoundServo[],
): readonly Finding[] {
  const { robot, named, motors } = arm;
  const ranges = rangeProblems(robot, motors, calibration.joints).map(
    (problem): Finding => ({
      name: problem.joint,
      status: problem.kind === 'doubt' ? 'warn' : 'fail',
      detail: problem.message,
      remedy: rangeRemedy(problem, named),
    }),
  );
  return [...checkServos(arm, calibration, port, found), ...ranges];
}

/** The same without the ranges, which do not identify the arm. */
function checkServos(
  arm: ServoArm,
  calibration: Pick<Calibration, 'joints'>,
  port: BusPort,
  found: readonly FoundServo[],
): readonly Finding[] {
  const { named, motors } = arm;
  const calibrate = `rein calibrate --robot ${named}`;
  return motors.flatMap((motor, i): readonly Finding[] => {
    const servo = found.find(({ id }) => id === motor.id);
    if (servo?.identity === undefined) {
      const detail = `servo ${motor.id} does not answer`;
      return [{ name: motor.name, status: 'fail', detail, remedy: `rein doctor --robot ${named}` }];
    }
    const access = new ServoAccess(busOn(port, servo.protocol), motor.id, motor.model);
    const wrong = jointProblem(arm.bus, motor, calibration, servo, access);
    if (wrong !== undefined) {
      const remedy = mendingCommand(named, motor.name, wrong) ?? calibrate;
      return [{ name: motor.name, status: 'fail', detail: wrong.what, remedy }];
    }
    const stands = { name: motor.name, ...standing(arm, i, calibration, access, calibrate) };
    return [stands, ...overloadFindings(motor, access, calibrate)];
  });
}

function overloadFindings(motor: Motor, servo: ServoAccess, calibrate: string): readonly Finding[] {
  const low = lowOverload(motor, servo);
  if (low === undefined) return [];
  const percent = (ratio: number): number => Math.round(100 * ratio);
  return [
    {
      name: motor.name,
      status: 'warn',
      detail: `its servo takes ${percent(low.storedRatio)} % for an overload, and may press with ${percent(motor.options.torqueRatio)} %: a firm hold latches it (fault 13)`,
      remedy: `${calibrate} --joint ${motor.name}, which offers to store ${low.value} %; or write torqueRatio below ${low.storedRatio} for it`,
    },
  ];
}

function jointProblem(
  { family }: BusFamily,
  motor: Motor,
  { joints }: Pick<Calibration, 'joints'>,
  { identity }: FoundServo,
  servo: ServoAccess,
): SetupProblem | undefined {
  const joint = joints[motor.name]!;
  if (joint.id !== motor.id || joint.model !== motor.model.name) {
    const what = `servo ${motor.id} (${motor.model.name}) in the robot's file, ${joint.id} (${joint.model}) in the calibration`;
    return { what };
  }
  if (identity?.modelNumber !== joint.modelNumber || identity.firmware !== joint.firmware) {
    const what = `model ${identity?.modelNumber}, firmware ${identity?.firmware}; it was ${joint.modelNumber}, ${joint.firmware} when it was calibrated`;
    return { what };
  }
  return family.storedProblem(motor, joint, (name) => servo.read(name));
}

function standing(
  { robot, motors, bus }: ServoArm,
  i: number,
  { joints }: Pick<Calibration, 'joints'>,
  servo: ServoAccess,
  calibrate: string,
): Omit<Finding, 'name'> {
  const [joint, motor] = [robot.joints[i]!, motors[i]!];
  const calibration = joints[motor.name]!;
  const counts = servo.read('presentPosition');
  if (counts === undefined)
    return { status: 'fail', detail: 'its position cannot be read', remedy: 'Look at its cable.' };
  const shown = `${shownPosition(joint, positionOf(motor, calibration, counts))} (${counts})`;
  const turns = turnsProblem(bus.family, motor.model, counts);
  if (turns !== undefined) return { status: 'fail', detail: turns, remedy: turnsRemedy(calibrate) };
  const slack = toleranceOf(joint, OUTSIDE_RAD) * countsPerUnit(motor);
  if (counts < calibration.minCounts - slack || counts > calibration.maxCounts + slack) {
    const detail = `stands at ${shown}, outside ${calibration.minCounts} to ${calibration.maxCounts}: its calibrated zero is wrong, or its horn has slipped`;
    return { status: 'fail', detail, remedy: calibrate };
  }
  return { status: 'ok', detail: `stands at ${shown}` };
}

/** Remedy for a reading that is in no turn. */
export function turnsRemedy(calibrate: string): string {
  return `Switch the supply of its servos off and on, after which it reads within its turn; if it does not: ${calibrate}`;
}

/** Opens the port and compares. Rejects with `ReinError` if no servo answers, or answers collide. */
export function checkServoCalibration(request: CheckRequest): Promise<readonly Finding[]> {
  const { arm, path } = request;
  return withServos(request, async (port, found) => checkCalibration(arm, path, port, found));
}

/**
 * `rein calibrate --rebind`: same arm, but another adapter or socket. The servos have to confirm this as far as they can, and so does the
 * operator. Resolves to a description of the new binding. Rejects with `ReinError`.
 */
export function rebindCalibration(request: CheckRequest & { readonly guide: Guide }): Promise<string> {
  const { arm, path, guide } = request;
  const { named } = arm;
  const { checksum: _, ...calibration } = calibrationOf(arm, path);
  return withServos(request, async (port, found) => {
    const { adapter } = port;
    if (adapter === calibration.adapter) return adapterText(adapter);
    const wrong = checkServos(arm, calibration, port, found).find(({ status }) => status === 'fail');
    if (wrong !== undefined) {
      const calibrate = `rein calibrate --robot ${named}`;
      const remedy =
        wrong.remedy === undefined || wrong.remedy === calibrate
          ? `Calibrate the arm that is here: ${calibrate}`
          : `If it is another arm, calibrate it (${calibrate}). If it is the arm that was calibrated: ${wrong.remedy}`;
      throw new ReinError('config', `The calibration was not rebound: ${wrong.name}: ${wrong.detail}.`, { remedy });
    }
    guide.say(
      `Ids, models, firmware and offsets of its ${arm.motors.length} servos are those of the file. Another arm of its make may have the same.`,
    );
    const question = `Is it the arm that was calibrated on ${calibration.calibratedAt.slice(0, 10)}, now at ${adapterText(adapter)}?`;
    if (!(await confirm(guide, question, 'no'))) {
      throw new ReinError('config', 'The calibration was not rebound: not confirmed to be the same arm.', {
        remedy: `Plug in the right arm, or calibrate this one: rein calibrate --robot ${named}`,
      });
    }
    await keepCalibration(path, { ...calibration, adapter });
    return adapterText(adapter);
  });
}

async function withServos<T>(
  { arm, port: given, open, say }: CheckRequest,
  work: (port: BusPort, found: readonly FoundServo[]) => Promise<T>,
): Promise<T> {
  const { driver } = arm;
  const path = given ?? driver.port;
  const result = await withPort(open, { path, baud: driver.baud }, async (port) => {
    const found = await findServosOf(port, arm);
    if (!found.some(({ identity }) => identity !== undefined)) return undefined;
    const twice = servoProblems(arm, found).find(({ kind }) => kind === 'twice' || kind === 'garbled');
    if (twice !== undefined) throw problemError(twice);
    return { value: await work(port, found) };
  });
  return result === undefined ? refuseSilence(arm, path, open, say) : result.value;
}

export interface CheckRequest {
  readonly arm: ServoArm;
  /** Absent: that of the robot's file, else the only one. */
  readonly port: string | undefined;
  /** Path of the calibration. */
  readonly path: string;
  readonly open: OpenBusPort;
  /** Prints a line before lengthy work. */
  readonly say?: ((line: string) => void) | undefined;
}
