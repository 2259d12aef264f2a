export { RosHalf, type RosHalfOptions } from './ros-half.ts';
export type { RosMemory } from './ros-memory.ts';
export { WorkerRosLink } from './worker-ros-link.ts';
