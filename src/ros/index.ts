export { rosStatus } from './doctor.ts';
export { rosEnvironment } from './rclnodejs/index.ts';
