import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mockArm6 } from '../../../tests/support/live-run.ts';
import { resolveConfig } from '../../config/index.ts';
import { driverKind } from '../../drivers/index.ts';
import { parseGuardConfig } from '../../guard/guard-config.ts';
import { guardConfigOf } from './prepare-run.ts';

it('starts a guard with the names of the task, and its ROS programs with the arguments of the node', () => {
  const behindRos = { option: '--robot', path: ['task', 'robot'] as const, value: 'arm6-ros' };
  const config = resolveConfig({ task: 'insert', seed: 0, overrides: [behindRos] });
  const rosArguments = ['--ros-args', '-r', '__ns:=/left'];
  const guard = guardConfigOf(config, ['depthM'], { socketPath: '/s', authority: 'node', rosArguments });
  expect(guard).toMatchObject({ action: config.task.action, policyPeriodS: 0.1, socketPath: '/s', authority: 'node' });
  expect(guard.model).not.toHaveProperty('driver');
  expect(guard.driver).toMatchObject({
    name: 'ros',
    options: { signalNames: ['depthM'] },
    processes: { rosArguments },
  });
});

it("starts a guard with what the robot's file keeps from people, and a driver that tells their distance", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-separation-'));
  const own = 'toolSpeedMaxMPerS: 0.5\nseparation: { reactionS: 0.1, intrusionM: 0.2, uncertaintyM: 0.05 }\n';
  const value = join(folder, 'mine.yaml');
  writeFileSync(value, `${mockArm6('  distanceM: 2\n')}${own}`);
  const overrides = [{ option: '--robot', path: ['task', 'robot'] as const, value }];
  const written = guardConfigOf(resolveConfig({ task: 'insert', seed: 0, overrides }), [], {
    socketPath: '/s',
    authority: 'node',
  });
  rmSync(folder, { recursive: true });
  const { model, driver } = parseGuardConfig(JSON.stringify(written));
  const defaults = { humanSpeedMPerS: 1.6, freshnessMs: 100 };
  expect(model.separation).toEqual({ reactionS: 0.1, intrusionM: 0.2, uncertaintyM: 0.05, ...defaults });
  const made = await driverKind(driver.name).create(driver.options, { model });
  expect([...made.report.distance]).toEqual([2, 0]);
});
