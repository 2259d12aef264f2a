import { RosDriver } from '../../src/drivers/ros/ros-driver.ts';
import { FakeRosLink, rosOptions } from '../support/fake-ros-link.ts';
import { ur5eLike } from '../support/robot-models.ts';
import { describeDriver } from './driver.contract.ts';

describeDriver('ROS', () => {
  const options = rosOptions(ur5eLike, 'position', { scene: { service: 'reset_scene' } });
  const link = new FakeRosLink(ur5eLike, options);
  return { driver: new RosDriver(ur5eLike, options, link, link.clock), model: ur5eLike };
});
