export type { EncoderFile } from './encoder-place.ts';
export { headOf } from './head.ts';
export { type MlpOptions, writeMlpGraph } from './mlp-graph.ts';
export { OnnxPolicy, type OnnxPolicyOptions, type SwapReport } from './onnx-policy.ts';
export { hasNoiseAlways, PlainSession, type TensorPort } from './plain-session.ts';
export { actionDifference, statedAction, type TaskAction } from './stated-action.ts';
export type { WorkerAnswer, WorkerRequest } from './worker-messages.ts';
