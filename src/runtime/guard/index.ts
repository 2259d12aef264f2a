export { createDriver, type DriverConfig, type RosProcesses } from './driver-registry.ts';
export { Guard, type GuardOptions } from './guard.ts';
export { GUARD_NODE_FLAGS, type GuardConfig } from './guard-config.ts';
export { startWorkerGuard, type WorkerGuardLink } from './worker-link.ts';
