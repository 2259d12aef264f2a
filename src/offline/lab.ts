/** The simulated environments of trials, which are in a package of their own, and what this room needs of them. */
import type { Environment, ObservationParts, Transition } from '../core/index.ts';
import type { DemonstrationSpec, TrialSpec } from './trial-spec.ts';

/** Episodes of an environment's scripted expert. */
export interface ExpertData {
  readonly kind: 'environment';
  readonly environment: TrialSpec['environment'];
  readonly base: TrialSpec['base'];
  readonly demonstrations: DemonstrationSpec;
}

/** What there is to learn from, and the sizes that it has to have. */
export interface CollectedData {
  /** What people know it by: a folder, or the name of an environment. */
  readonly name: string;
  readonly parts: ObservationParts;
  readonly actionSize: number;
  readonly transitions: readonly Transition[];
}

/** What `rein-lab` exports as `rein-lab/lab`. */
export interface Lab {
  /** The environment of a trial, which the caller closes. Rejects with `ReinError('config')` for a name or an option that there is not. */
  environmentOf(spec: Pick<TrialSpec, 'environment' | 'base'>): Promise<Environment>;
  /** Episodes of an environment's scripted expert, drawn from `seed`. Rejects with `ReinError` where there are none. */
  shown(data: ExpertData, seed: number): Promise<CollectedData>;
}

/** Rejects with `ReinError('environment')` where the package is not installed. */
export type LoadLab = () => Promise<Lab>;
