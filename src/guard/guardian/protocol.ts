/**
 * What guard, supervisor and guardian say to each other. Imports types alone, like all that the guardian runs.
 *
 * Two named pipes: `pulse` carries one byte a tick from the guard's tick to the guardian, `answers` one byte back for each
 * batch. The guard is the only writer of the first: its end is the guard's death, whatever it died of.
 */
import type { RelayConfig, RelayState } from './relay.ts';

/** From the guard, one a tick. */
export const PULSE_BYTE = {
  /** Torque is off, or an orderly end has begun: silence is no reason to stop. */
  idle: 0x69, // i
  /** Torque is on. */
  armed: 0x61, // a
  /** The robot stands and the driver is closed: the end of the pipe means nothing. */
  goodbye: 0x67, // g
} as const;

/** From the guardian. */
export const ANSWER_BYTE = {
  /** It has the bus open and listens. */
  here: 0x68, // h
  /** It has stopped the bus because the guard was silent, and the guard has not said `idle` since. */
  stopped: 0x73, // s
} as const;

/** Silence of an armed guard that makes the guardian stop the bus, s; longer where four control periods are. */
const SILENCE_S = 0.1;
const SILENT_PERIODS = 4;

/** For a guard that ticks every `periodS`. */
export function silenceMs(periodS: number): number {
  return 1e3 * Math.max(SILENCE_S, SILENT_PERIODS * periodS);
}

/**
 * After so many periods without a beat the guardian looks whether the tick's thread is there at all. A killed process closes its
 * pipes when the last of its threads is gone, and on a busy machine that takes them tens of milliseconds; the tick's own thread,
 * which has real-time priority, is gone at once.
 */
const MISSED_PERIODS = 2.5;

export function missedMs(periodS: number): number {
  return 1e3 * MISSED_PERIODS * periodS;
}

/** How often the stop frames are written, and how long between, ms: all within 50 ms of a death with room to spare. */
export const STOP_REPEATS = 3;
export const STOP_GAP_MS = 5;

/** A bus as it crosses from process to process: bytes as hexadecimal digits. */
export interface BusConfig {
  readonly path: string;
  readonly stopFrames: readonly string[];
}

/** How a guard is watched. */
export interface WatchConfig {
  readonly silenceMs: number;
  readonly missedMs: number;
  /** A folder of Linux that is there as long as the tick's thread is, `/proc/PID/task/TID`; elsewhere absent. */
  readonly tickThread?: string | undefined;
  readonly realTimePriority: 'try' | 'no';
}

/** What the guardian is started with: its one argument, as JSON. */
export interface GuardianConfig {
  readonly bus: BusConfig;
  readonly relay?: RelayConfig | undefined;
  /** Paths of the two pipes, in a folder of their own. */
  readonly pulse: string;
  readonly answers: string;
  readonly watch: WatchConfig;
  /** One before it was ready and has died: the guard may be armed, and its arm be held by the power that the relay carries. */
  readonly isSuccessor: boolean;
}

/** Why the bus was stopped. */
export type StopCause = 'guardDied' | 'guardSilent';

/** From the guardian to its supervisor. */
export type FromGuardian =
  | { readonly kind: 'ready'; readonly isRaised: boolean }
  | { readonly kind: 'relayFailed'; readonly wanted: RelayState }
  | {
      readonly kind: 'stopped';
      readonly cause: StopCause;
      /** Repeats that went out whole. */
      readonly repeats: number;
      /** From the moment that it knew to the last byte. */
      readonly tookMs: number;
    };

/** From the guard to its supervisor, once its driver is open; it waits for the answer before it says that it is ready. */
export interface BusMessage {
  readonly kind: 'bus';
  readonly bus: BusConfig;
  readonly relay?: RelayConfig | undefined;
  readonly watch: WatchConfig;
}

/** From the supervisor to the guard: a guardian listens, at these paths. */
export interface GuardianMessage {
  readonly kind: 'guardian';
  readonly pulse: string;
  readonly answers: string;
}
