/**
 * Link between node and guard: in memory, between threads, or over a socket. Every implementation passes
 * `tests/contract/guard-link.contract.ts`.
 */
import type { ActionCommand, GuardAnswer, GuardFrame, GuardNotice, GuardRequest } from '../../rows/index.ts';

/** Sizes that both ends must agree on before the first message. */
export interface LinkShape {
  readonly joints: number;
  readonly signals: number;
  readonly actions: number;
  /** Guard ticks per second. */
  readonly controlHz: number;
  /** `lock-step`: ticks run when `advance` requests them; `real-time`: at their deadlines. */
  readonly timing: 'lock-step' | 'real-time';
}

/**
 * Requester: the operator's side, or a program that runs a policy. Only the guard's own process distinguishes the two, by the
 * channel of a request; a node's own claim does not count.
 */
export type Asker = 'person' | 'program';

/** Called for every tick received. The frame is reused: copy it to keep it. Must not throw. */
export type FrameListener = (frame: GuardFrame) => void;

/** Called for every notice. Must not throw. */
export type NoticeListener = (notice: GuardNotice) => void;

/** The node's end of the link. */
export interface GuardLink {
  readonly shape: LinkShape;
  /** The newest frame, updated in place; `tick` is −1 until one has arrived. */
  readonly latest: GuardFrame;
  /** Reason why the guard is lost; `undefined` while connected. */
  readonly lostReason: string | undefined;
  /** Replaces the command that the guard acts on. Latest wins, nothing is queued; no effect after a loss. */
  send(command: ActionCommand): void;
  /**
   * Requests something other than motion. Rejects with `ReinError('link', …)` if the guard is lost first. `by` counts in the
   * guard's process only, default `person`; over a socket the guard knows the requester.
   */
  request(request: GuardRequest, by?: Asker): Promise<GuardAnswer>;
  /**
   * Waits for `ticks` ≥ 1 guard ticks. In lock-step time they are run; in real time it resolves when the frame
   * `ticks` after the previous target has arrived, so that steps keep their phase regardless of the caller's own time
   * between calls. A caller that is a whole step behind starts a new phase, and so does an answered request: the frame
   * that ends the wait was recorded after it. Rejects if the guard is lost first.
   */
  advance(ticks: number): Promise<void>;
  /** Registers a listener for every frame; returns its removal. */
  onFrame(listener: FrameListener): () => void;
  /** Registers a listener for the operator's notices; it first receives the recent ones. Returns its removal. */
  onNotice(listener: NoticeListener): () => void;
  /** Registers a listener for the loss of the guard; called at most once, immediately if it is already lost. Returns its removal. */
  onLost(listener: (reason: string) => void): () => void;
  /** Closes the connection; the guard brakes and holds. Idempotent. */
  close(): Promise<void>;
}

/** A link to which a server forwards commands unchanged. */
export interface ServedLink extends GuardLink {
  /** Like `send`, for a row that passed `isCommand`; it is copied. */
  sendRow(row: Float64Array): void;
}

/** The guard's end, used on the tick path: no allocation, no throw. */
export interface GuardPort {
  /** Copies the command received since the last call into `out`; false if there was none. */
  latestCommand(out: ActionCommand): boolean;
  /** Publishes the tick's frame, which remains the guard's. */
  publish(frame: GuardFrame): void;
}
