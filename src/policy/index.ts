/** Policies: inference, weights that are verified before they act, base policies. */
export type { BasePolicy } from './base/base-policy.ts';
export type { ChunkPlace } from './base/chunk-queue.ts';
export type { BasePolicyInput } from './base/feeds.ts';
export { openBasePolicy } from './base/open-base.ts';
export type { EncoderFile } from './onnx/encoder-place.ts';
export { OnnxPolicy } from './onnx/onnx-policy.ts';
export { statedAction, type TaskAction } from './onnx/stated-action.ts';
export type { Policy, PolicyHead, PolicyNoise } from './policy.ts';
export { loadPolicyFile, readPolicyManifest, savePolicyFile } from './policy-file.ts';
export { meanAction, sampleAction } from './squash.ts';
