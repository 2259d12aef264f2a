export { Bridge, type BridgeParts } from './bridge.ts';
export type { ToGuard } from './guard-pipes.ts';
export { runBridge, runStopper } from './process.ts';
export { Stopper, type StopperParts } from './stopper.ts';
