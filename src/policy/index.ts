/** Policies: inference, weights that are verified before they act, base policies. */
export type { BasePolicy, ChunkPlace } from './base/base-policy.ts';
export { openBasePolicy } from './base/open-base.ts';
export { type EncoderFile, OnnxPolicy } from './onnx/onnx-policy.ts';
export { openNetwork, type PolicyNetwork, type WeightTensors } from './onnx/policy-network.ts';
export { statedAction, type TaskAction } from './onnx/stated-action.ts';
export { type ActingPolicy, openPluginPolicy, type PolicyContext, type PolicyPlugin } from './plugin.ts';
export type { Policy, PolicyHead, PolicyNoise } from './policy.ts';
export { loadPolicyFile, readPolicyManifest, savePolicyFile } from './policy-file.ts';
export { WaypointPolicy } from './waypoint-policy.ts';
