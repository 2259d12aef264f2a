/** A trial's checkpoint: what it holds, and when it cannot be continued. */
import { ReinError, type RngState } from '../../core/index.ts';
import type { AgentSnapshot } from '../../learner/index.ts';
import type { LearnedState } from './learned.ts';
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

/** A frozen encoder, as it is told from others. */
interface EncoderFile {
  /** Its path; absent where nobody has written it down. */
  readonly file: string | undefined;
  /** SHA-256 of the file, hexadecimal. */
  readonly digest: string;
}

/**
 * Throws `ReinError('checkpoint')` where the networks in `folder` have learned from what `theirs` made of images and would now
 * be shown what `own` makes of them: sizes may be the same, actions are not. `undefined`: no frozen encoder.
 */
export function checkSameEncoder(folder: string, theirs: EncoderFile | undefined, own: EncoderFile | undefined): void {
  if (theirs?.digest === own?.digest) return;
  const message = `The networks in ${folder} were trained through ${described(theirs)}, not through ${described(own)}.`;
  const remedy =
    theirs === undefined
      ? 'Leave encoder.frozen out.'
      : 'Put that file back, or name it as encoder.frozen.file where it lies elsewhere now.';
  throw new ReinError('checkpoint', message, { remedy });
}

function described(encoder: EncoderFile | undefined): string {
  if (encoder === undefined) return 'no frozen encoder';
  const { file = 'an encoder', digest } = encoder;
  return `${file} (SHA-256 ${digest.slice(0, 16)})`;
}
