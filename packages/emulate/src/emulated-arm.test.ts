import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadRobotFile } from '../../../src/config/index.ts';
import { calibrationText, FEETECH_MODELS } from '../../../src/drivers/serial.ts';
import { mountedServos } from './emulated-arm.ts';

const { robot } = loadRobotFile('so101');
const FEETECH = { family: 'feetech', model: 'sts3215', models: FEETECH_MODELS };
const PER_RAD = 4096 / (2 * Math.PI);

function onBus(calibration: string): typeof robot {
  const motors = Object.fromEntries(
    robot.joints.map(({ name }, i) => [name, { id: i + 11, model: 'sts3215_12v', perTurn: 2 * Math.PI }]),
  );
  const signals = [{ name: 'buttonZM', id: 7, model: 'sts3215', zeroCounts: 100, perCount: 0.00001 }];
  return { ...robot, driver: { kind: 'feetech', calibration, motors, signals } as never };
}

it('gives each joint a servo in the middle of its turn, where the file names no bus', () => {
  const servos = mountedServos(robot, FEETECH);
  expect(servos.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(servos[2]).toMatchObject({ joint: 2, zeroCounts: 2048, countsPerUnit: PER_RAD });
});

it('takes ids, models and encoders from the file, and the mounting from its calibration', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'rein-mounted-')), 'so101.json');
  expect(mountedServos(onBus(path), FEETECH)[1]).toMatchObject({ id: 12, zeroCounts: 2048, homingOffsetCounts: 0 });
  const joint = { model: 'sts3215_12v', modelNumber: 777, firmware: '3.10', minCounts: 0, maxCounts: 4095 };
  const joints = Object.fromEntries(
    robot.joints.map(({ name }, i) => [
      name,
      { ...joint, id: i + 11, direction: i === 1 ? -1 : 1, zeroCounts: 2000 + i, homingOffsetCounts: 50 },
    ]),
  ) as never;
  writeFileSync(
    path,
    calibrationText({
      kind: 'rein-calibration',
      version: 1,
      robot: 'so101',
      family: 'feetech',
      adapter: 'EMU0001',
      calibratedAt: '',
      joints,
    }),
  );
  const servos = mountedServos(onBus(path), FEETECH);
  expect(servos[1]).toMatchObject({ id: 12, zeroCounts: 2051, countsPerUnit: -PER_RAD, homingOffsetCounts: 50 });
  expect(servos[1]!.model.name).toBe('sts3215_12v');
  expect(servos[6]).toMatchObject({ id: 7, signal: 'buttonZM', zeroCounts: 100 });
  expect(servos[6]!.countsPerUnit).toBeCloseTo(100_000, 6);
});

it('has an encoder for each signal of the scene that the file does not name', () => {
  const signalNames = ['buttonZM', 'buttonYawRad'];
  const alone = mountedServos(robot, { ...FEETECH, signalNames });
  expect(alone.slice(6)).toMatchObject([
    { id: 7, signal: 'buttonZM', zeroCounts: 0, countsPerUnit: 100_000 },
    { id: 8, signal: 'buttonYawRad', countsPerUnit: 10_000 },
  ]);
  const named = mountedServos(onBus('/nowhere.json'), { ...FEETECH, signalNames });
  expect(named.slice(6)).toMatchObject([
    { id: 7, signal: 'buttonZM', zeroCounts: 100 },
    { id: 17, signal: 'buttonYawRad' },
  ]);
});

it('refuses a model that there is not', () => {
  const wrong = onBus('/nowhere.json');
  (wrong.driver as never as { motors: Record<string, { model: string }> }).motors['gripper']!.model = 'sts9';
  expect(() => mountedServos(wrong, FEETECH)).toThrow(/There is no feetech servo sts9/);
});
