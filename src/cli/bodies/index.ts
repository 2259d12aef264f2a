export { evaluateBody } from './evaluate.ts';
export { learnBody } from './learn.ts';
export { runBody } from './run.ts';
export { simBody } from './sim.ts';
