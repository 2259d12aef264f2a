export { type CanaryLimits, type CanaryReport, DEFAULT_CANARY_LIMITS } from './onnx/canary.ts';
export { OnnxPolicy, type OnnxPolicyOptions, type SwapReport } from './onnx/onnx-policy.ts';
export type { Policy, PolicyOutput } from './policy.ts';
export { benchPolicy, type DurationQuantiles, type PolicyBenchResult } from './policy-bench.ts';
export {
  loadPolicyFile,
  type PolicyFileExpectation,
  type PolicyFileManifest,
  readPolicyManifest,
  savePolicyFile,
} from './policy-file.ts';
export { meanAction, sampleAction } from './squash.ts';
export { type PolicyWeights, type TensorShape, verifyWeights, type WeightsManifest, weightsDigest } from './weights.ts';
export { WorkerPolicy } from './worker-policy.ts';
