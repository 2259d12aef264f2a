/** What is asked of an evaluation worker, and what it answers. */

import type { ResolvedConfig } from '../config/index.ts';
import type { PolicyWeights } from '../core/index.ts';
import type { EpisodeRecording } from '../record/index.ts';
import type { PackedError } from '../session/index.ts';
import type { Restarts } from './simulated-robot.ts';

/** What a worker is started with. */
export interface EvaluationWorkerData {
  readonly config: ResolvedConfig;
}

/** The policy to be judged: weights as they came from a learner, or a policy file. */
export type Candidate =
  | { readonly kind: 'weights'; readonly bundle: PolicyWeights }
  | { readonly kind: 'file'; readonly path: string };

/** One episode to run: `stream` and `index` name its start for ever, whatever is trained with whichever seed. */
export interface EpisodeRequest {
  readonly id: number;
  readonly candidate: Candidate;
  readonly seed: number;
  readonly stream: string;
  readonly index: number;
  readonly record: 'poses' | 'nothing';
}

export interface EpisodeOutcome {
  readonly success: boolean;
  readonly steps: number;
  readonly ticks: number;
  readonly changedTicks: number;
  readonly violations: number;
  /** Whether the robot was started anew after the episode. */
  readonly restarts: Restarts;
}

/** What people will read, or the stack of a mistake of ours. */
export type EpisodeFailure = PackedError | { readonly stack: string };

export type EvaluationAnswer =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'episode';
      readonly id: number;
      readonly outcome: EpisodeOutcome;
      readonly recording?: EpisodeRecording;
    }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: EpisodeFailure };
