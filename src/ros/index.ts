/** ROS 2: what other rooms ask about the installation. */
export { rosStatus } from './doctor.ts';
export { rosEnvironment } from './rclnodejs/environment.ts';
