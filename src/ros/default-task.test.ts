import { describe, expect, it } from 'vitest';
import { taskOf } from './default-task.ts';
import { configOf, nodeRequest } from './node/settings.ts';

describe('the task of a robot that is started without one', () => {
  it.each([
    ['', 'insert'],
    ['arm6-ros', 'insert'],
    ['arm6', 'insert'],
    ['so101', 'reach-judged'],
    ['base-diff-ros', 'drive-judged'],
    ['base-ackermann-ros', 'drive-car-judged'],
    ['no-such-robot', 'insert'],
  ])('of %j is %s', (robot, task) => {
    expect(taskOf('', robot)).toBe(task);
    expect(taskOf('press', robot)).toBe('press');
  });

  it.each(['arm6-ros', 'so101', 'viperx', 'base-diff-ros', 'base-ackermann-ros', 'race-car'])('fits %s', (robot) => {
    expect(() => configOf(nodeRequest(['--ros-args', '-p', `robot:=${robot}`]))).not.toThrow();
  });
});
