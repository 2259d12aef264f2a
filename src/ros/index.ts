export { rosStatus } from './doctor.ts';
