/** `ros2 run rein node --help`: what it is, how it is used, and its parameters from their declarations. */
import { parametersHelp } from '../parameters/parameters-help.ts';
import { NODE_PARAMETERS } from './parameters.ts';

const INTRODUCTION = `The node of one robot: a lifecycle node that runs a policy, lets people take over, and learns.

Usage:
  ros2 run rein node [--ros-args -p NAME:=VALUE … -r FROM:=TO …]
  ros2 launch rein robot.launch.py task:=insert learner:=tcp://127.0.0.1:7350 operator:=scripted autostart:=true

First steps:
  ros2 run rein node --ros-args -p task:=insert -p policy:=runs/a1/policy.onnx
  ros2 lifecycle set /rein configure          opens the robot; nothing moves
  ros2 lifecycle set /rein activate           permits motion; the robot holds still
  ros2 service call /rein/start_episode std_srvs/srv/Trigger     one episode
  ros2 service call /rein/resume std_srvs/srv/Trigger            episode after episode
  ros2 service call /rein/stop std_srvs/srv/Trigger              brakes and holds, until ~/reset

Publishes   ~/state ~/safety_state ~/policy ~/intervention ~/events joint_states /diagnostics
Subscribes  joy or ~/teleop (by operator), ~/success, ~/failure
Services    ~/stop ~/reset ~/resume ~/start_episode ~/mark ~/save_policy ~/rollback_policy
Actions     ~/run_episode ~/evaluate

The motors belong to a second process, the guard, which brakes and holds when this one dies. A node that died comes back
configured and inactive. Ctrl+C brakes, holds and ends within a second.

Every number and word of the configuration is a parameter too, for example settings.task.maxSteps
(ros2 param list; docs/config.md). Fixed once the node runs, unless it says otherwise.

Parameters:
`;

/** The whole text. */
export function nodeHelp(): string {
  return INTRODUCTION + parametersHelp(NODE_PARAMETERS);
}
