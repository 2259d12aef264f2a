/** ROS 2 for separate programs beside the node, such as the simulated controllers of `packages/emulate`. */
export { taskOf } from './default-task.ts';
export {
  ListControllers,
  STRICTNESS,
  SwitchController,
  type SwitchControllerAnswer,
  type SwitchControllerRequest,
} from './messages/controller-manager.ts';
export {
  AckermannDriveStamped,
  Clock,
  type Duration,
  Float64,
  Float64MultiArray,
  JointState,
  JointTrajectory,
  Odometry,
  PoseStamped,
  ResetScene,
  type ResetSceneAnswer,
  type ResetSceneRequest,
  StringMessage,
  type Time,
  Twist,
  TwistStamped,
  WrenchStamped,
} from './messages/definitions.ts';
export { isSet, nanosecondsOf, secondsOf, setTime } from './messages/time.ts';
export { GROUND_TRUTH, OtherRobot, SIMULATED_FRAME } from './observations/other-robot.ts';
export { parameter, parametersHelp } from './parameters/declared.ts';
export { parseRosArgs } from './parameters/ros-args.ts';
export { COMMAND_QOS, EVENT_QOS, SENSOR_QOS, STATE_QOS } from './port/qos.ts';
export type {
  ParameterDeclaration,
  ParameterSet,
  RosClock,
  RosFault,
  RosPort,
  RosPortFactory,
  RosPublisher,
} from './port/ros-port.ts';
export { openRosPort } from './rclnodejs/rclnodejs-port.ts';
