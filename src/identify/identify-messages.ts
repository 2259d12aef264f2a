/** What the process that moves an arm for its identification is started with, and what it reports to the process that started it. */
import { deserialize, serialize } from 'node:v8';
import { z } from 'zod';
import type { RobotModel } from '../core/index.ts';
import { type Configured, readerOf } from '../schema/index.ts';
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

const nodeMessageSchema = z.discriminatedUnion('kind', [
  /** What the arm will do, for people: only now may it be let move. */
  z.object({ kind: z.literal('announced'), lines: z.array(z.string()) }),
  z.object({ kind: z.literal('progress'), passedS: z.number(), wholeS: z.number() }),
  /** `packIdentification` of it. */
  z.object({ kind: z.literal('found'), packed: z.string() }),
]);
export type IdentifyNodeMessage = Configured<typeof nodeMessageSchema>;

/** The message that `value` is, or `undefined` where it is none. Never throws. */
export const readNodeMessage: (value: unknown) => IdentifyNodeMessage | undefined = readerOf(nodeMessageSchema);

/** As text that keeps every number, which JSON does not: NaN and infinity must not come out as zeros. */
export function packIdentification(found: Identification): string {
  return serialize(found).toString('base64');
}

/** What `packIdentification` packed. */
export function unpackIdentification(packed: string): Identification {
  return deserialize(Buffer.from(packed, 'base64')) as Identification;
}
