import { describe, expect, it } from 'vitest';
import { type FakeInstallation, fakeInstallation } from '../../../tests/support/fake-ros-installation.ts';
import { NEEDED_INTERFACES, rosEnvironment } from './environment.ts';
import { stampText, unseenPackages } from './installation.ts';

const INDEX = 'share/ament_index/resource_index/rosidl_interfaces';
const withoutTrigger = NEEDED_INTERFACES.filter((name) => name !== 'std_srvs');
const readyMade = '/app/node_modules/rclnodejs/prebuilds/linux-x64/jazzy-noble-x64-node-rclnodejs.node';
const sourced = { ROS_DISTRO: 'humble', AMENT_PREFIX_PATH: '/opt/ros/humble', LD_LIBRARY_PATH: '/opt/ros/humble/lib' };

describe('the environment of rclnodejs', () => {
  it('is good where everything fits', () => {
    const { problem, checks, distro } = rosEnvironment([], fakeInstallation({}));
    expect(problem).toBeUndefined();
    expect(distro).toBe('humble');
    expect(checks.every((check) => check.isGood)).toBe(true);
  });

  const cases: readonly [string, FakeInstallation, string, string][] = [
    ['no ROS', { env: {} }, 'no ROS 2 is sourced in this shell', 'source /opt/ros/<distribution>/setup.bash'],
    [
      'half a ROS',
      { env: { ROS_DISTRO: 'humble' } },
      'AMENT_PREFIX_PATH is empty',
      'source /opt/ros/humble/setup.bash',
    ],
    ['the other half', { env: { AMENT_PREFIX_PATH: '/x' } }, 'ROS_DISTRO is empty', 'source the setup.bash of ROS 2'],
    ['a prefix without ROS', { env: { ...sourced, AMENT_PREFIX_PATH: '/x' } }, 'holds lib/librcl', 'installed ROS 2'],
    [
      'libraries out of reach',
      { env: { ...sourced, LD_LIBRARY_PATH: '' } },
      '/opt/ros/humble/lib is not in LD_LIBRARY_PATH',
      'source /opt/ros/humble/setup.bash',
    ],
    ['a worker thread', { isMainThread: false }, 'works on the main thread only', 'a process of its own'],
    [
      'a build at every start',
      { env: { ...sourced, RCLNODEJS_FORCE_BUILD: '1' } },
      'would rebuild rclnodejs at every start',
      'unset RCLNODEJS_FORCE_BUILD',
    ],
    ['no rclnodejs', { version: undefined }, 'rclnodejs is not installed', 'run npm run ros:install'],
    ['no addon', { builtFor: undefined }, 'its native addon is not built', 'run npm run ros:install'],
    [
      'an addon of another distribution',
      { builtFor: 'jazzy' },
      'the native addon of rclnodejs is built for ROS 2 jazzy, sourced is humble',
      'run npm run ros:install',
    ],
    [
      'a ready-made addon of another distribution, copied',
      { files: { '/app/node_modules/rclnodejs/build/rclnodejs.target.mk': '', [readyMade]: 'addon' } },
      'is built for ROS 2 jazzy',
      'run npm run ros:install',
    ],
    [
      'an addon of unknown origin',
      { files: { '/app/node_modules/rclnodejs/build/rclnodejs.target.mk': '', [readyMade]: 'other' } },
      'the ROS 2 distribution that the native addon of rclnodejs was built for is unknown',
      'run npm run ros:install',
    ],
    ['messages of nobody', { generatedFor: undefined }, 'are not generated, or not by Rein', 'run npm run ros:install'],
    ['messages of another distribution', { generatedFor: 'jazzy' }, 'are made for ROS 2 jazzy', 'ros:install'],
    [
      'an interface package that ROS lacks',
      { offered: withoutTrigger },
      'the interface package std_srvs is not in the sourced ROS 2',
      'install ros-humble-std-srvs, then run npm run ros:install',
    ],
    [
      'an interface package that came later',
      { generated: withoutTrigger },
      'rclnodejs has no messages of the package std_srvs yet',
      'run npm run ros:install',
    ],
    [
      'interfaces of a workspace that changed since',
      {
        env: { ...sourced, AMENT_PREFIX_PATH: '/ws:/opt/ros/humble' },
        files: {
          [`/ws/${INDEX}/rein`]: 'msg/State.msg\nmsg/State.idl',
          '/ws/share/rein/msg/State.msg': 'int32 a',
          '/app/node_modules/rclnodejs/generated/rein-stamp.json': '{"distro":"humble","packages":{"rein":"0"}}',
        },
      },
      "the interfaces of rein have changed since rclnodejs' messages were generated",
      'run npm run ros:install',
    ],
    [
      'a stamp of an older Rein',
      {
        files: {
          '/app/node_modules/rclnodejs/generated/rein-stamp.json': '{"distro":"humble","fingerprint":"0"}',
        },
      },
      'are not generated, or not by Rein',
      'run npm run ros:install',
    ],
    [
      'a stamp that is no JSON',
      { files: { '/app/node_modules/rclnodejs/generated/rein-stamp.json': 'x' } },
      'are not generated, or not by Rein',
      'ros:install',
    ],
  ];

  it.each(cases)('%s is said in one sentence, with what to do', (_, fake, message, remedy) => {
    const { problem, checks } = rosEnvironment([], fakeInstallation(fake));
    expect(problem).toMatchObject({ kind: 'environment' });
    expect(problem?.message).toContain(message);
    expect(problem?.message).not.toContain('\n');
    expect(problem?.remedy).toContain(remedy);
    expect(checks.filter((check) => !check.isGood)).toHaveLength(1);
  });

  it('takes the addon that is ready-made for exactly this system', () => {
    const files = {
      '/etc/os-release': 'NAME=x\nVERSION_CODENAME=jammy\n',
      '/app/node_modules/rclnodejs/prebuilds/linux-x64/humble-jammy-x64-node-rclnodejs.node': 'addon',
    };
    expect(rosEnvironment([], fakeInstallation({ builtFor: undefined, files })).problem).toBeUndefined();
  });

  it('knows what ros:install has to make anew, and asks for it only where it is needed', () => {
    const files: Record<string, string> = {
      [`/ws/${INDEX}/gripper_msgs`]: 'msg/Grip.msg',
      '/ws/share/gripper_msgs/msg/Grip.msg': 'int32 a',
    };
    const env = { ...sourced, AMENT_PREFIX_PATH: '/ws:/opt/ros/humble' };
    const before = stampText(fakeInstallation({}));
    const stamp = '/app/node_modules/rclnodejs/generated/rein-stamp.json';
    const later = fakeInstallation({ env, files: { ...files, [stamp]: before } });
    expect(unseenPackages(later)).toEqual(['gripper_msgs']);
    expect(rosEnvironment([], later).problem).toBeUndefined();
    // Its generation was tried and gave nothing: it is not tried again until it changes.
    const tried = stampText(later);
    expect(unseenPackages(fakeInstallation({ env, files: { ...files, [stamp]: tried } }))).toEqual([]);
    const rebuilt = { ...files, '/ws/share/gripper_msgs/msg/Grip.msg': 'int64 a', [stamp]: tried };
    expect(rosEnvironment([], fakeInstallation({ env, files: rebuilt })).problem?.message).toBe(
      "the interfaces of gripper_msgs have changed since rclnodejs' messages were generated",
    );
    // A shell without that workspace has nothing to regenerate.
    expect(rosEnvironment([], fakeInstallation({ files: { [stamp]: tried } })).problem).toBeUndefined();
  });

  it('asks for the package rein where that is needed', () => {
    const { problem } = rosEnvironment(['rein'], fakeInstallation({}));
    expect(problem?.message).toBe('the interface package rein is not in the sourced ROS 2');
    expect(problem?.remedy).toContain('colcon build');
  });
});
