export { KeptWeights } from './kept-weights.ts';
export { PolicyUse } from './policy-use.ts';
export { joinedRun, WeightsDisk } from './weights-disk.ts';
