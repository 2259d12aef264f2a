/** Settings and messages of the process that moves an arm for its identification. */
import { deserialize, serialize } from 'node:v8';
import { z } from 'zod';
import type { RobotModel } from '../model/index.ts';
import { type Configured, readerOf } from '../schema/index.ts';
import type { Identification } from './evaluate.ts';

/** Settings, as JSON in a file named by the first argument. */
export interface IdentifyNodeConfig {
  /** The model enforced by the guard. */
  readonly model: RobotModel;
  /** Socket of the guard. */
  readonly socketPath: string;
  readonly durationS: number;
  readonly filterS: number;
  readonly seed: number;
  /** A person switches torque on for a real arm, the node itself for a simulated one. `resettable`: its scene can be put back. */
  readonly arm: 'real' | 'simulated' | 'resettable';
}

const nodeMessageSchema = z.discriminatedUnion('kind', [
  /** The announced motion, for display: only after it may motion be permitted. */
  z.object({ kind: z.literal('announced'), lines: z.array(z.string()) }),
  z.object({ kind: z.literal('progress'), passedS: z.number(), wholeS: z.number() }),
  /** Result of `packIdentification`. */
  z.object({ kind: z.literal('found'), packed: z.string() }),
]);
export type IdentifyNodeMessage = Configured<typeof nodeMessageSchema>;

/** Parses `value` as a message; returns `undefined` if it is none. Never throws. */
export const readNodeMessage: (value: unknown) => IdentifyNodeMessage | undefined = readerOf(nodeMessageSchema);

/** Packs as text that preserves every number, unlike JSON: NaN and infinity must not turn into zeros. */
export function packIdentification(found: Identification): string {
  return serialize(found).toString('base64');
}

/** Unpacks a result of `packIdentification`. */
export function unpackIdentification(packed: string): Identification {
  return deserialize(Buffer.from(packed, 'base64')) as Identification;
}
