import { describe, expect, it } from 'vitest';
import { fakeInstallation } from '../../tests/support/fake-ros-installation.ts';
import { rosFindings, rosStatus } from './doctor.ts';
import { rosEnvironment } from './rclnodejs/environment.ts';

describe('the line of rein doctor', () => {
  const status = (probe: ReturnType<typeof fakeInstallation>) => rosStatus(rosEnvironment([], probe));

  it('does not need ROS', () => {
    expect(status(fakeInstallation({ env: {} }))).toMatchObject({ usable: 'not needed', remedy: undefined });
  });

  it('sees a ROS that is sourced by half', () => {
    expect(status(fakeInstallation({ env: { ROS_DISTRO: 'jazzy' } }))).toMatchObject({
      usable: 'no',
      remedy: 'source /opt/ros/jazzy/setup.bash',
    });
  });

  it('says what is missing, or what is there', () => {
    expect(status(fakeInstallation({ version: undefined }))).toMatchObject({
      usable: 'no',
      detail: 'rclnodejs is not installed',
      remedy: 'run npm run ros:install',
    });
    expect(status(fakeInstallation({}))).toEqual({
      usable: 'yes',
      detail: 'ROS 2 humble with rclnodejs 2.2.0',
      remedy: undefined,
    });
  });
});

describe('the table of ros:doctor', () => {
  it('ends at the first thing that everything after it needs', () => {
    const rows = rosFindings(fakeInstallation({ builtFor: 'jazzy' }));
    expect(rows.at(-1)).toEqual({
      name: 'native addon',
      status: 'fail',
      detail: 'the native addon of rclnodejs is built for ROS 2 jazzy, sourced is humble',
      remedy: 'run npm run ros:install',
    });
  });

  it('shows what only some need as a warning, and the package rein as needed', () => {
    const rows = rosFindings(fakeInstallation({}));
    const row = (name: string) => rows.find((found) => found.name === name);
    expect(row('package rein')).toMatchObject({ status: 'fail' });
    expect(row('package rein')?.remedy).toContain('colcon build');
    expect(row('ackermann_msgs')).toMatchObject({
      status: 'warn',
      remedy: 'install ros-humble-ackermann-msgs, then run npm run ros:install',
    });
    expect(row('ROS domain')).toEqual({ name: 'ROS domain', status: 'ok', detail: '7, this computer only' });
  });
});
