/** Arms of emulated servos on a line of this process, on a clock that only waiting moves. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmulatedBus } from '../../packages/emulate/src/device.ts';
import { FaultyDevice } from '../../packages/emulate/src/faulty-device.ts';
import { emulatorKind, SimpleBody } from '../../packages/emulate/src/index.ts';
import { MemoryLine } from '../../packages/emulate/src/memory-line.ts';
import { loadRobotFile, type RobotConfig } from '../../src/config/index.ts';
import { type Driver, driverKind } from '../../src/drivers/index.ts';
import {
  type Calibration,
  calibrationText,
  type JointCalibration,
  type ServoDriverOptions,
  type ServoFamily,
} from '../../src/drivers/serial.ts';
import { encodersOf } from '../../src/drivers/servo/options.ts';
import { ServoDriver } from '../../src/drivers/servo/servo-driver.ts';
import { LockStepClock, Rng } from '../../src/model/index.ts';
import { keptLine } from './kept-line.ts';
import { servoDecoder, WriteRecorder } from './write-recorder.ts';

const BITS_PER_BYTE = 10;

export interface ServoRig {
  readonly driver: ServoDriver;
  readonly robot: RobotConfig;
  readonly line: MemoryLine;
  readonly bus: EmulatedBus;
  /** The line's faults. */
  readonly faults: FaultyDevice;
  readonly body: SimpleBody;
  /** Path of the calibration. */
  readonly calibration: string;
  /** Lets the rest of the control period pass, as the guard's tick does. */
  endOfTick(): void;
  remove(): void;
}

export interface ServoRigOptions {
  /** Name of a robot in `config/robots/`. */
  readonly robot: string;
  readonly family: ServoFamily;
  readonly seed?: number;
  readonly adapter?: string;
  readonly calibrate?: (calibration: Omit<Calibration, 'checksum'>) => Omit<Calibration, 'checksum'>;
  readonly options?: Partial<ServoDriverOptions>;
  readonly signalNames?: readonly string[];
}

/** A calibration of a bus as it comes: each servo in the middle of its turn at its joint's zero, turning as the joint does. */
export function freshCalibration(
  robot: RobotConfig,
  { motors, jointNames }: Pick<ServoDriverOptions, 'motors' | 'jointNames'>,
  family: ServoFamily,
  firmware: string,
  adapter = 'EMU0001',
): Omit<Calibration, 'checksum'> {
  const joints = jointNames.map((name, i): [string, JointCalibration] => {
    const { id, model } = motors[i]!;
    const { modelNumber, countsPerTurn } = family.models[model]!;
    const zeroCounts = Math.round(countsPerTurn / 2);
    const [minCounts, maxCounts] = family.goalRange(family.models[model]!);
    const reach = { minCounts, maxCounts, homingOffsetCounts: 0 };
    return [name, { id, model, modelNumber, firmware, direction: 1, zeroCounts, ...reach }];
  });
  return {
    kind: 'rein-calibration',
    version: 1,
    robot: robot.name,
    family: family.name,
    adapter,
    calibratedAt: '2026-01-01T00:00:00.000Z',
    joints: Object.fromEntries(joints),
  };
}

/** What the driver of the robot called `name` is made with. */
export function servoOptionsOf(robot: RobotConfig, signalNames: readonly string[] = []): ServoDriverOptions {
  const { driver, ...model } = robot;
  const request = { robot: model, task: 'test', signalNames, scene: () => fail() };
  return driverKind(driver.kind).optionsOf(driver, request) as unknown as ServoDriverOptions;
}

function fail(): never {
  throw new Error('a bus has no scene');
}

/** Closed, in the home pose. */
export function servoRig({ robot: name, family, seed = 1, adapter = 'EMU0001', ...rest }: ServoRigOptions): ServoRig {
  const { robot } = loadRobotFile(name);
  const { signals = [], motors } = rest.options ?? {};
  const ofJoints = motors && Object.fromEntries(robot.joints.map((joint, i) => [joint.name, motors[i]!]));
  const built = {
    ...robot,
    driver: { ...robot.driver, signals, ...(ofJoints && { motors: ofJoints }) },
  } as RobotConfig;
  const options = { ...servoOptionsOf(built, rest.signalNames ?? []), ...rest.options };
  const body = new SimpleBody(robot.joints.map((_, i) => ({ startRad: robot.homeRad[i]!, inertiaKgM2: 0.03 })));
  const rng = new Rng(seed);
  const bus = emulatorKind(family.name).create({
    robot: built,
    body,
    baud: options.baud,
    rng: rng.fork('bus'),
  });
  const faults = new FaultyDevice(bus, bus.packets, BITS_PER_BYTE / options.baud, rng.fork('faults'));
  const line = new MemoryLine(faults, { baud: options.baud, path: '/dev/null' });
  const folder = mkdtempSync(join(tmpdir(), 'rein-servos-'));
  const calibration = join(folder, 'calibration.json');
  const fresh = freshCalibration(robot, options, family, FIRMWARE[family.name]!, adapter);
  writeFileSync(calibration, calibrationText(rest.calibrate?.(fresh) ?? fresh));
  const { driver: _, ...model } = robot;
  const decode = servoDecoder(family, (id) => {
    const motor = options.motors.find((each) => each.id === id || each.shadowId === id) ?? options.motors[0]!;
    const encoder = encodersOf(options).find((each) => each.id === id);
    return family.models[encoder?.model ?? motor.model]!;
  });
  const recorder = new WriteRecorder(family.writes, decode, bus);
  const driver = new ServoDriver({
    model,
    family,
    options: { ...options, calibration },
    openLine: () => recorder.line(keptLine(line)),
    adapterAt: () => 'EMU0001',
  });
  recorder.watch(driver);
  let tick = 0;
  const startS = line.clock.nowS();
  return {
    driver,
    robot,
    line,
    bus,
    faults,
    body,
    calibration,
    endOfTick: () => {
      tick = Math.max(tick + 1, Math.floor((line.clock.nowS() - startS) * robot.controlHz) + 1);
      line.wait(startS + tick / robot.controlHz);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Time of the bus: what the guard's tick takes of its period. */
export class BusClock extends LockStepClock {
  readonly #rig: ServoRig;

  constructor(rig: ServoRig) {
    super(1 / rig.robot.controlHz);
    this.#rig = rig;
  }

  override nowS(): number {
    return this.#rig.line.clock.nowS();
  }

  override step(): void {
    this.#rig.endOfTick();
  }
}

export const FIRMWARE: Readonly<Record<string, string>> = { feetech: '3.10', dynamixel: '46' };

/** `driver`, under which a control period passes with each `read`, as the contract suite takes it. */
export function paced({ driver, endOfTick }: ServoRig): Driver {
  const read = driver.read.bind(driver);
  driver.read = (out) => {
    endOfTick();
    return read(out);
  };
  return driver;
}
