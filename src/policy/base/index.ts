export type { BasePolicy } from './base-policy.ts';
export type { ChunkPlace } from './chunk-queue.ts';
export type { BasePolicyInput } from './feeds.ts';
export { type BasePolicyOptions, openBasePolicy } from './open-base.ts';
