import { expect, it } from 'vitest';
import { EMULATED_ROBOTS } from '../../../src/cli/index.ts';
import { loadRobotFile } from '../../../src/config/index.ts';
import { emulatorKind } from './kinds.ts';

it.each(Object.entries(EMULATED_ROBOTS))(
  'rein emulate %s has devices, and the robot %s has such a driver',
  (kind, robot) => {
    expect(emulatorKind(kind).kind).toBe(kind);
    expect(loadRobotFile(robot).robot.driver.kind).toBe(kind);
  },
);
