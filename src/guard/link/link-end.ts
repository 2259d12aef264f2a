/** Common part of all link ends: keeps the newest frame, calls the listeners, remembers a loss. */
import { ReinError } from '../../model/index.ts';
import type { GuardFrame, GuardNotice } from '../../rows/index.ts';
import { createGuardFrame } from './frames.ts';
import type { FrameListener, LinkShape, NoticeListener } from './link.ts';

/** Number of notices kept for later listeners. */
const KEPT_NOTICES = 16;
/** Time for which one-off notices are kept: a restarted node shall receive the report of its own death, but no older news. */
const NEWS_MS = 5000;

interface KeptNotice {
  readonly notice: GuardNotice;
  readonly saidAtMs: number;
}

export class LinkEnd {
  readonly shape: LinkShape;
  readonly latest: GuardFrame;
  #frameListeners: readonly FrameListener[] = [];
  #lostListeners: readonly ((reason: string) => void)[] = [];
  #lostReason: string | undefined;
  #noticeListeners: readonly NoticeListener[] = [];
  #kept: readonly KeptNotice[] = [];
  readonly #nowMs: () => number;

  constructor(shape: LinkShape, nowMs: () => number = () => performance.now()) {
    this.shape = shape;
    this.#nowMs = nowMs;
    this.latest = createGuardFrame(shape.joints, shape.signals, shape.actions);
  }

  get lostReason(): string | undefined {
    return this.#lostReason;
  }

  /** Calls the listeners with `latest`, which has been filled. Tick-safe. */
  protected emitFrame(): void {
    const listeners = this.#frameListeners;
    for (let i = 0; i < listeners.length; i++) listeners[i]!(this.latest);
  }

  /** Remembers the first reason and calls each listener once. */
  protected emitLost(reason: string): void {
    if (this.#lostReason !== undefined) return;
    this.#lostReason = reason;
    const listeners = this.#lostListeners;
    this.#lostListeners = [];
    for (const listener of listeners) listener(reason);
  }

  /** Sends a notice to the node. Kept for later listeners, in place of an identical one, or of the condition that it updates or ends. */
  notify(notice: GuardNotice): void {
    const others = this.#kept.filter((kept) => !isSuperseded(kept.notice, notice));
    this.#kept = [...others, { notice, saidAtMs: this.#nowMs() }];
    // The oldest is dropped, lasting conditions only after all news.
    if (this.#kept.length > KEPT_NOTICES) {
      const oldest = this.#kept.find((kept) => !doesLast(kept.notice)) ?? this.#kept[0];
      this.#kept = this.#kept.filter((kept) => kept !== oldest);
    }
    for (const listener of this.#noticeListeners) listener(notice);
  }

  /** Called after an acknowledgement: later listeners receive only lasting conditions. */
  protected forgetNews(): void {
    this.#kept = this.#kept.filter(({ notice }) => doesLast(notice));
  }

  /** Calls `listener` at once with lasting conditions and recent news. */
  onNotice(listener: NoticeListener): () => void {
    const newsFromMs = this.#nowMs() - NEWS_MS;
    this.#kept = this.#kept.filter(({ notice, saidAtMs }) => doesLast(notice) || saidAtMs >= newsFromMs);
    for (const { notice } of this.#kept) listener(notice);
    this.#noticeListeners = [...this.#noticeListeners, listener];
    return () => {
      this.#noticeListeners = this.#noticeListeners.filter((other) => other !== listener);
    };
  }

  onFrame(listener: FrameListener): () => void {
    this.#frameListeners = [...this.#frameListeners, listener];
    return () => {
      this.#frameListeners = this.#frameListeners.filter((other) => other !== listener);
    };
  }

  protected throwIfLost(): void {
    if (this.#lostReason !== undefined) throw lostError(this.#lostReason);
  }

  onLost(listener: (reason: string) => void): () => void {
    if (this.#lostReason !== undefined) {
      listener(this.#lostReason);
      return () => undefined;
    }
    this.#lostListeners = [...this.#lostListeners, listener];
    return () => {
      this.#lostListeners = this.#lostListeners.filter((other) => other !== listener);
    };
  }
}

export function lostError(reason: string): ReinError {
  return new ReinError('link', `The guard cannot be reached: ${reason}.`);
}

function doesLast({ condition, isOver }: GuardNotice): boolean {
  return condition !== undefined && isOver !== true;
}

function isSuperseded(old: GuardNotice, { row, message, condition }: GuardNotice): boolean {
  if (old.row === row && old.message === message) return true;
  if (condition === undefined || old.condition === undefined) return false;
  return old.condition === condition || old.condition.startsWith(`${condition}/`);
}
