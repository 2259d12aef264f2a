/** The ROS node of one robot. `start/` holds what starts it. */
export { RobotNode, type RobotNodeOptions } from './robot-node.ts';
