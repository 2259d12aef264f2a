/** Messages between the guard's main thread and its tick's thread. Frames and commands go through shared memory. */

import type { DriverFacts } from '../drivers/index.ts';
import type { PackedError } from '../model/index.ts';
import type { GuardAnswer, GuardNotice, GuardRequest } from '../rows/index.ts';
import type { GuardConfig } from './guard-config.ts';
import type { Asker, LinkShape } from './link/link.ts';
import type { RaiseResult } from './priority.ts';
import type { RosMemory } from './ros/ros-memory.ts';
import type { LatenessSummary } from './scheduler.ts';
import type { SerialPortsMemory } from './serial-ports.ts';
import type { SharedRingMemory } from './shared-ring.ts';

/** Shared words of both threads. */
export const CONTROL = {
  /** Number of requests posted by the main thread. */
  requests: 0,
  /** End request to the tick's thread: one of `STOP`. */
  stop: 1,
  /** Descriptors of the guardian's pipes, once available; the second is set first. */
  pulseFd: 2,
  answersFd: 3,
  /** 1 while a guardian watches the driver's bus. */
  watched: 4,
  /** Lock-step: number of ticks requested by the main thread. Other requests also notify waiters on this word. */
  ticks: 5,
  words: 6,
} as const;

/** End of the tick's thread: none, once the robot stands, or after the tick that begins to brake. */
export const STOP = { no: 0, braked: 1, now: 2 } as const;

export interface WorkerStart {
  readonly config: GuardConfig;
  readonly shape: LinkShape;
  readonly frames: SharedRingMemory;
  readonly commands: SharedRingMemory;
  readonly control: SharedArrayBuffer;
  /** Only for robots behind ROS 2. */
  readonly ros: RosMemory | undefined;
  /** Only for robots on a serial port. */
  readonly serial: SerialPortsMemory | undefined;
}

export type ToWorker =
  | { readonly id: number; readonly request: GuardRequest; readonly by: Asker }
  /** Findings of other processes about the robot. */
  | { readonly said: GuardNotice };

/** The driver is open, and the thread ticks. */
export interface ReadyMessage {
  readonly kind: 'ready';
  /** Result of raising the tick's thread to real-time priority. */
  readonly raise: RaiseResult;
  /** If they include a bus, torque needs a guardian. */
  readonly facts: DriverFacts;
  /** Path that exists in Linux as long as the tick's thread lives; `undefined` elsewhere. */
  readonly tickThread: string | undefined;
}

export type FromWorker =
  | ReadyMessage
  /** The tick is compiled; the driver is loaded and opened next. */
  | { readonly kind: 'opening' }
  /** Lock-step: all requested ticks have run. */
  | { readonly kind: 'ticked' }
  | { readonly kind: 'notice'; readonly notice: GuardNotice }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: GuardAnswer }
  | { readonly kind: 'ended'; readonly lateness: LatenessSummary }
  | { readonly kind: 'failed'; readonly error: PackedError };
