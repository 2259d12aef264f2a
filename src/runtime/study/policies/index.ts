export { exportEncoder } from './export-encoder.ts';
export { type ExportedPolicy, exportPolicy } from './export-policy.ts';
export { type PretrainingRequest, type PretrainingResult, runPretraining } from './pretrain.ts';
export type { PretrainingData } from './pretraining-data.ts';
