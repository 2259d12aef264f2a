/** ROS 2 installation checks for other rooms. */
export { rosStatus } from './doctor.ts';
export { rosEnvironment } from './rclnodejs/environment.ts';
