/** What the process that moves an arm for its identification is started with, and what it reports to the process that started it. */
import { deserialize, serialize } from 'node:v8';
import { asObject, type RobotModel } from '../core/index.ts';
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

/** The message that `value` is, or `undefined` where it is none. Never throws. */
export function readNodeMessage(value: unknown): IdentifyNodeMessage | undefined {
  const { kind, lines, passedS, wholeS, packed } = asObject(value) ?? {};
  if (kind === 'announced' && isTexts(lines)) return { kind, lines };
  if (kind === 'progress' && typeof passedS === 'number' && typeof wholeS === 'number')
    return { kind, passedS, wholeS };
  return kind === 'found' && typeof packed === 'string' ? { kind, packed } : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** As text that keeps every number, which JSON does not: NaN and infinity must not come out as zeros. */
export function packIdentification(found: Identification): string {
  return serialize(found).toString('base64');
}

/** What `packIdentification` packed. */
export function unpackIdentification(packed: string): Identification {
  return deserialize(Buffer.from(packed, 'base64')) as Identification;
}
