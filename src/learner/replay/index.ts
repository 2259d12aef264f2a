export type { BatchColumns, RowReading } from './columns.ts';
export { cropFrames, type FrameColumn, shiftFrame } from './crops.ts';
export { type FrameStorage, imageStorage } from './observation-store.ts';
export { type Arrival, type DropReason, Replay, type ReplayCounts, type ReplayOptions } from './replay.ts';
export { NO_RETURN, type RowFrames, type RowRange, TransitionRing } from './ring.ts';
export type { ReturnRule } from './trajectories.ts';
export { UpdateContract } from './utd.ts';
