/** What a person asks of a run by a panel: buttons and motion. Each comes from outside this process, and is read before it is believed. */
import { z } from 'zod';
import { asObject } from '../core/index.ts';
import { count, readerOf } from '../schema/index.ts';
import type { BrowserInput } from '../teleop/index.ts';
import type { Mark } from './session-types.ts';

/** What a person asks for while they record demonstrations. */
export const RECORD_REQUESTS = ['recordStart', 'recordStop', 'redo', 'delete'] as const;
export type RecordRequest = (typeof RECORD_REQUESTS)[number];

/** Requests of one word. */
export const PLAIN_REQUESTS = [
  /** Leave to move, and on after a stop or a pause: the person has looked. */
  'start',
  /** Ends the present episode after its step; the robot holds until `start`. */
  'pause',
  /** Brakes at once and holds until `start`. From anybody. */
  'stop',
  /** Acknowledges what stopped the robot; never moves it. */
  'reset',
  'giveBack',
  /** The way that the robot came, backwards and slowly; then it holds. */
  'rewind',
  /** The critical phase begins: the learned policy acts in place of the base policy. */
  'critical',
  'skipDemonstrations',
  'savePolicy',
  'rollbackPolicy',
  ...RECORD_REQUESTS,
] as const;
export type PlainRequest = (typeof PLAIN_REQUESTS)[number];

export type PersonRequest =
  | { readonly kind: Exclude<PlainRequest, 'stop'> }
  /** `by`: name of whoever is at the page. */
  | { readonly kind: 'stop'; readonly by?: string }
  | { readonly kind: 'mark'; readonly mark: Mark }
  /** The person takes over with `device`, having been shown the frame of `shownAtS`; see `BrowserInput`. `by`: name of whoever has the seat. */
  | { readonly kind: 'takeOver'; readonly shownAtS: number; readonly device: string; readonly by?: string }
  | ({ readonly kind: 'input' } & BrowserInput);

/** Whoever shows a run elsewhere, and hands on what people ask for there. */
export interface RunWatcher {
  /** Takes a packet of `src/core/telemetry.ts`, which then belongs to it. Quick; never throws. */
  packet(packet: Uint8Array): void;
  /** From now on `ask` is called with what people ask for. */
  asks(ask: (request: PersonRequest) => void): void;
}

/** From a node to the process that serves its watchers: base64 of a packet. */
export interface PacketMessage {
  readonly kind: 'packet';
  readonly bytes: string;
}

/** And back. */
export interface PersonMessage {
  readonly kind: 'person';
  readonly request: PersonRequest;
}

/** Whoever watches by way of the process that started this one, which `send` reaches. */
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

/** The packet in what a node sent; `undefined` where it is none: modules of others run in it. Never throws. */
export function packetIn(message: unknown): Uint8Array | undefined {
  const { kind, bytes } = asObject(message) ?? {};
  return kind === 'packet' && typeof bytes === 'string' ? Uint8Array.from(Buffer.from(bytes, 'base64')) : undefined;
}

/** Longest name of a device. */
const NAME_LETTERS = 80;
/** An action of no robot is longer. */
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

/** The request that `value` is; `undefined` where it is none. Never throws. */
export const readPersonRequest: (value: unknown) => PersonRequest | undefined = readerOf(requestSchema);
