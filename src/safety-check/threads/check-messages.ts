/** What a check and its threads say to each other. */
import type { StageName } from '../../safety/index.ts';
import type { TrialPlan } from '../attack/plan.ts';
import type { CheckSubject } from '../subject/subject.ts';
import type { TrialOutcome } from '../trial-outcome.ts';

export interface CheckWorkerData {
  readonly subject: CheckSubject;
  readonly chain: 'on' | 'off';
  readonly seed: number;
}

/** Trials to run, one after the other. */
export interface TrialRequest {
  readonly id: number;
  readonly plan: TrialPlan;
  readonly without: readonly StageName[];
}

export type TrialAnswer =
  | { readonly kind: 'done'; readonly id: number; readonly outcome: TrialOutcome }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: TrialFailure };

/** An error, as a thread can tell it. */
export interface TrialFailure {
  /** Of a `ReinError`; null for a mistake of ours. */
  readonly errorKind: string | null;
  readonly message: string;
  readonly remedy: string | undefined;
  readonly stack: string | undefined;
}
