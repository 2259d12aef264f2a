import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ReinError } from '../model/index.ts';
import { SafetyChain } from '../safety/index.ts';
import { configNames } from './names.ts';
import { resolveConfig } from './resolve.ts';
import { loadResolvedConfig, resolvedConfigText } from './resolved-file.ts';
import { createSetup } from './setup.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-kinds-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Problems reported on `task` under `overlay`. */
function refusal(task: string, overlay: string): string {
  try {
    resolveConfig({ task, seed: 1, overlay: write('o.yaml', overlay) });
  } catch (error) {
    expect(error).toBeInstanceOf(ReinError);
    return (error as Error).message.replaceAll(folder, '').replaceAll('/o.yaml', 'o.yaml');
  }
  throw new Error('it was taken');
}

describe.each(configNames('task'))('config/tasks/%s.yaml', (task) => {
  it('is taken, makes a task and a chain, and comes back from the run folder bit by bit', () => {
    const config = resolveConfig({ task, seed: 3, isSimulated: true });
    const { robot } = config;
    expect(loadResolvedConfig(write('config.yaml', resolvedConfigText(config)))).toEqual(config);
    const action = config.task.action;
    expect(() => new SafetyChain({ model: robot, action, policyPeriodS: 0.1 })).not.toThrow();
    if (robot.driver.kind === 'mujoco') expect(createSetup(config).task.name).toBe(task);
  });
});

describe('a mobile base', () => {
  it('has axes for joints, which the run folder does not repeat', () => {
    const config = resolveConfig({ task: 'drive-judged', seed: 1 });
    expect(config.robot.joints.map(({ name, velocityMaxRadPerS }) => [name, velocityMaxRadPerS])).toEqual([
      ['x', 0.5],
      ['yaw', 1.8],
    ]);
    expect(resolvedConfigText(config)).not.toContain('joints:');
  });

  it.each([
    ['a limit of its kind', 'robot: { base: { kind: holonomic, turnMaxRadPerS: 3 } }', undefined],
    ['what its kind lacks', 'robot: { base: { kind: ackermann } }', '"base.steeringMaxRad"'],
    ['a limit with another unit', 'robot: { base: { speedMaxKmPerH: 3 } }', 'unknown key "speedMaxKmPerH" in base'],
    ['a negative limit', 'robot: { base: { accelMaxMPerS2: -1 } }', 'a number > 0 and ≤ 50 (m/s²)'],
    ['joints', 'robot: { joints: [] }', 'unknown key "joints" here'],
    ['actions of a tool', 'task: { action: { kind: cartesian } }', 'is a mobile base and has no tool: write joint'],
    [
      'an axis that it has not',
      'task: { action: { dimensions: [ { name: y, scale: 0.01, unit: m } ] } }',
      'there is no "y", robot "base-diff-ros" has the axes x, yaw',
    ],
    [
      'an axis in the wrong unit',
      'task: { action: { dimensions: [ { name: x, scale: 0.01, unit: rad } ] } }',
      'axis "x" is given in rad, it must be m',
    ],
    [
      'more speed than it has',
      'task: { action: { dimensions: [ { name: x, scale: 0.06, unit: m } ] } }',
      'scale is 0.06, axis "x" goes 0.05 m in one step at most',
    ],
  ])('%s is taken or refused with its place', (_name, overlay, expected) => {
    if (expected === undefined) resolveConfig({ task: 'drive-judged', seed: 1, overlay: write('o.yaml', overlay) });
    else expect(refusal('drive-judged', overlay)).toContain(expected);
  });
});

describe('a task that people judge', () => {
  it.each([
    [
      'a part that a message has not',
      '[ { name: a, topic: t, type: sensor_msgs/msg/Imu, fields: [force] } ]',
      'has no "force"',
    ],
    [
      'a size that is missing',
      '[ { name: a, topic: t, type: sensor_msgs/msg/LaserScan, fields: [ranges] } ]',
      'needs "size"',
    ],
    [
      'a type that nobody reads',
      '[ { name: a, topic: t, type: sensor_msgs/msg/NavSatFix, fields: [x] } ]',
      'topics[0].type is',
    ],
    [
      'one name twice',
      '[ { name: a, topic: t, type: std_msgs/msg/Float64, fields: [data] }, { name: a, topic: u, type: std_msgs/msg/Float64, fields: [data] } ]',
      '"a" stands twice',
    ],
  ])('refuses %s', (_name, topics, expected) => {
    expect(refusal('drive-judged', `task: { observation: { topics: ${topics} } }`)).toContain(expected);
  });

  it('refuses a simulated scene, which no person can judge, and the keys of other kinds', () => {
    expect(refusal('reach-judged', 'task: { robot: arm6 }')).toContain('which people cannot judge');
    expect(refusal('reach-judged', 'task: { peg: { widthM: 0.02 } }')).toContain('unknown key "peg"');
    expect(refusal('reach-judged', 'task: { kind: pegInsertion }')).toContain('the key "peg"');
  });
});
