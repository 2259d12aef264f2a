export { cropFrames, type FrameColumn, shiftFrame } from './crops.ts';
export { type DropReason, Replay, type ReplayCounts } from './replay.ts';
export { type BatchColumns, type RowRange, TransitionRing } from './ring.ts';
export { UpdateContract } from './utd.ts';
