import { describe, expect, it } from 'vitest';
import { resolveConfig } from './resolve.ts';
import { createSetup } from './setup.ts';

const behindRos = { option: '--robot', path: ['task', 'robot'] as const, value: 'arm6-ros' };

describe('a robot behind ROS 2', () => {
  it('is the arm of the simulator in everything but its driver and the torques that were identified with it', () => {
    const simulated = resolveConfig({ task: 'insert', seed: 1 }).robot;
    const ros = resolveConfig({ task: 'insert', seed: 1, overrides: [behindRos] }).robot;
    const others = { driver: undefined, torqueObserver: undefined };
    expect(ros.torqueObserver).toBeUndefined();
    expect({ ...ros, ...others }).toEqual({ ...simulated, ...others });
    expect(ros.driver.kind).toBe('ros');
  });

  it('takes the place of the robot that the task names, with the same numbers to learn from', () => {
    const own = createSetup(resolveConfig({ task: 'insert-tight', seed: 1 }));
    const setup = createSetup(resolveConfig({ task: 'insert-tight', seed: 1, overrides: [behindRos] }));
    expect(setup.schemaHash).toBe(own.schemaHash);
    expect(setup.driver).toMatchObject({
      name: 'ros',
      options: { signalNames: setup.task.signalNames, signals: [{ name: 'depthM' }] },
      processes: { rosArguments: [] },
    });
    expect(setup.driver.processes?.bridgeModule).toMatch(/ros\/bridge\/bridge-process\.js$/);
  });

  it('refuses what is wrong about its driver in one line each, with what is allowed for its kind', () => {
    const wrong = (path: readonly string[], value: string | number) =>
      resolveConfig({
        task: 'insert',
        seed: 1,
        overrides: [behindRos, { option: '--x', path: ['robot', 'driver', ...path] as ['robot', ...string[]], value }],
      });
    expect(() => wrong(['kind'], 'serial')).toThrow(/driver\.kind is "serial", it must be .*"mujoco".*"ros"/);
    expect(() => wrong(['comand'], 1)).toThrow(/unknown key "comand" in driver.*did you mean "command"/i);
    expect(() => wrong(['scenne'], 1)).not.toThrow(/allowed are kind, scene,/);
    expect(() => wrong(['freshnessMs'], 0)).toThrow(/driver\.freshnessMs is 0, it must be a number ≥ 2/);
    expect(() => wrong(['command', 'interface'], 'torque')).toThrow(/"effort"/);
    expect(() => wrong(['command', 'topic'], 'a b')).toThrow(/driver\.command\.topic/);
    expect(() => createSetup(wrong(['command', 'interface'], 'twist'))).toThrow('cannot be driven through "twist"');
  });
});
