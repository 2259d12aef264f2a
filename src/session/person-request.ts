/** A person's requests to a run from a panel: buttons and motion. They come from outside this process, and are validated first. */
import { z } from 'zod';
import { asObject } from '../model/index.ts';
import { count, readerOf } from '../schema/index.ts';
import type { BrowserInput } from '../teleop/index.ts';
import type { Mark } from './session-types.ts';

/** Requests of a person who records demonstrations. */
export const RECORD_REQUESTS = ['recordStart', 'recordStop', 'redo', 'delete'] as const;
export type RecordRequest = (typeof RECORD_REQUESTS)[number];

/** Requests without parameters. */
export const PLAIN_REQUESTS = [
  /** Permission to move, and to go on after a stop or a pause: the person has looked. */
  'start',
  /** Ends the current episode after its step; the robot holds until `start`. */
  'pause',
  /** Brakes at once and holds until `start`. Accepted from anyone. */
  'stop',
  /** Acknowledges the cause of a stop; never moves the robot. */
  'reset',
  'giveBack',
  /** Rewinds the robot slowly, then it holds. */
  'rewind',
  /** Begins the critical phase: the learned policy acts in place of the base policy. */
  'critical',
  'skipDemonstrations',
  'savePolicy',
  'rollbackPolicy',
  ...RECORD_REQUESTS,
] as const;
export type PlainRequest = (typeof PLAIN_REQUESTS)[number];

export type PersonRequest =
  | { readonly kind: Exclude<PlainRequest, 'stop'> }
  /** `by`: name of the page's user. */
  | { readonly kind: 'stop'; readonly by?: string }
  | { readonly kind: 'mark'; readonly mark: Mark }
  /** Take-over with `device`, after the frame of `shownAtS` was displayed; see `BrowserInput`. `by`: name of the seat's holder. */
  | { readonly kind: 'takeOver'; readonly shownAtS: number; readonly device: string; readonly by?: string }
  | ({ readonly kind: 'input' } & BrowserInput);

/** Displays a run elsewhere, and passes on people's requests from there. */
export interface RunWatcher {
  /** Takes a packet of `src/rows/telemetry.ts`, and owns it then. Quick; never throws. */
  packet(packet: Uint8Array): void;
  /** Registers the callback for people's requests. */
  asks(ask: (request: PersonRequest) => void): void;
}

/** From a node to the process that serves its watchers: base64 of a packet. */
export interface PacketMessage {
  readonly kind: 'packet';
  readonly bytes: string;
}

/** From that process to the node. */
export interface PersonMessage {
  readonly kind: 'person';
  readonly request: PersonRequest;
}

/** Watcher on the far side of the parent process, which `send` reaches. */
export function watcherThrough(send: (message: PacketMessage) => void): RunWatcher {
  let ask: ((request: PersonRequest) => void) | undefined;
  process.on('message', (message: PersonMessage) => {
    if (message.kind === 'person') ask?.(message.request);
  });
  return {
    packet: (packet) => send({ kind: 'packet', bytes: Buffer.from(packet).toString('base64') }),
    asks: (to) => {
      ask = to;
    },
  };
}

/** Returns the packet in a node's message; `undefined` if it is none: third-party modules run in the node. Never throws. */
export function packetIn(message: unknown): Uint8Array | undefined {
  const { kind, bytes } = asObject(message) ?? {};
  return kind === 'packet' && typeof bytes === 'string' ? Uint8Array.from(Buffer.from(bytes, 'base64')) : undefined;
}

/** Longest name of a device, characters. */
const NAME_LETTERS = 80;
/** No robot's action is longer. */
const MOST_ACTIONS = 64;

const action = z.array(z.number()).max(MOST_ACTIONS);
const requestSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(PLAIN_REQUESTS) }),
  z.object({ kind: z.literal('mark'), mark: z.enum(['success', 'failure']) }),
  z.object({ kind: z.literal('takeOver'), shownAtS: z.number(), device: z.string().max(NAME_LETTERS) }),
  z.object({
    kind: z.literal('input'),
    shownAtS: z.number(),
    isEnabled: z.boolean(),
    isRecovering: z.boolean(),
    action,
    frame: z.literal('tool').optional(),
    pose: z.object({ closing: count, at: action }).optional(),
  }),
]);

/** Returns `value` as a request; `undefined` if it is none. Never throws. */
export const readPersonRequest: (value: unknown) => PersonRequest | undefined = readerOf(requestSchema);
