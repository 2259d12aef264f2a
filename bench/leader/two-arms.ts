/** Emulated leader and follower at their own ports, calibrated differently, and a foot switch: a desk set-up for `rein teleop`. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadRobotFile } from '../../src/config/index.ts';
import { calibrationText, feetechFamily, type ServoConfig } from '../../src/drivers/serial.ts';
import { GUARD_NODE_FLAGS } from '../../src/guard/index.ts';
import type { ArmAnswer, ArmOrder, Pose } from './arm-process.ts';

const FIRMWARE = '3.10';
const KEY_F13 = 183;
/** Longer answer time, ms: on a busy machine an emulated servo answers late. */
const ANSWER_MS = 30;

/** Mounting of each arm: the leader's servos are offset, and some of them reversed. */
const ARMS = {
  follower: { robot: 'so101', adapter: 'FOLLOWER', zeroCounts: 2048, turnedBack: [] },
  leader: { robot: 'so101-leader', adapter: 'LEADER', zeroCounts: 1900, turnedBack: ['shoulder_lift', 'wrist_roll'] },
} as const;
type Role = keyof typeof ARMS;

export interface SeenArm {
  readonly poses: readonly Pose[];
  readonly goals: readonly Pose[];
  readonly torqued: number;
}

export class TwoArms {
  /** Paths of the arms' files, and of the configuration that names the leader and the pedal. */
  readonly robot: string;
  readonly leader: string;
  readonly config: string;
  readonly jointNames: readonly string[];
  readonly homeRad: readonly number[];
  readonly #arms: Readonly<Record<Role, ChildProcess>>;
  readonly #pedal: number;
  readonly #orders: Record<Role, Promise<unknown>> = { follower: Promise.resolve(), leader: Promise.resolve() };

  /** `folder` exists. `controlHz` of both; absent: their own. */
  static async open(folder: string, controlHz?: number): Promise<TwoArms> {
    const files = {
      follower: written('follower', folder, controlHz),
      leader: written('leader', folder, controlHz),
    };
    const start = (role: Role): ChildProcess =>
      fork(fileURLToPath(new URL('./arm-process.js', import.meta.url)), [files[role], linkOf(role, folder), role], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        execArgv: [...GUARD_NODE_FLAGS],
      });
    const arms = { follower: start('follower'), leader: start('leader') };
    await Promise.all(Object.values(arms).map((arm) => once(arm, 'message')));
    const pedal = join(folder, 'pedal');
    execFileSync('mkfifo', [pedal]);
    writeFileSync(
      join(folder, 'place.yaml'),
      `operators:
  - { kind: leader, robot: ${files.leader} }
  - { kind: pedal, device: ${pedal}, enable: KEY_F13 }
`,
    );
    return new TwoArms(folder, files, arms, openSync(pedal, constants.O_RDWR));
  }

  private constructor(
    folder: string,
    { follower, leader }: Readonly<Record<Role, string>>,
    arms: Readonly<Record<Role, ChildProcess>>,
    pedal: number,
  ) {
    this.robot = follower;
    this.leader = leader;
    this.config = join(folder, 'place.yaml');
    this.#arms = arms;
    this.#pedal = pedal;
    const { joints, homeRad } = loadRobotFile(follower).robot;
    this.jointNames = joints.map(({ name }) => name);
    this.homeRad = homeRad;
  }

  /** Writes a `struct input_event` of its key; `down` closes the clutch. */
  pedal(value: 'down' | 'up'): void {
    const event = Buffer.alloc(24);
    event.writeUInt16LE(1, 16);
    event.writeUInt16LE(KEY_F13, 18);
    event.writeInt32LE(value === 'down' ? 1 : 0, 20);
    writeSync(this.#pedal, event);
  }

  /** Moves joints away from home by hand, by name, rad. Resolves once they are there. */
  async lead(awayRad: Readonly<Record<string, number>>, overS: number): Promise<void> {
    const handRad = this.homeRad.map((home, i) => home + (awayRad[this.jointNames[i]!] ?? 0));
    await this.#order('leader', { handRad, overS });
    await new Promise((done) => setTimeout(done, overS * 1e3));
  }

  /** Resolves to the time of injection, s. */
  async fault(role: Role, fault: string): Promise<number> {
    const answer = await this.#order(role, { fault });
    return 'doneAtS' in answer ? answer.doneAtS : Number.NaN;
  }

  /** Records of an arm since the last call. */
  async seen(role: Role): Promise<SeenArm> {
    const answer = await this.#order(role, { report: true });
    return 'goals' in answer ? answer : { poses: [], goals: [], torqued: 0 };
  }

  async close(): Promise<void> {
    closeSync(this.#pedal);
    for (const arm of Object.values(this.#arms)) {
      if (arm.exitCode !== null || !arm.connected) continue;
      arm.disconnect();
      await once(arm, 'exit');
    }
  }

  /** One order after another, as an answer does not identify its order. */
  #order(role: Role, order: ArmOrder): Promise<ArmAnswer> {
    const answered = this.#orders[role].then(async () => {
      const answer = once(this.#arms[role], 'message');
      this.#arms[role].send(order);
      return (await answer)[0] as ArmAnswer;
    });
    this.#orders[role] = answered;
    return answered;
  }
}

function linkOf(role: Role, folder: string): string {
  return join(folder, `usb-Emulated_${role}_${ARMS[role].adapter}-if00`);
}

/** Writes file and calibration of the arm; returns the file's path. */
function written(role: Role, folder: string, controlHz?: number): string {
  const { robot: name, adapter, zeroCounts, turnedBack } = ARMS[role];
  const { robot, file } = loadRobotFile(name);
  const models = fileURLToPath(new URL('../../../config/robots/models/', import.meta.url));
  const driver = `driver:\n  port: ${linkOf(role, folder)}\n  answerMs: ${ANSWER_MS}\n  calibration: ${name}.json`;
  const path = join(folder, `${name}.yaml`);
  const text = readFileSync(file, 'utf8')
    .replace(/^driver:/m, driver)
    .replace('models/', models);
  writeFileSync(path, controlHz === undefined ? text : text.replace(/^controlHz:.*/m, `controlHz: ${controlHz}`));
  const { motors } = robot.driver as ServoConfig;
  const joints = robot.joints.map(({ name: joint }) => {
    const { id, model } = motors[joint]!;
    const { modelNumber } = feetechFamily.models[model]!;
    const direction = (turnedBack as readonly string[]).includes(joint) ? (-1 as const) : (1 as const);
    const reach = { zeroCounts, minCounts: 0, maxCounts: 4095, homingOffsetCounts: 0 };
    return [joint, { id, model, modelNumber, firmware: FIRMWARE, direction, ...reach }];
  });
  const calibration = calibrationText({
    kind: 'rein-calibration',
    version: 1,
    robot: name,
    family: 'feetech',
    adapter,
    calibratedAt: new Date(0).toISOString(),
    joints: Object.fromEntries(joints),
  });
  writeFileSync(join(folder, `${name}.json`), calibration);
  return path;
}
