export { rosFindings, rosStatus } from './doctor.ts';
export * from './parameters/index.ts';
export { openRosPort, rosEnvironment } from './rclnodejs/index.ts';
