/** The driver's end of the pipes to the processes that speak ROS. The guard makes it; tests make a fake. */
import type { SceneLayout } from '../../core/index.ts';

/** What takes longer than a tick. Answered once, and only asked while nothing moves. */
export type RosRequest =
  /** Is everything there that motion needs? Activates controllers where the robot's file says so. */
  { readonly kind: 'prepare' } | { readonly kind: 'resetScene'; readonly layout: SceneLayout };

/** `reason` is a message for people. */
export type RosAnswer = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface RosLink {
  /** Starts the processes and resolves when they are there, or rejects with `ReinError('driver', …)`. */
  open(): Promise<void>;
  /** The life of the bridge that runs now; −1 while none does. Tick-safe. */
  generation(): number;
  /** The process that can only stop is there and listens. Tick-safe. */
  isStopperReady(): boolean;
  /** How often that process has stopped the robot so far. Tick-safe. */
  stopsPast(): number;
  /** Copies the newest measurements into `row`; false when nothing came since the last call. Tick-safe. */
  takeState(row: Float64Array): boolean;
  /** Hands a command to the bridge; false when it does not read. Never waits. Tick-safe. */
  send(row: Float64Array): boolean;
  /** Reports the state to the process that can only stop. Never waits. Tick-safe. */
  pulse(row: Float64Array): boolean;
  /** Asks the bridge and waits for its answer, at most `timeoutMs`. Not for the tick. */
  ask(request: RosRequest, timeoutMs: number): RosAnswer;
  close(): Promise<void>;
}
