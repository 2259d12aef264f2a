/** Reading what a peer sent: everything that is not exactly what we expect is refused. */
import {
  ANSWER_NEEDS,
  asObject,
  type GuardAnswer,
  type GuardNotice,
  type GuardRequest,
  isCount,
  parseObject,
  type SceneLayout,
} from '../../core/index.ts';
import type { LinkShape } from './link.ts';

/** A request with the number that its answer carries. */
export interface NumberedRequest {
  readonly id: number;
  readonly request: GuardRequest;
}

export interface NumberedAnswer {
  readonly id: number;
  readonly answer: GuardAnswer;
}

/** What the guard says first. */
export interface Hello {
  readonly shape: LinkShape;
  /** The newest tick's number; −1 before the first. */
  readonly tick: number;
}

const PLAIN_REQUESTS = ['enable', 'activate', 'hold', 'stop', 'acknowledge', 'disable', 'permit'] as const;

/** The request in a JSON payload, or `undefined` when it is not one. Never throws. */
export function parseRequest(payload: Uint8Array): NumberedRequest | undefined {
  return readRequest(parseObject(payload));
}

/** The request that `value` is, or `undefined` where it is none. Never throws. */
export function readRequest(value: unknown): NumberedRequest | undefined {
  const message = asObject(value);
  const request = asObject(message?.['request']);
  const id = message?.['id'];
  if (!isCount(id) || request === undefined) return undefined;
  const kind = request['kind'];
  for (const plain of PLAIN_REQUESTS) if (kind === plain) return { id, request: { kind: plain } };
  const layout = kind === 'resetScene' ? parseLayout(request['layout']) : undefined;
  return layout === undefined ? undefined : { id, request: { kind: 'resetScene', layout } };
}

/** The answer in a JSON payload, or `undefined` when it is not one. Never throws. */
export function parseAnswer(payload: Uint8Array): NumberedAnswer | undefined {
  return readAnswer(parseObject(payload));
}

/** The answer that `value` is, or `undefined` where it is none. Never throws. */
export function readAnswer(value: unknown): NumberedAnswer | undefined {
  const message = asObject(value);
  const answer = asObject(message?.['answer']);
  const id = message?.['id'];
  if (!isCount(id) || answer === undefined) return undefined;
  if (answer['ok'] === true) return { id, answer: { ok: true } };
  const reason = answer['reason'];
  if (answer['ok'] !== false || typeof reason !== 'string') return undefined;
  const needs = ANSWER_NEEDS.find((need) => need === answer['needs']);
  return { id, answer: { ok: false, reason, ...(needs === undefined ? {} : { needs }) } };
}

/** The greeting in a JSON payload, or `undefined` when it is not one. Never throws. */
export function parseHello(payload: Uint8Array): Hello | undefined {
  const { shape: value, tick } = parseObject(payload) ?? {};
  const { joints, signals, actions, controlHz, timing } = asObject(value) ?? {};
  if (!isCount(joints) || !isCount(signals) || !isCount(actions)) return undefined;
  if (typeof controlHz !== 'number' || !(controlHz > 0)) return undefined;
  if (timing !== 'lock-step' && timing !== 'real-time') return undefined;
  if (!Number.isSafeInteger(tick)) return undefined;
  return { shape: { joints, signals, actions, controlHz, timing }, tick: tick as number };
}

/** The notice in a JSON payload, or `undefined` when it is not one. Never throws. */
export function parseNotice(payload: Uint8Array): GuardNotice | undefined {
  const { level, row, message, remedy, condition, isOver } = parseObject(payload) ?? {};
  if (level !== 'info' && level !== 'warn' && level !== 'error') return undefined;
  if (!isCount(row) || typeof message !== 'string' || typeof remedy !== 'string') return undefined;
  const notice = { level, row, message, remedy } as const;
  return typeof condition === 'string' ? { ...notice, condition, isOver: isOver === true } : notice;
}

/** Copies doubles into `out`; false, with `out` unchanged, when the length differs. */
export function readNumbers(out: Float64Array, payload: Uint8Array): boolean {
  if (payload.length !== out.byteLength) return false;
  new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(payload);
  return true;
}

function parseLayout(value: unknown): SceneLayout | undefined {
  const layout = asObject(value);
  const jointsRad = layout?.['jointsRad'];
  const objects = asObject(layout?.['objects']);
  const signals = asObject(layout?.['signals']);
  if (!isNumbers(jointsRad) || objects === undefined || signals === undefined) return undefined;
  if (!isNumbers(Object.values(signals))) return undefined;
  if (!Object.values(objects).every((pose) => isNumbers(pose) && pose.length === 4)) return undefined;
  return { jointsRad, objects: objects as SceneLayout['objects'], signals: signals as SceneLayout['signals'] };
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isFinite(item));
}
