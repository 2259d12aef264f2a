import { describe, expect, it } from 'vitest';
import { rosOptions } from '../../../tests/support/fake-ros-link.ts';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import type { CommandInterface } from '../../drivers/ros/options.ts';
import type { ControllerState } from '../messages/controller-manager.ts';
import { holdersOf, holdersText, orderFault } from './claims.ts';

const joints = ['pan', 'lift', 'elbow'];
const options = (kind: CommandInterface = 'position') => ({ ...rosOptions(ur5eLike, kind), rosJointNames: joints });

describe('the order of the joints in a command without names', () => {
  it('is right where a controller has them as the robot file does, active or not, alone or in a chain', () => {
    const claims = ['pan/position', 'lift/position', 'elbow/position'];
    expect(orderFault([controller('forward', claims)], options())).toBeUndefined();
    expect(orderFault([{ ...controller('forward', []), claimed_interfaces: claims }], options())).toBeUndefined();
    const chained = claims.map((each) => `admittance_controller/${each}`);
    expect(orderFault([controller('forward', chained)], options())).toBeUndefined();
  });

  it('is refused where it is another, with both orders and what to do', () => {
    const alphabetical = ['elbow/position', 'lift/position', 'pan/position'];
    const said = orderFault([controller('forward', alphabetical)], options());
    expect(said).toContain('forward takes its numbers for elbow, lift, pan, in this order');
    expect(said).toContain("the robot's file has pan, lift, elbow");
    expect(said).toContain("parameter `joints` the file's order, [pan, lift, elbow]");
  });

  it.each([
    [
      'more joints',
      ['pan/position', 'lift/position', 'elbow/position', 'gripper/position'],
      'pan, lift, elbow, gripper',
    ],
    ['fewer joints', ['pan/position', 'lift/position'], 'for pan, lift,'],
    ['other names', ['ur_pan/position', 'ur_lift/position', 'ur_elbow/position'], 'driver.jointStates.names'],
    ['another quantity', ['pan/velocity', 'lift/velocity', 'elbow/velocity'], 'commands velocity'],
  ])('is refused where a controller has %s', (_what, claims, words) => {
    expect(orderFault([controller('forward', claims)], options())).toContain(words);
  });

  it('is not known where no controller says it, and does not matter where joints are named or the tool is moved', () => {
    expect(orderFault([controller('forward', [])], options())).toBe('unknown');
    const other = [controller('other', ['elbow/position', 'lift/position', 'pan/position'])];
    for (const kind of ['jointTrajectory', 'pose', 'twist'] as const) {
      expect(orderFault(other, options(kind))).toBeUndefined();
    }
  });

  it('is that of the controllers that command this robot: those of a gripper and broadcasters may have any', () => {
    const arm = controller('forward', ['pan/position', 'lift/position', 'elbow/position']);
    const others = [controller('gripper', ['finger/position']), controller('broadcaster', [])];
    expect(orderFault([...others, arm], options())).toBeUndefined();
  });
});

describe('the holders of the joints', () => {
  const trajectory: ControllerState = {
    ...controller('scaled_joint_trajectory_controller', ['pan/position', 'lift/position', 'elbow/position']),
    state: 'active',
    claimed_interfaces: ['pan/position', 'lift/position', 'elbow/position'],
  };
  const idle = controller('forward', ['pan/position', 'lift/position', 'elbow/position']);

  it('are the active controllers of others that claim them', () => {
    const holders = holdersOf([trajectory, idle], ['forward'], joints);
    expect(holdersText(holders)).toBe('scaled_joint_trajectory_controller holds pan, lift, elbow');
    expect(holdersOf([{ ...trajectory, state: 'inactive' }, idle], ['forward'], joints)).toEqual([]);
    expect(holdersOf([trajectory, idle], ['forward', trajectory.name], joints)).toEqual([]);
  });

  it('are in the way of those that need the same interfaces', () => {
    const effort = { ...trajectory, name: 'effort', claimed_interfaces: ['pan/effort'] };
    expect(holdersOf([effort, trajectory], ['forward'], joints, [idle]).map(({ name }) => name)).toEqual([
      trajectory.name,
    ]);
  });
});

function controller(name: string, required: readonly string[]): ControllerState {
  return {
    name,
    state: 'inactive',
    type: 'forward_command_controller/ForwardCommandController',
    claimed_interfaces: [],
    required_command_interfaces: required,
    required_state_interfaces: [],
    is_chainable: false,
    is_chained: false,
    reference_interfaces: [],
    chain_connections: [],
  };
}
