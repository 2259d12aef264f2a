/** Interface to the simulated environments of trials, which live in a package of their own. */
import type { Environment, ObservationParts } from '../model/index.ts';
import type { Transition } from '../rows/index.ts';
import type { DemonstrationSpec, TrialSpec } from './trial-spec.ts';

/** Episodes of an environment's scripted expert. */
export interface ExpertData {
  readonly kind: 'environment';
  readonly environment: TrialSpec['environment'];
  readonly base: TrialSpec['base'];
  readonly demonstrations: DemonstrationSpec;
}

/** Collected training data and the sizes that it must have. */
export interface CollectedData {
  /** Display name: a folder, or the name of an environment. */
  readonly name: string;
  readonly parts: ObservationParts;
  readonly actionSize: number;
  readonly transitions: readonly Transition[];
}

/** Exports of `rein-lab/lab`. */
export interface Lab {
  /** Opens the environment of a trial; the caller closes it. Rejects with `ReinError('config')` for an unknown name or option. */
  environmentOf(spec: Pick<TrialSpec, 'environment' | 'base'>): Promise<Environment>;
  /** Episodes of an environment's scripted expert, drawn from `seed`. Rejects with `ReinError` if it has no expert. */
  shown(data: ExpertData, seed: number): Promise<CollectedData>;
}

/** Rejects with `ReinError('environment')` if the package is not installed. */
export type LoadLab = () => Promise<Lab>;
