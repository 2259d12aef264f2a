export type { ActionType, ServiceType } from '../messages/index.ts';
export { FaultDesk } from './fault-desk.ts';
export { GraphWatch, type OwnEnd, type WatchedGraph } from './graph-watch.ts';
export {
  isPossible,
  LIFECYCLE_STATE_IDS,
  refusalOf,
  requestedTransition,
  type TransitionRequest,
} from './lifecycle.ts';
export { PortClock } from './port-clock.ts';
export * from './qos.ts';
export type * from './ros-port.ts';
export { TopicReader, TopicWriter } from './topic-ends.ts';
