export { type BasePolicy, type BasePolicyInput, type ChunkPlace, openBasePolicy } from './base/index.ts';
export { type EncoderFile, OnnxPolicy, statedAction, type TaskAction } from './onnx/index.ts';
export type { Policy, PolicyHead, PolicyNoise } from './policy.ts';
export { benchPolicy, type DurationQuantiles, type PolicyBenchResult, PolicyExercise } from './policy-bench.ts';
export { loadPolicyFile, type PolicyFileManifest, readPolicyManifest, savePolicyFile } from './policy-file.ts';
export { meanAction, sampleAction } from './squash.ts';
export { type PolicyWeights, verifyWeights, type WeightsManifest, weightsDigest } from './weights.ts';
export { WorkerPolicy } from './worker-policy.ts';
