/** A car with an emulated VESC on a line of this process, on a clock that only waiting moves. */

import { FaultyDevice } from '../../packages/emulate/src/faulty-device.ts';
import type { EmulatedBody } from '../../packages/emulate/src/index.ts';
import { MemoryLine } from '../../packages/emulate/src/memory-line.ts';
import { raisedCar } from '../../packages/emulate/src/vesc/car.ts';
import { VescBus, type VescBusOptions } from '../../packages/emulate/src/vesc/vesc-bus.ts';
import { loadRobotFile, type RobotConfig } from '../../src/config/index.ts';
import { type Driver, driverKind } from '../../src/drivers/index.ts';
import { VESC_WRITES } from '../../src/drivers/serial.ts';
import type { VescDriverOptions } from '../../src/drivers/vesc/options.ts';
import { VescDriver } from '../../src/drivers/vesc/vesc-driver.ts';
import { Rng, type Vec } from '../../src/model/index.ts';
import { createRobotState, type RobotState } from '../../src/rows/index.ts';
import { keptLine } from './kept-line.ts';
import { vescDecoder, WriteRecorder } from './write-recorder.ts';

const BITS_PER_BYTE = 10;

export interface CarRig {
  readonly driver: VescDriver;
  readonly robot: RobotConfig;
  readonly line: MemoryLine;
  readonly bus: VescBus;
  readonly body: EmulatedBody;
  /** The line's faults. */
  readonly faults: FaultyDevice;
  readonly state: RobotState;
  /** One tick: reads, writes the reference where there is one, and lets the rest of the period pass. */
  tick(reference?: readonly [xM: number, steeringRad: number]): ReturnType<Driver['read']>;
  /** Drives on at `speedMPerS` from where the reference is, for so many ticks. */
  drive(speedMPerS: number, ticks: number, steeringRad?: number): void;
  /** Where the reference of `drive` is, m. */
  xM: number;
}

/** What the driver of `race-car-vesc` is made with. */
export function vescOptionsOf(robot: RobotConfig, signalNames: readonly string[] = []): VescDriverOptions {
  const { driver, ...model } = robot;
  const request = { robot: model, task: 'test', signalNames, scene: () => fail() };
  return driverKind(driver.kind).optionsOf(driver, request) as unknown as VescDriverOptions;
}

/** A reference as it comes, what is no number included. */
export function anyReference(numbers: readonly number[]): Vec<'rad'> {
  return Float64Array.from(numbers) as Vec<'rad'>;
}

function fail(): never {
  throw new Error('a bus has no scene');
}

export interface CarRigOptions {
  /** Default: a raised car. */
  readonly body?: EmulatedBody;
  readonly robot?: (robot: RobotConfig) => RobotConfig;
  readonly options?: (options: VescDriverOptions) => VescDriverOptions;
  readonly signalNames?: readonly string[];
  readonly vesc?: Partial<VescBusOptions>;
  readonly hostBaud?: number;
  readonly seed?: number;
}

/** Closed, standing. */
export function carRig({ robot: built, options: change, ...more }: CarRigOptions = {}): CarRig {
  const { signalNames, vesc, hostBaud, seed = 1, body: given } = more;
  const { robot: standard } = loadRobotFile('race-car-vesc');
  const robot = built?.(standard) ?? standard;
  const plain = vescOptionsOf(robot, signalNames);
  const options = change?.(plain) ?? plain;
  const body = given ?? raisedCar(robot);
  const rng = new Rng(seed);
  const { baud } = options;
  const bus = new VescBus({ robot, body, baud, rng: rng.fork('bus'), ...vesc });
  const faults = new FaultyDevice(bus, bus.packets, BITS_PER_BYTE / baud, rng.fork('faults'));
  const line = new MemoryLine(faults, { baud, path: '/dev/null', ...(hostBaud === undefined ? {} : { hostBaud }) });
  const { driver: _, ...model } = robot;
  const recorder = new WriteRecorder(VESC_WRITES, vescDecoder(), bus);
  const driver = new VescDriver({
    model,
    options,
    openLine: () => recorder.line(keptLine(line)),
  });
  recorder.watch(driver);
  const state = createRobotState(2, options.signalNames.length);
  const periodS = 1 / robot.controlHz;
  const rig: CarRig = {
    driver,
    robot,
    line,
    bus,
    body,
    faults,
    state,
    xM: 0,
    tick: (reference) => {
      const endS = line.clock.nowS() + periodS;
      const status = driver.read(state);
      if (reference !== undefined) driver.write(anyReference(reference));
      line.wait(endS);
      return status;
    },
    drive: (speedMPerS, ticks, steeringRad = 0) => {
      for (let i = 0; i < ticks; i++) {
        rig.xM += speedMPerS * periodS;
        rig.tick([rig.xM, steeringRad]);
      }
    },
  };
  return rig;
}

/** `driver`, under which a control period passes with each `read`, as the contract suite takes it. */
export function pacedCar({ driver, line, robot }: CarRig): Driver {
  const read = driver.read.bind(driver);
  driver.read = (out) => {
    line.wait(line.clock.nowS() + 1 / robot.controlHz);
    return read(out);
  };
  return driver;
}

/** Open, with torque on. */
export async function openCar(options: CarRigOptions = {}): Promise<CarRig> {
  const rig = carRig(options);
  await rig.driver.open();
  rig.tick();
  rig.driver.torque(1);
  return rig;
}

/** What is to be told, with the row of each. */
export function noticesOf({ driver }: CarRig): string[] {
  const found: string[] = [];
  for (let notice = driver.takeNotice(); notice !== undefined; notice = driver.takeNotice()) {
    found.push(`${notice.row}: ${notice.message}`);
  }
  return found;
}
