/** Validates messages from the peer: anything unexpected is rejected. */
import { z } from 'zod';
import { parseObject } from '../../model/index.ts';
import { ANSWER_NEEDS, type GuardAnswer, type GuardNotice, type GuardRequest } from '../../rows/index.ts';
import { type Configured, count, readerOf } from '../../schema/index.ts';

const layoutSchema = z.object({
  jointsRad: z.array(z.number()),
  objects: z.record(z.string(), z.tuple([z.number(), z.number(), z.number(), z.number()])),
  signals: z.record(z.string(), z.number()),
});

const requestSchema = z.object({
  id: count,
  request: z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['enable', 'activate', 'hold', 'stop', 'acknowledge', 'disable', 'permit']) }),
    z.object({ kind: z.literal('resetScene'), layout: layoutSchema }),
  ]),
});

/** A request with the number for its answer. */
export interface NumberedRequest {
  readonly id: number;
  readonly request: GuardRequest;
}

const refusalSchema = z
  // The reason is kept even if `needs` is invalid.
  .object({ ok: z.literal(false), reason: z.string(), needs: z.enum(ANSWER_NEEDS).optional().catch(undefined) })
  .transform(({ needs, ...refusal }) => (needs === undefined ? refusal : { ...refusal, needs }));

const answerSchema = z.object({ id: count, answer: z.union([z.object({ ok: z.literal(true) }), refusalSchema]) });

export interface NumberedAnswer {
  readonly id: number;
  readonly answer: GuardAnswer;
}

/** The guard's first message. */
const helloSchema = z.object({
  shape: z.object({
    joints: count,
    signals: count,
    actions: count,
    controlHz: z.number().positive(),
    timing: z.enum(['lock-step', 'real-time']),
  }),
  /** Number of the newest tick; −1 before the first. */
  tick: z.int(),
});
export type Hello = Configured<typeof helloSchema>;

const noticeSchema = z.object({
  level: z.enum(['info', 'warn', 'error']),
  row: count,
  message: z.string(),
  remedy: z.string(),
  condition: z.string().exactOptional(),
  isOver: z.boolean().exactOptional(),
});

/** Validates a request; `undefined` if `value` is none. Never throws. */
export const readRequest: (value: unknown) => NumberedRequest | undefined = readerOf(requestSchema);
/** Validates an answer; `undefined` if `value` is none. Never throws. */
export const readAnswer: (value: unknown) => NumberedAnswer | undefined = readerOf(answerSchema);

/** Each parses a JSON payload; `undefined` if it is not of this type. None throws. */
export const parseRequest = (payload: Uint8Array): NumberedRequest | undefined => readRequest(parseObject(payload));
export const parseAnswer = (payload: Uint8Array): NumberedAnswer | undefined => readAnswer(parseObject(payload));
export const parseHello = (payload: Uint8Array): Hello | undefined => helloSchema.safeParse(parseObject(payload)).data;
export const parseNotice = (payload: Uint8Array): GuardNotice | undefined =>
  noticeSchema.safeParse(parseObject(payload)).data;

/** Copies doubles into `out`; false, with `out` unchanged, if the length differs. */
export function readNumbers(out: Float64Array, payload: Uint8Array): boolean {
  if (payload.length !== out.byteLength) return false;
  new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(payload);
  return true;
}
