/** A trial's checkpoint: what it holds, and when it cannot be continued. */
import { ReinError, type RngState } from '../../../core/index.ts';
import type { AgentSnapshot } from '../../../learner/index.ts';
import type { LearnedState } from './learned.ts';
import type { TrialSpec } from './spec.ts';
import type { FilePositions } from './trial-files.ts';

/** Everything that a resumed trial needs beside its files. */
export interface TrialState {
  readonly formatVersion: 1;
  readonly step: number;
  readonly episode: number;
  readonly seconds: number;
  readonly updatesBefore: number;
  readonly environmentRng: RngState;
  readonly actionRng: RngState;
  readonly learned: LearnedState;
  readonly files: FilePositions;
  readonly agent: AgentSnapshot;
  /** Of the frozen encoder's file, where there is one. */
  readonly encoderDigest?: string;
}

/** The frozen encoder's file is another one than when the trial began. */
export function otherEncoder({ learner }: TrialSpec): ReinError {
  const { file } = learner.encoder.frozen!;
  return new ReinError('checkpoint', `${file} is not the encoder that this trial was begun with.`, {
    remedy: 'Put that file back, or begin again in another folder.',
  });
}
