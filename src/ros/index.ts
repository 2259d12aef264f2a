export { type RosStatus, rosStatus } from './doctor.ts';
