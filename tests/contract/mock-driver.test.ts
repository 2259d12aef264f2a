import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { MockDriver } from '../../src/drivers/index.ts';
import { oddArm3, ur5eLike } from '../support/robot-models.ts';
import { describeDriver } from './driver.contract.ts';

describeDriver('mock (six joints)', () => ({ driver: new MockDriver(ur5eLike), model: ur5eLike }));
describeDriver('mock (three joints)', () => ({
  driver: new MockDriver(oddArm3, { signalNames: ['depthM'] }),
  model: oddArm3,
}));
const folder = mkdtempSync(join(tmpdir(), 'rein-mock-'));
afterAll(() => rmSync(folder, { recursive: true }));
let buses = 0;
describeDriver('mock (six joints, with a bus)', () => {
  const busPath = join(folder, `bus-${buses++}`);
  spawnSync('mkfifo', [busPath]);
  return { driver: new MockDriver(ur5eLike, { busPath }), model: ur5eLike };
});
