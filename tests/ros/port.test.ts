import { rosEnvironment } from '../../src/ros/index.ts';
import { openRosPort } from '../../src/ros/rclnodejs/rclnodejs-port.ts';
import { describeRosPort, RUN_EPISODE } from '../contract/ros-port.contract.ts';
import { describeRos } from '../support/ros.ts';

// Without the workspace's own interfaces there is no action to try.
const hasOwnInterfaces = rosEnvironment(['rein']).problem === undefined;

describeRos('against a real ROS 2', () => {
  describeRosPort('rclnodejs', () => ({ open: openRosPort }), hasOwnInterfaces ? RUN_EPISODE : undefined);
});
