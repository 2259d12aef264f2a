/** What a person asks of a run by a panel: buttons and motion. Each comes from outside this process, and is read before it is believed. */
import { asObject } from '../core/index.ts';
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

/** The request that `value` is; `undefined` where it is none. Never throws. */
export function readPersonRequest(value: unknown): PersonRequest | undefined {
  const given = asObject(value);
  if (given === undefined) return undefined;
  const { kind, mark, shownAtS, device } = given;
  const plain = PLAIN_REQUESTS.find((known) => known === kind);
  if (plain !== undefined) return { kind: plain };
  if (kind === 'mark') return mark === 'success' || mark === 'failure' ? { kind, mark } : undefined;
  if (typeof shownAtS !== 'number' || !Number.isFinite(shownAtS)) return undefined;
  if (kind === 'takeOver') {
    if (typeof device !== 'string' || device.length > NAME_LETTERS) return undefined;
    return { kind, shownAtS, device };
  }
  const { isEnabled, isRecovering, action, frame } = given;
  if (kind !== 'input' || typeof isEnabled !== 'boolean' || typeof isRecovering !== 'boolean') return undefined;
  if (!isAction(action)) return undefined;
  if (frame !== undefined && frame !== 'tool') return undefined;
  const said = { kind: 'input', shownAtS, isEnabled, isRecovering, action } as const;
  const input: PersonRequest = frame === undefined ? said : { ...said, frame };
  if (given['pose'] === undefined) return input;
  const { closing, at } = asObject(given['pose']) ?? {};
  if (!Number.isSafeInteger(closing) || (closing as number) < 0 || !isAction(at)) return undefined;
  return { ...input, pose: { closing: closing as number, at } };
}

function isAction(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= MOST_ACTIONS && value.every(Number.isFinite);
}
