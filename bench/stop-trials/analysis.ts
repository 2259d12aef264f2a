/** From frames on a bus to when the arm was at full speed, when it began to brake, and when it stood. Pure. */
import { MOCK_FRAME } from '../../src/drivers/mock/mock-bus.ts';
import type { BusFrame } from './listener-messages.ts';

/** Slower than this share of the limit is not full speed: less than one period of braking, more than the clocks' jitter. */
const FULL_RATIO = 0.98;
/** Frames closer than this came out of one read. */
const TOGETHER_MS = 1;
/** So many references of full speed in a row, before a fault. */
const FULL_FRAMES = 3;
/** So many references that do not move, one after another, are a standstill. */
const STANDING_FRAMES = 5;

export function references(frames: readonly BusFrame[]): readonly BusFrame[] {
  return frames.filter(({ kind }) => kind === MOCK_FRAME.reference);
}

/** Whether the newest references move joint 0 at `limitRadPerS`. */
export function isAtFullSpeed(frames: readonly BusFrame[], limitRadPerS: number): boolean {
  const newest = references(frames.slice(-FULL_FRAMES - 2)).slice(-FULL_FRAMES - 1);
  if (newest.length <= FULL_FRAMES) return false;
  return newest.slice(1).every((frame, i) => speed(newest[i]!, frame) >= FULL_RATIO * limitRadPerS);
}

/** The first reference, after `sinceMs`, of five that do not move any joint; `undefined`: it has not come yet. */
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
 * The first reference, after `sinceMs`, from which on joint 0 goes no farther than `brakeWayRad` until it stands: the first slower
 * one of a brake. By way and not by speed: speeds would come from times of arrival, and on a busy machine a reference that comes
 * late, before one that is in time, makes a braking arm seem fast, and its brake later by tens of milliseconds.
 */
export function brakeBegin(frames: readonly BusFrame[], sinceMs: number, brakeWayRad: number): BusFrame | undefined {
  const sent = references(frames);
  const end = standstill(frames, sinceMs);
  if (end === undefined) return undefined;
  let i = sent.indexOf(end);
  while (i > 0 && Math.abs(end.valuesRad[0]! - sent[i]!.valuesRad[0]!) < brakeWayRad) i--;
  return sent.slice(i + 1).find(({ atMs }) => atMs > sinceMs);
}

/** How references of an arm that should stand differ: how many from the one before, and how far any joint got from the first. */
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

/** A guard that its machine held up takes the measured place for its reference, once each time: so often, so far, is no motion. */
const MOST_SEEDS = 3;
const SEED_RAD = 0.005;

export function isStanding({ changes, farthestRad }: Motion): boolean {
  return changes <= MOST_SEEDS && farthestRad <= SEED_RAD;
}

/** rad/s of joint 0, by the times of arrival. Of frames that arrived together, after a hold-up of the listener, nobody can say. */
function speed(before: BusFrame, frame: BusFrame): number {
  const sinceMs = frame.atMs - before.atMs;
  return sinceMs < TOGETHER_MS ? 0 : Math.abs(frame.valuesRad[0]! - before.valuesRad[0]!) / (sinceMs * 1e-3);
}

function isSame(a: BusFrame, b: BusFrame): boolean {
  return a.valuesRad.every((value, i) => value === b.valuesRad[i]);
}
