/** `rein bring-up`: the next rung of a robot's ladder, and its record. */
import { hostname, userInfo } from 'node:os';
import type { RobotConfig } from '../../config/index.ts';
import { checkAdapter } from '../../drivers/serial.ts';
import { counted, holdsItself, ReinError } from '../../model/index.ts';
import {
  appendRung,
  type Ladder,
  ladderOf,
  RUNG_SPEED,
  RUNGS,
  type Rung,
  type RungRecord,
  readRungs,
  readStops,
  rungLogPath,
} from '../../record/index.ts';
import { ladderSubject } from '../../session/supervision.ts';
import { busOn, type OpenBusPort, withPort } from '../bus-port.ts';
import { calibrationOf } from '../calibrate/check-calibration.ts';
import { carOf, type VescCar, withVesc } from '../car.ts';
import { inspectPort } from '../doctor/inspect.ts';
import { requireServoArm, type ServoArm } from '../families.ts';
import type { Finding } from '../finding.ts';
import { confirm, type Guide } from '../guide.ts';
import { ServoAccess } from '../servo-access.ts';
import { mirrorCar, seenOfCar } from './car-rungs.ts';
import { type DrivingRung, drivenS, driveRung } from './drive-rung.ts';
import { mirrorArm } from './mirror.ts';
import { stopLines } from './stop-lines.ts';

/** Robots that have a ladder: an arm of bus servos, or a car with a VESC. */
export type LadderRobot = ServoArm | VescCar;

export interface ClimbRequest {
  readonly arm: LadderRobot;
  /** Path of the robot's file. */
  readonly file: string;
  readonly port: string | undefined;
  /** Duration of the burn-in. */
  readonly minutes: number;
  readonly guide: Guide;
  readonly open: OpenBusPort;
  /** Run folder of a rung that drives. */
  readonly out: string;
  readonly seed: number;
  /** Version of Rein. */
  readonly version: string;
  readonly wallMs: () => number;
  readonly signal: AbortSignal;
  readonly onInterrupt: () => void;
  /** Prints the findings of the doctor. */
  readonly showFindings: (findings: readonly Finding[]) => void;
}

/** Purpose and procedure of each rung. */
const WORDS: Readonly<Record<Rung, string>> = {
  doctor: 'the devices on the bus match the file, and the calibration belongs to this arm',
  mirror: 'torque off: you hold each joint at its zero and move it, and its angle must agree',
  slow: 'the arm moves one joint after another, slowly',
  'burn-in': 'random motion in a small box, without a fault',
  full: 'motion up to all limits of the file',
};

const CAR_WORDS: Readonly<Record<Rung, string>> = {
  doctor: 'the VESC has no fault, and its timeout stops the motor',
  mirror: 'wheels off the ground: you turn them by hand, and the count must rise',
  slow: 'wheels off the ground: they turn, then steer, slowly, and you confirm the directions',
  'burn-in': 'wheels off the ground: random motion, without a fault',
  full: WORDS.full,
};

/** Throws `ReinError('config')` for a robot without a ladder. */
export function ladderRobotOf(robot: RobotConfig): LadderRobot {
  return carOf(robot) ?? requireServoArm(robot, 'bring up');
}

function isCar(arm: LadderRobot): arm is VescCar {
  return !('bus' in arm);
}

function wordsOf(arm: LadderRobot): Readonly<Record<Rung, string>> {
  return isCar(arm) ? CAR_WORDS : WORDS;
}

/** Present state of the ladder, one line per rung, and the next command. */
export function ladderLines(arm: LadderRobot): readonly string[] {
  const ladder = ladderNow(arm);
  const lines = RUNGS.map((rung, i) => {
    const record = ladder.passed[i];
    const mark =
      record === undefined
        ? rung === ladder.next
          ? 'next'
          : '–'
        : `passed ${record.at.slice(0, 16).replace('T', ' ')}`;
    const speed = `${Math.round(100 * RUNG_SPEED[rung])} %`;
    return `${rung.padEnd(8)} ${mark.padEnd(23)} ${speed.padStart(5)}  ${record === undefined ? wordsOf(arm)[rung] : record.proved}`;
  });
  const fallen = ladder.fallen === undefined ? [] : [`Steps revoked: ${ladder.fallen}.`];
  const next =
    ladder.next === undefined
      ? 'All steps passed: it moves up to the limits of its file.'
      : `Next: rein bring-up --robot ${arm.named}`;
  const speed = `Speed now: ${Math.round(100 * ladder.speedRatio)} % of what its file allows.`;
  const stops = isCar(arm) ? [] : stopsOf(arm);
  return [...lines, ...fallen, speed, ...stops, next];
}

function stopsOf(arm: LadderRobot): readonly string[] {
  const stops = readStops(subjectOf(arm));
  if (stops.length === 0) return ['Stops: not measured (rein bring-up --stops).'];
  return ['Stops, the worst from each speed of its fastest point:', ...stopLines(stops).map((line) => `  ${line}`)];
}

/** Present state of the ladder of `arm`. */
export function ladderNow(arm: LadderRobot): Ladder {
  const subject = subjectOf(arm);
  return ladderOf(readRungs(rungLogPath(subject)), subject);
}

/** Identity of the arm. */
export function subjectOf({ robot }: LadderRobot): NonNullable<ReturnType<typeof ladderSubject>> {
  const subject = ladderSubject(robot);
  if (subject === undefined) throw new TypeError('arms of servos and cars have a ladder');
  return subject;
}

/** Does the next rung and records it. Resolves to its name; `undefined` at the top. Rejects with `ReinError` if it is not passed. */
export async function climb(request: ClimbRequest): Promise<Rung | undefined> {
  const { arm, guide } = request;
  const { next, fallen, speedRatio } = ladderNow(arm);
  if (next === undefined) return undefined;
  if (fallen !== undefined) guide.say(`Bring-up steps were revoked: ${fallen}.`);
  guide.say(`${RUNGS.indexOf(next) + 1}/${RUNGS.length} ${next}: ${wordsOf(arm)[next]}.`);
  const proved = next === 'doctor' ? await doctor(request) : await above(next, request, speedRatio);
  const subject = subjectOf(arm);
  const record: RungRecord = {
    ...subject,
    rung: next,
    at: new Date(request.wallMs()).toISOString(),
    version: request.version,
    proved,
    by: `${userInfo().username}@${hostname()}`,
  };
  appendRung(rungLogPath(subject), record);
  guide.say(`Passed: ${proved}.`);
  return next;
}

async function above(rung: Exclude<Rung, 'doctor'>, request: ClimbRequest, speedRatio: number): Promise<string> {
  if (rung === 'mirror') return mirror(request);
  if (rung !== 'full') return drive(rung, request, speedRatio);
  const question =
    'From now on it moves at all that its file allows. Is its workspace clear, and the emergency stop at hand?';
  if (!(await confirm(request.guide, question, 'no'))) throw declined();
  return 'an operator released it up to the limits of its file';
}

async function doctor({ arm, port, open, showFindings }: ClimbRequest): Promise<string> {
  const inspection = await inspectPort({ robot: arm.robot, port, open });
  if (inspection === undefined) throw new TypeError('what has a ladder has a port to look at');
  const { findings, next } = inspection;
  showFindings(findings);
  // A car's calibration is in its file.
  const isCalibrated = isCar(arm) || findings.some(({ name, status }) => name === 'calibration' && status === 'ok');
  if (!isCalibrated || findings.some(({ status }) => status === 'fail')) {
    throw new ReinError('driver', 'Bring-up step not passed: see the findings above.', { remedy: next });
  }
  if (isCar(arm)) return `${findings[0]!.detail}; no fault, and its timeout stops the motor`;
  return `${counted(arm.motors.length, 'servo')} at ${arm.driver.baud} bit/s, in agreement with robot file and calibration`;
}

async function mirror({ arm, port, guide, open }: ClimbRequest): Promise<string> {
  if (isCar(arm)) {
    const { port: path, baud } = arm.driver;
    return withVesc(open, { path: port ?? path, baud }, async (link) => {
      link.identify();
      return mirrorCar({ car: arm, link, guide });
    });
  }
  const { named, driver, bus, motors } = arm;
  const calibration = calibrationOf(arm, arm.calibration);
  const settings = { path: port ?? driver.port, baud: driver.baud, adapter: calibration.adapter, named };
  return withPort(open, settings, (opened) => {
    // Between two rungs the cable may have been plugged into another arm.
    checkAdapter(calibration, { path: opened.line.path, adapter: opened.adapter, named });
    const protocol = bus.family.protocolOf(motors.map(({ model }) => model));
    const line = busOn(opened, protocol);
    const servos = motors.map(({ id, model }) => new ServoAccess(line, id, model));
    return mirrorArm({ arm, calibration, servos, guide });
  });
}

async function drive(rung: DrivingRung, request: ClimbRequest, speedRatio: number): Promise<string> {
  const { arm, guide, minutes, port } = request;
  if (port !== undefined && port !== arm.driver.port) {
    throw new ReinError('config', 'The guard opens the port that the robot file names, not --port.', {
      remedy: `Write port: ${port} under driver in the robot's file.`,
    });
  }
  const seconds = Math.round(drivenS({ rung, robot: arm.robot, speedRatio, minutes }));
  const howLong = seconds < 120 ? `${seconds} s` : `${(seconds / 60).toFixed(0)} minutes`;
  const speed = `${Math.round(100 * speedRatio)} %`;
  const down = holdsItself(arm.robot) ? '' : ' At the end its torque goes off slowly: hold it then.';
  guide.say(
    isCar(arm)
      ? `Its wheels turn by themselves now: a little first, then they turn and steer for ${howLong} at ${speed} of its speed, steering by up to 7° each way.`
      : `It moves by itself now: each joint a little, for a few seconds, then for ${howLong} at ${speed} of its speed, up to 7° each way from where it stands.${down}`,
  );
  const raised = isCar(arm) ? 'Is the car raised, so that no wheel touches anything? ' : '';
  const question = `${raised}Hand on the emergency stop; space here stops it too. Begin?`;
  if (!(await confirm(guide, question, 'no'))) throw declined();
  guide.close?.();
  const { file, out, seed, signal, onInterrupt } = request;
  const print = (text: string): void => guide.say(text);
  const drive = { rung, robot: arm.robot, file, speedRatio, minutes, out, seed, print, signal, onInterrupt };
  const proved = await driveRung(drive);
  return isCar(arm) && rung === 'slow' ? `${proved}; ${await seenOfCar(arm, guide)}` : proved;
}

function declined(): ReinError {
  return new ReinError('environment', 'Bring-up step not passed: the motion was not confirmed.', {
    remedy: 'Repeat the command when it may move.',
  });
}
