/** What the process that moves an arm for its identification is started with, and what it reports to the process that started it. */
import { deserialize, serialize } from 'node:v8';
import type { RobotModel } from '../core/index.ts';
import type { Identification } from './evaluate.ts';

/** Settings, as JSON in a file that its first argument names. */
export interface IdentifyNodeConfig {
  /** What the guard enforces. */
  readonly model: RobotModel;
  /** Where the guard listens. */
  readonly socketPath: string;
  readonly durationS: number;
  readonly filterS: number;
  readonly seed: number;
  /** Who puts torque on: a person, or, for a simulated arm, the node itself. `resettable`: its scene can be put back. */
  readonly arm: 'real' | 'simulated' | 'resettable';
}

export type IdentifyNodeMessage =
  /** What the arm will do, for people: only now may it be let move. */
  | { readonly kind: 'announced'; readonly lines: readonly string[] }
  | { readonly kind: 'progress'; readonly passedS: number; readonly wholeS: number }
  /** `packIdentification` of it. */
  | { readonly kind: 'found'; readonly packed: string };

/** As text that keeps every number, which JSON does not: NaN and infinity must not come out as zeros. */
export function packIdentification(found: Identification): string {
  return serialize(found).toString('base64');
}

/** What `packIdentification` packed. */
export function unpackIdentification(packed: string): Identification {
  return deserialize(Buffer.from(packed, 'base64')) as Identification;
}
