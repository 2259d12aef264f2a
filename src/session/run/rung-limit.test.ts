import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freshCalibration, servoOptionsOf } from '../../../tests/support/emulated-servos.ts';
import { loadRobotFile, type RobotConfig, resolveConfig } from '../../config/index.ts';
import { calibrationText, feetechFamily } from '../../drivers/serial.ts';
import { appendRung, RUNGS, recordStops, rungLogPath } from '../../record/index.ts';
import { guardConfigOf } from './prepare-run.ts';
import { ladderSubject, rungLimit } from './rung-limit.ts';
import { speedModeLine, speedModeOf } from './speed-mode.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-limit-'));
  vi.stubEnv('REIN_STATE', join(folder, 'state'));
  vi.stubEnv('REIN_CONFIG', join(folder, 'config'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function calibratedArm(port?: string): RobotConfig {
  const { robot } = loadRobotFile('so101');
  const path = join(folder, 'config', 'calibration', 'so101.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, calibrationText(freshCalibration(robot, servoOptionsOf(robot), feetechFamily, '3.10')));
  return { ...robot, driver: { ...robot.driver, ...(port === undefined ? {} : { port }) } };
}

function pass(robot: RobotConfig, count: number): void {
  const subject = ladderSubject(robot)!;
  for (const rung of RUNGS.slice(0, count)) {
    appendRung(rungLogPath(subject), {
      ...subject,
      rung,
      at: '2026-01-01T00:00:00Z',
      version: '0',
      proved: 'x',
      by: 'me',
    });
  }
}

describe('an arm of bus servos', () => {
  it('goes at the speed of the rung that it has passed, and says what is next', () => {
    const robot = calibratedArm();
    expect(rungLimit(robot)).toMatchObject({
      speedRatio: 0.05,
      message:
        'so101 has passed no rung of rein bring-up yet: limited to 5 % of its speed. Next: rein bring-up --robot so101',
    });
    pass(robot, 3);
    expect(rungLimit({ ...robot, driver: { ...robot.driver, named: 'mine.yaml' } } as RobotConfig)).toMatchObject({
      speedRatio: 0.25,
      message:
        'so101 has passed slow, and not burn-in: limited to 25 % of its speed. Next: rein bring-up --robot mine.yaml',
    });
    pass(robot, 5);
    expect(rungLimit(robot)).toBe(undefined);
  });

  it('keeps people away by the stops that were measured on it, where its file leaves them to that', () => {
    const separation = { humanSpeedMPerS: 1.6, reactionS: 0.1, intrusionM: 0, uncertaintyM: 0, freshnessMs: 100 };
    const robot = { ...calibratedArm('/dev/ttyACM7'), toolSpeedMaxMPerS: 0.5, separation };
    const config = resolveConfig({ task: 'reach-judged', seed: 0 });
    const stopsOf = (of: RobotConfig) =>
      guardConfigOf({ ...config, robot: of }, [], { socketPath: '/s', authority: 'node' }).model.separation?.stops;
    expect(stopsOf(robot)).toBe(undefined);
    const stop = { speedMPerS: 0.1, timeS: 0.2, distanceM: 0.02 };
    recordStops(ladderSubject(robot)!, [{ ...stop, loadKg: 0.1 }], '2026-01-01T00:00:00Z');
    expect(stopsOf(robot)).toEqual([stop]);
    const own = [{ speedMPerS: 0.3, timeS: 1, distanceM: 0.3 }];
    expect(stopsOf({ ...robot, separation: { ...separation, stops: own } })).toEqual(own);
  });

  it('is at reduced speed until it has passed its burn-in, whatever is asked for', () => {
    const robot = calibratedArm();
    expect(speedModeOf(robot, 'full')).toBe('reduced');
    pass(robot, 3);
    expect(speedModeOf(robot, 'full')).toBe('reduced');
    expect(speedModeLine(robot, 'full')).toBe(
      'Reduced speed: no point of so101 is moved faster than 0.25 m/s. Full speed comes with the rung burn-in.',
    );
    pass(robot, 4);
    expect(speedModeOf(robot, 'full')).toBe('full');
    expect(speedModeOf(robot, 'reduced')).toBe('reduced');
  });

  it('falls back when its file changes, and says why; another port or place of its calibration changes nothing', () => {
    const robot = calibratedArm();
    pass(robot, 5);
    expect(rungLimit(calibratedArm('/dev/ttyACM7'))).toBe(undefined);
    const [first, ...rest] = robot.joints;
    const other = { ...robot, joints: [{ ...first!, velocityMaxRadPerS: 2 }, ...rest] };
    expect(rungLimit(other)?.message).toContain("and not slow: the robot's file was changed since slow was passed");
  });

  it('without a calibration is at the bottom', () => {
    const { robot } = loadRobotFile('so101');
    expect(rungLimit(robot)).toMatchObject({ speedRatio: 0.05 });
  });

  it('that is emulated at a pseudo-terminal is free until its first rung', () => {
    const link = join(folder, 'usb-Emulated_so101_EMU0001-if00');
    symlinkSync('/dev/pts/ptmx', link);
    const robot = calibratedArm(link);
    expect(rungLimit(robot)).toBe(undefined);
    pass(robot, 1);
    expect(rungLimit(robot)).toMatchObject({ speedRatio: 0.05 });
  });
});

describe('a car with a VESC', () => {
  const { robot } = loadRobotFile('race-car-vesc');
  const withDriver = (driver: object): RobotConfig => ({ ...robot, driver: { ...robot.driver, ...driver } });

  it('goes at the speed of the rung that it has passed; another port changes nothing', () => {
    expect(rungLimit(robot)).toMatchObject({ speedRatio: 0.05 });
    pass(robot, 3);
    expect(rungLimit(robot)).toMatchObject({ speedRatio: 0.25 });
    pass(robot, 5);
    expect(rungLimit(robot)).toBe(undefined);
    expect(rungLimit(withDriver({ port: '/dev/ttyACM7' }))).toBe(undefined);
  });

  it('has to be seen anew once it counts or steers otherwise, and driven anew once anything else is', () => {
    pass(robot, 5);
    const { motor, steering } = robot.driver as unknown as { motor: object; steering: object };
    expect(rungLimit(withDriver({ motor: { ...motor, isReversed: true } }))?.ladder.next).toBe('mirror');
    expect(rungLimit(withDriver({ steering: { ...steering, centre: 0.5 } }))?.ladder.next).toBe('mirror');
    expect(rungLimit(withDriver({ mosfetMaxC: 70 }))?.ladder.next).toBe('slow');
  });
});

it('has nothing to say of a robot that is simulated', () => {
  expect(rungLimit(loadRobotFile('arm6').robot)).toBe(undefined);
});
