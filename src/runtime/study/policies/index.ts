export { exportEncoder } from './export-encoder.ts';
export { type ExportedPolicy, exportPolicy } from './export-policy.ts';
export { type PretrainingData, type PretrainingRequest, type PretrainingResult, runPretraining } from './pretrain.ts';
