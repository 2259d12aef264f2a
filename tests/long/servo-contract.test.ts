/** The contract of drivers, at arms of bus servos at a serial port, in real time. Needs `dist/`. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { loadRobotFile } from '../../src/config/index.ts';
import type { Driver } from '../../src/drivers/index.ts';
import { calibrationText, DescriptorLine, dynamixelFamily, feetechFamily } from '../../src/drivers/serial.ts';
import { ServoDriver } from '../../src/drivers/servo/servo-driver.ts';
import { SystemClock } from '../../src/model/index.ts';
import { type DriverSubject, describeDriver } from '../contract/driver.contract.ts';
import { FIRMWARE, freshCalibration, servoOptionsOf } from '../support/emulated-servos.ts';

const clock = new SystemClock();
const dist = (path: string): string => fileURLToPath(new URL(`../../dist/bench/bus-trials/${path}`, import.meta.url));
/** How often the contract suite reads: faster than the arm's own ticks. */
const READ_S = 0.005;
const PAUSE = new Int32Array(new SharedArrayBuffer(4));
const ARMS = [
  { name: 'so101', family: feetechFamily },
  { name: 'koch', family: dynamixelFamily },
] as const;

/** `driver`, in which time passes with each `read`. */
function paced(driver: Driver): Driver {
  const read = driver.read.bind(driver);
  let nextS = clock.nowS();
  driver.read = (out) => {
    nextS = Math.max(nextS + READ_S, clock.nowS());
    Atomics.wait(PAUSE, 0, 0, 1e3 * Math.max(0, nextS - clock.nowS()));
    return read(out);
  };
  return driver;
}

describe.each(ARMS)('the arm $name', ({ name, family }) => {
  const { robot } = loadRobotFile(name);
  const { driver: _, ...model } = robot;
  const folder = mkdtempSync(join(tmpdir(), 'rein-bus-faults-'));
  const link = join(folder, 'usb-Emulated_arm_EMU0001-if00');
  const calibration = join(folder, 'calibration.json');
  const options = { ...servoOptionsOf(robot), calibration };
  let emulator: ChildProcess;

  beforeAll(() => {
    writeFileSync(calibration, calibrationText(freshCalibration(robot, options, family, FIRMWARE[family.name]!)));
  });
  beforeEach(async () => {
    emulator = fork(dist('emulator-process.js'), [link, name]);
    await once(emulator, 'message');
  });
  afterEach(async () => {
    const ended = once(emulator, 'exit');
    emulator.disconnect();
    await ended;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const create = (): DriverSubject => {
    const driver = new ServoDriver({
      model,
      family,
      options,
      openLine: ({ baud }) => {
        spawnSync('stty', ['-F', link, String(baud), 'raw', '-echo', 'min', '0', 'time', '0']);
        return new DescriptorLine({ path: link, baud }, clock);
      },
      adapterAt: () => 'EMU0001',
    });
    return { driver: paced(driver), model };
  };
  describeDriver(`${family.name}, at a pseudo-terminal,`, create, 5);
});
