export { evaluateBody } from './evaluate.ts';
export { exportEncoderBody, exportPolicyBody } from './export-policy.ts';
export { learnBody } from './learn.ts';
export { pretrainBody } from './pretrain.ts';
export { runBody } from './run.ts';
export { safetyCheckBody } from './safety.ts';
export { simBody } from './sim.ts';
export { sweepBody } from './sweep.ts';
export { trainBody } from './train.ts';
