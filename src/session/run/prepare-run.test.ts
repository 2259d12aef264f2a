import { expect, it } from 'vitest';
import { resolveConfig } from '../../config/index.ts';
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
