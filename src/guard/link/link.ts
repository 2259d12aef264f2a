/**
 * How node and guard talk: in memory, between threads, or over a socket. Every implementation passes
 * `tests/contract/guard-link.contract.ts`.
 */
import type { ActionCommand, GuardAnswer, GuardFrame, GuardNotice, GuardRequest } from '../../core/index.ts';

/** The sizes that both ends must agree on before the first message. */
export interface LinkShape {
  readonly joints: number;
  readonly signals: number;
  readonly actions: number;
  /** Guard ticks per second. */
  readonly controlHz: number;
  /** Whether ticks pass when `advance` asks for them, or by themselves at their deadlines. */
  readonly timing: 'lock-step' | 'real-time';
}

/**
 * Who asks: a part that serves people, or a program that runs a policy. Only the guard's own process distinguishes the two, by
 * the channel that a request came over; what a node says of itself does not count.
 */
export type Asker = 'person' | 'program';

/** Called after every tick that arrives. The frame is reused: copy what you keep. Must not throw. */
export type FrameListener = (frame: GuardFrame) => void;

/** Called for every notice. Must not throw. */
export type NoticeListener = (notice: GuardNotice) => void;

/** The node's end. */
export interface GuardLink {
  readonly shape: LinkShape;
  /** The newest frame, updated in place; `tick` is −1 until one has arrived. */
  readonly latest: GuardFrame;
  /** Why the guard cannot be reached any more; `undefined` while it can. */
  readonly lostReason: string | undefined;
  /** Replaces the command that the guard acts on. Newest wins, nothing is queued; after a loss it does nothing. */
  send(command: ActionCommand): void;
  /**
   * Asks for something that is not motion. Rejects with `ReinError('link', …)` when the guard is lost first. `by` counts in the
   * guard's process only, default `person`; over a socket the guard knows who is there.
   */
  request(request: GuardRequest, by?: Asker): Promise<GuardAnswer>;
  /**
   * Lets `ticks` ≥ 1 guard ticks pass. In lock-step time they are run; in real time it resolves when a frame
   * `ticks` later than the previous target has arrived, so that steps keep their phase although the caller took
   * time in between. A caller that is a whole step behind starts a new phase, and so does an answered request: the frame
   * that ends the wait was made after it. Rejects when the guard is lost first.
   */
  advance(ticks: number): Promise<void>;
  /** Registers a listener for every frame; the result takes it off again. */
  onFrame(listener: FrameListener): () => void;
  /** Registers a listener for what people should know; it is given the newest that were given before, too. */
  onNotice(listener: NoticeListener): () => void;
  /** Registers a listener for the loss of the guard; called at most once, at once when it is lost already. */
  onLost(listener: (reason: string) => void): () => void;
  /** Ends the connection; the guard brakes and holds. Idempotent. */
  close(): Promise<void>;
}

/** A link that a server passes commands on to, as they came. */
export interface ServedLink extends GuardLink {
  /** As `send`, of a row that `isCommand` has found to be one; it is copied. */
  sendRow(row: Float64Array): void;
}

/** The guard's end, used on the tick path: no allocation, no throw. */
export interface GuardPort {
  /** Copies the command that arrived since the last call into `out`; false when there was none. */
  latestCommand(out: ActionCommand): boolean;
  /** Hands the tick's frame on. The frame stays the guard's. */
  publish(frame: GuardFrame): void;
}
