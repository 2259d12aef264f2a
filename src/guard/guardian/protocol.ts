/**
 * Protocol between guard, supervisor and guardian. Imports types only, like every file that the guardian loads.
 *
 * Two named pipes: `pulse` carries one byte per tick from the guard to the guardian, `answers` one byte back per
 * batch. The guard is the only writer of the first: its end of file is the guard's death, for whatever reason.
 */
import type { RelayConfig, RelayState } from './relay.ts';

/** From the guard, one per tick. */
export const PULSE_BYTE = {
  /** Torque is off, or an orderly end has begun: silence does not stop the robot. */
  idle: 0x69, // i
  /** Torque is on. */
  armed: 0x61, // a
  /** The robot stands and the driver is closed: the end of the pipe does not stop the robot. */
  goodbye: 0x67, // g
} as const;

/** From the guardian. */
export const ANSWER_BYTE = {
  /** It has the bus open and is watching. */
  here: 0x68, // h
  /** It has stopped the bus because the guard was silent, and has received no `idle` since. */
  stopped: 0x73, // s
} as const;

/** Silence of an armed guard after which the guardian stops the bus, s; four control periods if those are longer. */
const SILENCE_S = 0.1;
const SILENT_PERIODS = 4;

/** Silence limit of a guard with the tick period `periodS`. */
export function silenceMs(periodS: number): number {
  return 1e3 * Math.max(SILENCE_S, SILENT_PERIODS * periodS);
}

/**
 * Periods without a beat after which the guardian checks whether the tick's thread still exists. A killed process closes its
 * pipes when its last thread has ended, which takes tens of milliseconds on a busy machine; the tick's own thread,
 * with real-time priority, ends at once.
 */
const MISSED_PERIODS = 2.5;

export function missedMs(periodS: number): number {
  return 1e3 * MISSED_PERIODS * periodS;
}

/** Number of times that the stop frames are written, and the gap, ms: all within 50 ms of a death with margin. */
export const STOP_REPEATS = 3;
export const STOP_GAP_MS = 5;

/** A bus in inter-process messages: frames as hexadecimal digits. */
export interface BusConfig {
  readonly path: string;
  readonly stopFrames: readonly string[];
}

/** Parameters of watching a guard. */
export interface WatchConfig {
  readonly silenceMs: number;
  readonly missedMs: number;
  /** Path that exists in Linux as long as the tick's thread lives, `/proc/PID/task/TID`; absent elsewhere. */
  readonly tickThread?: string | undefined;
  readonly realTimePriority: 'try' | 'no';
}

/** Start-up configuration of a guardian: its only argument, as JSON. */
export interface GuardianConfig {
  readonly bus: BusConfig;
  readonly relay?: RelayConfig | undefined;
  /** Paths of the two pipes, in their own folder. */
  readonly pulse: string;
  readonly answers: string;
  readonly watch: WatchConfig;
  /** A previous guardian was ready and has died: the guard may be armed, and its arm held by the power behind the relay. */
  readonly isSuccessor: boolean;
}

/** Reason for a stop of the bus. */
export type StopCause = 'guardDied' | 'guardSilent';

/** From the guardian to its supervisor. */
export type FromGuardian =
  | { readonly kind: 'ready'; readonly isRaised: boolean }
  | { readonly kind: 'relayFailed'; readonly wanted: RelayState }
  | {
      readonly kind: 'stopped';
      readonly cause: StopCause;
      /** Number of complete repeats. */
      readonly repeats: number;
      /** From detection to the last byte. */
      readonly tookMs: number;
    };

/** From the guard to its supervisor, once its driver is open; the guard reports ready only after the reply. */
export interface BusMessage {
  readonly kind: 'bus';
  readonly bus: BusConfig;
  readonly relay?: RelayConfig | undefined;
  readonly watch: WatchConfig;
}

/** From the supervisor to the guard: a guardian is watching, with these pipes. */
export interface GuardianMessage {
  readonly kind: 'guardian';
  readonly pulse: string;
  readonly answers: string;
}
