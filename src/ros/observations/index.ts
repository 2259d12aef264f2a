export { subscribeObservations } from './subscribe.ts';
export type { TopicObservation } from './topic-observation.ts';
