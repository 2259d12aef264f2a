export { rosStatus } from './doctor.ts';
export * from './parameters/index.ts';
export { rosEnvironment } from './rclnodejs/index.ts';
