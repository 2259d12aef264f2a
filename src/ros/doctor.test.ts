import { describe, expect, it } from 'vitest';
import { rosStatus } from './doctor.ts';

describe('rosStatus', () => {
  const sourced = { ROS_DISTRO: 'jazzy', AMENT_PREFIX_PATH: '/opt/ros/jazzy' };

  it('does not need ROS', () => {
    expect(rosStatus({}, undefined)).toMatchObject({ usable: 'not needed', distro: undefined, remedy: undefined });
    expect(rosStatus({ ROS_DISTRO: '' }, '2.2.0').detail).toBe(
      'no ROS 2 is sourced, everything else works without (rclnodejs 2.2.0 is installed)',
    );
  });

  it('sees a ROS that is sourced by half', () => {
    expect(rosStatus({ ROS_DISTRO: 'jazzy' }, '2.2.0')).toMatchObject({
      usable: 'no',
      remedy: 'source /opt/ros/jazzy/setup.bash',
    });
  });

  it('asks for rclnodejs where ROS is sourced', () => {
    expect(rosStatus(sourced, undefined)).toMatchObject({
      usable: 'no',
      detail: 'ROS 2 jazzy is sourced, but rclnodejs is not installed',
    });
  });

  it('is content with both, and says where a build from source is to be expected', () => {
    expect(rosStatus(sourced, '2.2.0')).toMatchObject({ usable: 'yes', detail: 'ROS 2 jazzy with rclnodejs 2.2.0' });
    expect(rosStatus({ ...sourced, ROS_DISTRO: 'rolling' }, '2.2.0').detail).toContain('without ready-made binaries');
  });
});
