export { evaluateBody } from './evaluate.ts';
export { learnBody } from './learn.ts';
export { runBody } from './run.ts';
export { safetyCheckBody } from './safety.ts';
export { simBody } from './sim.ts';
export { sweepBody } from './sweep.ts';
export { trainBody } from './train.ts';
