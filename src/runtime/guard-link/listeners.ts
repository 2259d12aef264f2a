/** What every end of a link does alike: keep the newest frame, call the listeners, remember a loss. */
import type { GuardFrame, GuardNotice } from '../../core/index.ts';
import { createGuardFrame } from './frames.ts';
import type { FrameListener, LinkShape, NoticeListener } from './link.ts';

/** Notices that a listener who comes later is still told. */
const KEPT_NOTICES = 16;

export class LinkListeners {
  readonly latest: GuardFrame;
  #frameListeners: readonly FrameListener[] = [];
  #lostListeners: readonly ((reason: string) => void)[] = [];
  #lostReason: string | undefined;
  #noticeListeners: readonly NoticeListener[] = [];
  #notices: readonly GuardNotice[] = [];

  constructor(shape: LinkShape) {
    this.latest = createGuardFrame(shape.joints, shape.signals, shape.actions);
  }

  get lostReason(): string | undefined {
    return this.#lostReason;
  }

  /** Calls the listeners with `latest`, which the caller has filled. Tick-safe. */
  emitFrame(): void {
    const listeners = this.#frameListeners;
    for (let i = 0; i < listeners.length; i++) listeners[i]!(this.latest);
  }

  /** Remembers the first reason and calls each listener once. */
  emitLost(reason: string): void {
    if (this.#lostReason !== undefined) return;
    this.#lostReason = reason;
    const listeners = this.#lostListeners;
    this.#lostListeners = [];
    for (const listener of listeners) listener(reason);
  }

  /** Keeps the notice for those who come later; one that was given already becomes the newest. */
  emitNotice(notice: GuardNotice): void {
    const others = this.#notices.filter(({ row, sentence }) => row !== notice.row || sentence !== notice.sentence);
    this.#notices = [...others, notice].slice(-KEPT_NOTICES);
    for (const listener of this.#noticeListeners) listener(notice);
  }

  onNotice(listener: NoticeListener): () => void {
    for (const notice of this.#notices) listener(notice);
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
