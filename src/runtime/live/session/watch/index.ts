/** What is watched while a session runs, and told when it changes. */
export { FaultWatch } from './fault-watch.ts';
export { InterventionWatch } from './intervention-watch.ts';
export { ObservationWatch } from './observation-watch.ts';
export { watchRecording } from './recording-watch.ts';
export { WeightsWatch } from './weights-watch.ts';
