/** `ros2 run rein sim --help`: what it is, how it is used, and its parameters from their declarations. */
import { parametersHelp } from '../parameters/parameters-help.ts';
import { SIM_PARAMETERS } from './parameters.ts';

const INTRODUCTION = `A simulated robot behind the topics of plain ROS controllers, for trying everything without hardware.

Usage:
  ros2 run rein sim [--ros-args -p NAME:=VALUE … -r FROM:=TO …]
  ros2 launch rein sim.launch.py controller:=joint_trajectory

Examples:
  ros2 run rein sim                                                  the arm of the task "insert"
  ros2 run rein sim --ros-args -p controller:=velocity -p rate:=500  velocities in, 500 readings a second out
  ros2 run rein sim --ros-args -p controller:=differential           a base with two driven wheels
  ros2 topic pub -1 /rein_sim/inject std_msgs/msg/String "data: 'jump elbow 0.5'"

An arm listens to joint_trajectory_controller/joint_trajectory, forward_{position,velocity,effort}_controller/commands
and target_pose. One of the five controllers is active; controller_manager/switch_controller changes that. It publishes
joint_states, wrench (tared, base frame) and insertion_depth, and offers reset_scene.
A base listens to cmd_vel (and ackermann_cmd), and publishes odom and ground_truth.
Faults for tests, off until asked for on the topic ~/inject: silence, freeze, jump JOINT RAD, lose JOINT, nan JOINT,
refuse, clock_back S, clear.

Parameters:
`;

/** The whole text. */
export function simHelp(): string {
  return INTRODUCTION + parametersHelp(SIM_PARAMETERS);
}
