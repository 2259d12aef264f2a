/** Derives from frames on a bus when the arm was at full speed, began to brake, and stood. Pure. */
import { MOCK_FRAME } from '../../src/drivers/mock/mock-bus.ts';
import type { BusFrame } from './listener-messages.ts';

/** Share of the limit below which it is not full speed: less than one period of braking, more than the clocks' jitter. */
const FULL_RATIO = 0.98;
/** Frames closer than this came out of one read. */
const TOGETHER_MS = 1;
/** Consecutive references at full speed required before a fault. */
const FULL_FRAMES = 3;
/** Consecutive references without motion that count as a standstill. */
const STANDING_FRAMES = 5;

export function references(frames: readonly BusFrame[]): readonly BusFrame[] {
  return frames.filter(({ kind }) => kind === MOCK_FRAME.reference);
}

/** True if the newest references move joint 0 at `limitRadPerS`. */
export function isAtFullSpeed(frames: readonly BusFrame[], limitRadPerS: number): boolean {
  const newest = references(frames.slice(-FULL_FRAMES - 2)).slice(-FULL_FRAMES - 1);
  if (newest.length <= FULL_FRAMES) return false;
  return newest.slice(1).every((frame, i) => speed(newest[i]!, frame) >= FULL_RATIO * limitRadPerS);
}

/** First of five references after `sinceMs` that move no joint; `undefined` if there are none yet. */
export function standstill(frames: readonly BusFrame[], sinceMs: number): BusFrame | undefined {
  const sent = references(frames);
  let standing = 0;
  for (let i = 1; i < sent.length; i++) {
    standing = sent[i]!.atMs > sinceMs && isSame(sent[i]!, sent[i - 1]!) ? standing + 1 : 0;
    if (standing === STANDING_FRAMES) return sent[i - STANDING_FRAMES + 1];
  }
  return undefined;
}

/**
 * First reference after `sinceMs` from which joint 0 travels no farther than `brakeWayRad` until it stands: the first slower
 * one of a brake. Judged by distance and not by speed: speeds would be derived from arrival times, and on a busy machine a late
 * reference followed by a punctual one makes a braking arm seem fast, and its brake later by tens of milliseconds.
 */
export function brakeBegin(frames: readonly BusFrame[], sinceMs: number, brakeWayRad: number): BusFrame | undefined {
  const sent = references(frames);
  const end = standstill(frames, sinceMs);
  if (end === undefined) return undefined;
  let i = sent.indexOf(end);
  while (i > 0 && Math.abs(end.valuesRad[0]! - sent[i]!.valuesRad[0]!) < brakeWayRad) i--;
  return sent.slice(i + 1).find(({ atMs }) => atMs > sinceMs);
}

/** Motion in references of an arm that should stand: number of changes, and largest distance of any joint from the first. */
export interface Motion {
  readonly changes: number;
  readonly farthestRad: number;
}

export function motionOf(sent: readonly BusFrame[]): Motion {
  const changes = sent.filter((frame, i) => i > 0 && !isSame(frame, sent[i - 1]!)).length;
  const startRad = sent[0]?.valuesRad ?? [];
  const ways = sent.flatMap(({ valuesRad }) => valuesRad.map((value, k) => Math.abs(value - startRad[k]!)));
  return { changes, farthestRad: ways.reduce((most, way) => Math.max(most, way), 0) };
}

/** A guard that its machine held up adopts the measured position as its reference, once each time: so many, so small, are no motion. */
const MOST_SEEDS = 3;
const SEED_RAD = 0.005;

export function isStanding({ changes, farthestRad }: Motion): boolean {
  return changes <= MOST_SEEDS && farthestRad <= SEED_RAD;
}

/** Speed of joint 0 by arrival times, rad/s. It is unknown for frames that arrived together, after a hold-up of the listener. */
function speed(before: BusFrame, frame: BusFrame): number {
  const sinceMs = frame.atMs - before.atMs;
  return sinceMs < TOGETHER_MS ? 0 : Math.abs(frame.valuesRad[0]! - before.valuesRad[0]!) / (sinceMs * 1e-3);
}

function isSame(a: BusFrame, b: BusFrame): boolean {
  return a.valuesRad.every((value, i) => value === b.valuesRad[i]);
}
