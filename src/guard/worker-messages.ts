/** What the guard's main thread and its tick's thread send each other. States and commands go through shared memory. */
import type { GuardAnswer, GuardNotice, GuardRequest, PackedError } from '../core/index.ts';
import type { DriverFacts } from '../drivers/index.ts';
import type { GuardConfig } from './guard-config.ts';
import type { Asker, LinkShape } from './link/link.ts';
import type { RaiseResult } from './priority.ts';
import type { RosMemory } from './ros/ros-memory.ts';
import type { LatenessSummary } from './scheduler.ts';
import type { SerialPortsMemory } from './serial-ports.ts';
import type { SharedRingMemory } from './shared-ring.ts';

/** Words that both threads see. */
export const CONTROL = {
  /** How many requests the main thread has posted. */
  requests: 0,
  /** Whether the tick's thread shall end, and how: one of `STOP`. */
  stop: 1,
  /** The descriptors of the guardian's pipes, once they are there; the second is set first. */
  pulseFd: 2,
  answersFd: 3,
  /** 1 while a guardian watches the driver's bus. */
  watched: 4,
  /** In lock-step: how many ticks the main thread has asked for. Whatever else it asks for wakes who waits for this word. */
  ticks: 5,
  words: 6,
} as const;

/** How the tick's thread ends: not, when the robot stands, or after the tick that begins to brake. */
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
  /** What others found of the robot. */
  | { readonly said: GuardNotice };

/** The driver is open, and the thread ticks. */
export interface ReadyMessage {
  readonly kind: 'ready';
  /** Whether the tick's thread has real-time priority, and why not. */
  readonly raise: RaiseResult;
  /** Where they have a bus, it wants a guardian before torque can come on. */
  readonly facts: DriverFacts;
  /** A folder that Linux keeps as long as the tick's thread lives; `undefined` elsewhere. */
  readonly tickThread: string | undefined;
}

export type FromWorker =
  | ReadyMessage
  /** The tick is compiled: the driver is loaded and opened next. */
  | { readonly kind: 'opening' }
  /** In lock-step: all ticks that were asked for have passed. */
  | { readonly kind: 'ticked' }
  | { readonly kind: 'notice'; readonly notice: GuardNotice }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: GuardAnswer }
  | { readonly kind: 'ended'; readonly lateness: LatenessSummary }
  | { readonly kind: 'failed'; readonly error: PackedError };
