/** `rein calibrate`: one joint after the other, each stored at once, until the file is complete. */
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  adapterText,
  type Calibration,
  calibrationText,
  countsProblem,
  isSocket,
  type JointCalibration,
  type Motor,
  readCalibration,
  storedDirectionOf,
} from '../../drivers/serial.ts';
import { makeFolder, replaceFile, writeErrorOf } from '../../host/index.ts';
import { type JointModel, ReinError } from '../../model/index.ts';
import { type BusPort, busOn, lostPort, type OpenBusPort, withPort } from '../bus-port.ts';
import type { ServoArm } from '../families.ts';
import { confirm, type Guide } from '../guide.ts';
import { ServoAccess } from '../servo-access.ts';
import { problemError, servoProblems } from '../servo-problems.ts';
import { type FoundServo, findServosOf } from '../servo-scan.ts';
import { refuseSilence } from '../silence.ts';
import { calibrateJoint, importJoint, type JointWork } from './calibrate-joint.ts';
import { jointWords } from './direction-words.ts';
import { rangeProblems, rangeRemedy } from './joint-range.ts';
import { type LeRobotJoint, lerobotProblem, readLeRobotFile } from './lerobot.ts';
import { storeAfterMeasuring, storeBeforeMeasuring } from './stored-settings.ts';

export interface CalibrateRequest {
  readonly arm: ServoArm;
  /** Path of the port; absent: that of the robot's file, else the only one. */
  readonly port: string | undefined;
  /** Path of the calibration. */
  readonly out: string;
  /** Names of joints; empty for all of them. */
  readonly only: readonly string[];
  /** Calibration file of LeRobot, which has everything but directions. */
  readonly from?: string | undefined;
  readonly firmware: 'ask' | 'accept';
  /** `servos`: the measured ranges are stored in the servos, which then enforce them. */
  readonly ranges: 'file' | 'servos';
  readonly guide: Guide;
  readonly open: OpenBusPort;
  /** Milliseconds since 1970. */
  readonly wallMs: number;
}

/** Written calibration, and problems to be solved before the arm drives. */
export interface CalibrateResult {
  readonly path: string;
  readonly calibration: Omit<Calibration, 'checksum'>;
  /** One sentence each. */
  readonly problems: readonly string[];
}

/** Rejects with `ReinError`, or as its guide does; joints calibrated until then are kept beside the file. */
export async function calibrateArm(request: CalibrateRequest): Promise<CalibrateResult> {
  const { arm, open, only } = request;
  const unknown = only.find((name) => !arm.robot.joints.some((joint) => joint.name === name));
  if (unknown !== undefined) {
    throw new ReinError('config', `${arm.robot.name} has no joint ${unknown}.`, {
      remedy: `Joints: ${arm.robot.joints.map(({ name }) => name).join(', ')}.`,
    });
  }
  const path = request.port ?? arm.driver.port;
  const { baud } = arm.driver;
  const result = await withPort(open, { path, baud }, async (port) => {
    const found = await findServosOf(port, arm);
    if (!found.some(({ identity }) => identity !== undefined)) return undefined;
    return new ArmCalibration(request, port, found).run();
  });
  return result ?? (await refuseSilence(arm, path, open, (line) => request.guide.say(line)));
}

/** Path of the joints kept until the file at `path` is complete. */
export function partialOf(path: string): string {
  return `${path}.partial`;
}

/** One calibration at an open port. */
class ArmCalibration {
  readonly #request: CalibrateRequest;
  readonly #port: BusPort;
  readonly #found: readonly FoundServo[];
  readonly #partialPath: string;
  readonly #joints: Record<string, JointCalibration> = {};

  constructor(request: CalibrateRequest, port: BusPort, found: readonly FoundServo[]) {
    this.#request = request;
    this.#port = port;
    this.#found = found;
    this.#partialPath = partialOf(request.out);
  }

  async run(): Promise<CalibrateResult> {
    const { arm, guide, out, only, ranges } = this.#request;
    const { robot } = arm;
    await this.#checkServos();
    const { warning } = this.#port;
    if (warning !== undefined) guide.say(`${warning.message} ${warning.remedy}`);
    this.#sayWhose();
    const imported = this.#imported();
    const done = await this.#takeUp();
    const asked = robot.joints.filter(({ name }) => only.length === 0 || only.includes(name));
    const left = asked.filter(({ name }) => !done.includes(name));
    await this.#letGo();
    const open = { arm, guide, access: (id: number) => this.#access(id) };
    await storeBeforeMeasuring(
      open,
      left.map(({ name }) => name),
    );
    for (const joint of left) {
      const work = this.#workOn(joint, `${asked.indexOf(joint) + 1}/${asked.length}`);
      const known = imported?.[joint.name];
      this.#joints[joint.name] = await (known === undefined
        ? calibrateJoint(guide, work)
        : importJoint(guide, work, known));
      this.#refuseUnreadable(work.motor);
      await this.#keep(this.#partialPath);
    }
    await storeAfterMeasuring(open, this.#joints, ranges);
    await this.#keep(out);
    rmSync(this.#partialPath, { force: true });
    const problems = rangeProblems(robot, arm.motors, this.#joints).map(
      (problem) => `${problem.message}. ${rangeRemedy(problem, arm.named)}`,
    );
    return { path: out, calibration: this.#calibration(), problems };
  }

  /** `count`: number among the requested joints, `2/6`. */
  #workOn(joint: JointModel, count: string): JointWork {
    const { robot, motors, bus } = this.#request.arm;
    const i = robot.joints.indexOf(joint);
    const motor = motors[i]!;
    const { identity } = this.#found.find(({ id }) => id === motor.id)!;
    return {
      joint,
      motor,
      bus,
      servo: this.#access(motor.id),
      words: jointWords(robot)[i]!,
      modelNumber: identity!.modelNumber,
      firmware: identity!.firmware,
      storedDirection: this.#directionOf(motor),
      title: `${count} ${joint.name} (servo ${motor.id})`,
    };
  }

  /** Tells the operator what the file will be bound to, if the adapter has no serial number. */
  #sayWhose(): void {
    const {
      guide,
      arm: { named },
    } = this.#request;
    const { adapter } = this.#port;
    if (isSocket(adapter)) {
      guide.say(
        `The calibration is bound to ${adapterText(adapter)}: in another socket it is refused, until this has looked at its servos: rein calibrate --robot ${named} --rebind`,
      );
    } else if (adapter === '') {
      guide.say(
        'Neither a serial number nor a socket of the adapter is known: the calibration is bound to the data of its servos, and would also match another arm with the same data.',
      );
    }
  }

  async #checkServos(): Promise<void> {
    const { arm, firmware, guide } = this.#request;
    const problems = servoProblems(arm, this.#found);
    const refused = problems.find(({ kind }) => kind !== 'firmware');
    if (refused !== undefined) throw problemError(refused);
    for (const problem of problems) {
      guide.say(problem.message);
      if (firmware === 'accept') continue;
      if (!(await confirm(guide, 'Take it as it is?', 'no'))) throw problemError(problem);
    }
  }

  /** Returns the joints of LeRobot's file, once the servos confirm that it is of this arm. */
  #imported(): Readonly<Record<string, LeRobotJoint>> | undefined {
    const { from, arm, guide } = this.#request;
    if (from === undefined) return undefined;
    const joints = readLeRobotFile(from, arm.motors);
    for (const [i, motor] of arm.motors.entries()) {
      const { id, name } = motor;
      const servo = this.#access(motor.id);
      const stored = servo.read('homingOffset');
      const misplaced = lerobotProblem(arm.bus.family, arm.robot.joints[i]!, motor, joints[name]!);
      if (misplaced !== undefined) {
        throw new ReinError('config', `${from}: servo ${id} (${name}) ${misplaced}.`, {
          remedy: `It is measured anew by: rein calibrate --robot ${arm.named}`,
        });
      }
      const said = joints[name]!.homingOffset;
      if (!servo.has('homingOffset') || stored === said) continue;
      throw new ReinError(
        'config',
        `Servo ${id} (${name}) stores the offset ${stored ?? '?'}, and ${from} says ${said}.`,
        {
          remedy: `It is the file of another arm, or older than its servos: name the newest one, or rein calibrate --robot ${arm.named}`,
        },
      );
    }
    guide.say(
      `${from}: offsets agree with the servos. LeRobot's 0 is the middle of each range, which is taken for the middle of the file's.`,
    );
    return joints;
  }

  /** Throws if the range cannot be one of its servo's readings, so that it is written neither into a file nor into a servo. */
  #refuseUnreadable(motor: Motor): void {
    const { arm } = this.#request;
    const wrong = countsProblem(arm.bus.family, motor, this.#joints[motor.name]!);
    if (wrong === undefined) return;
    throw new ReinError('driver', `Servo ${motor.id} (${motor.name}) ${wrong}.`, {
      remedy: `It is measured anew by: rein calibrate --robot ${arm.named}`,
    });
  }

  /** Returns the names of the joints that an earlier start has calibrated, which are kept. */
  async #takeUp(): Promise<readonly string[]> {
    const { guide, out, only, arm } = this.#request;
    // If only some joints are requested, the rest of the file is kept.
    if (only.length > 0) {
      Object.assign(this.#joints, existsSync(out) ? this.#ofThisArm(readCalibration(out, arm.named)) : {});
      const without = arm.robot.joints.find(({ name }) => !only.includes(name) && this.#joints[name] === undefined);
      if (without !== undefined) {
        throw new ReinError(
          'config',
          `${without.name} was never calibrated on this arm, so --joint cannot be all there is.`,
          {
            remedy: `Calibrate the whole arm: rein calibrate --robot ${arm.named}`,
          },
        );
      }
    }
    if (!existsSync(this.#partialPath)) return [];
    const kept = this.#partial();
    const names = Object.keys(kept).filter((name) => only.length === 0 || only.includes(name));
    if (names.length === 0) return [];
    guide.say(`Begun before: ${names.join(', ')} ${names.length > 1 ? 'are' : 'is'} done.`);
    if (!(await confirm(guide, 'Go on after that?', 'yes'))) return [];
    for (const name of names) this.#joints[name] = kept[name]!;
    return names;
  }

  /** Joints in the file of an earlier start, as far as they are of this arm and valid. */
  #partial(): Readonly<Record<string, JointCalibration>> {
    try {
      return this.#ofThisArm(readCalibration(this.#partialPath, this.#request.arm.named));
    } catch (error) {
      if (!(error instanceof ReinError)) throw error;
      this.#request.guide.say(`What was begun before is left out: ${error.message}`);
      return {};
    }
  }

  /** Joints of `calibration` whose servos are still those that were calibrated. */
  #ofThisArm({ robot, adapter, joints }: Calibration): Readonly<Record<string, JointCalibration>> {
    const { arm } = this.#request;
    if (robot !== arm.robot.name || adapter !== this.#port.adapter) return {};
    const kept = arm.motors.flatMap((motor) => {
      const joint = joints[motor.name];
      const identity = this.#found.find(({ id }) => id === motor.id)?.identity;
      const isSame =
        joint?.id === motor.id &&
        joint.model === motor.model.name &&
        joint.firmware === identity?.firmware &&
        (joint.storedDirection ?? this.#directionOf(motor)) === this.#directionOf(motor) &&
        joint.homingOffsetCounts === (this.#access(motor.id).read('homingOffset') ?? 0) &&
        countsProblem(arm.bus.family, motor, joint) === undefined;
      return isSame ? [[motor.name, joint] as const] : [];
    });
    return Object.fromEntries(kept);
  }

  #directionOf(motor: Motor): number | undefined {
    return storedDirectionOf(this.#request.arm.bus.family, motor, (name) => this.#access(motor.id).read(name));
  }

  async #letGo(): Promise<void> {
    const { guide, arm } = this.#request;
    await guide.ask('Torque goes off now, and what it holds up falls. Hold the arm, then press Enter.');
    for (const motor of arm.motors) {
      if (this.#access(motor.id).set('torqueEnable', 0)) continue;
      throw new ReinError('driver', `Servo ${motor.id} (${motor.name}) does not let its torque go off.`, {
        remedy: 'Look at its cable; cut its supply if it holds on.',
      });
    }
  }

  #calibration(): Omit<Calibration, 'checksum'> {
    const { arm, wallMs } = this.#request;
    return {
      kind: 'rein-calibration',
      version: 1,
      robot: arm.robot.name,
      family: arm.bus.family.name,
      adapter: this.#port.adapter,
      calibratedAt: new Date(wallMs).toISOString(),
      joints: this.#joints,
    };
  }

  /** Writes all or nothing: a kill meanwhile loses the present joint only. */
  async #keep(path: string): Promise<void> {
    await keepCalibration(path, this.#calibration());
  }

  #access(id: number): ServoAccess {
    const { model } = this.#request.arm.servos.find((each) => each.id === id)!;
    const servo = this.#found.find((each) => each.id === id);
    if (servo === undefined) throw lostPort(this.#port.line.path);
    return new ServoAccess(busOn(this.#port, servo.protocol), id, model);
  }
}

/** Writes the file with its checksum, all or nothing. Rejects with `ReinError('storage')`. */
export async function keepCalibration(path: string, calibration: Omit<Calibration, 'checksum'>): Promise<void> {
  try {
    makeFolder(dirname(path));
    await replaceFile(path, calibrationText(calibration));
  } catch (cause) {
    throw writeErrorOf(path, cause);
  }
}
