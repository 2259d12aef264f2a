/** Session of the node: opened asynchronously, closed and reopened as the lifecycle requires. */
import { messageOf, ReinError } from '../../model/index.ts';
import type { LearnerWait, LiveSession } from '../../session/index.ts';

export type HolderState = 'closed' | 'opening' | 'open' | 'failed';

export interface SessionHolderOptions {
  /** Opens a session; nothing moves. Calls `wait` each time it has to wait for the learner, and rejects on `signal`. */
  readonly open: (signal: AbortSignal, wait: (wait: LearnerWait) => void) => Promise<LiveSession>;
  /** Called when the reason to wait changes. */
  readonly onWait: (wait: LearnerWait) => void;
  readonly onOpen: (session: LiveSession) => void;
  readonly onFailure: (error: ReinError) => void;
}

export class SessionHolder {
  readonly #options: SessionHolderOptions;
  #state: HolderState = 'closed';
  #session: LiveSession | undefined;
  #failure: ReinError | undefined;
  #wait: LearnerWait | undefined;
  #isWanted = false;
  /** Aborts the present or pending opening. */
  #aborting = new AbortController();
  readonly #waiters: (() => void)[] = [];
  /** Opening or closing in progress; the next one waits for it. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: SessionHolderOptions) {
    this.#options = options;
  }

  get state(): HolderState {
    return this.#state;
  }

  /** Open session; `undefined` while there is none. */
  get session(): LiveSession | undefined {
    return this.#session;
  }

  /** Reason why the last opening failed. */
  get failure(): ReinError | undefined {
    return this.#failure;
  }

  /** Reason why the opening waits; `undefined` if it does not. */
  get wait(): LearnerWait | undefined {
    return this.#wait;
  }

  /** Begins to open unless open or opening. Never throws; `onOpen` or `onFailure` follows. */
  open(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#state = 'opening';
    this.#failure = undefined;
    this.#aborting = new AbortController();
    const { signal } = this.#aborting;
    this.#work = this.#work.then(() => this.#openNow(signal));
  }

  /** Brakes and closes. Resolves when nothing is open any more; never rejects. */
  close(): Promise<void> {
    this.#isWanted = false;
    this.#aborting.abort();
    this.#work = this.#work.then(() => this.#closeNow());
    return this.#work;
  }

  /** Resolves when it is open, or failed, or closed. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Resolves when it is settled, or has to wait for the learner. */
  settledOrWaiting(): Promise<void> {
    if (this.#wait !== undefined) return Promise.resolve();
    const waiting = new Promise<void>((resolve) => this.#waiters.push(resolve));
    return Promise.race([this.#work, waiting]);
  }

  async #openNow(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#session !== undefined) return;
    try {
      this.#session = await this.#options.open(signal, (wait) => this.#waits(wait));
      this.#state = 'open';
      this.#options.onOpen(this.#session);
    } catch (error) {
      if (signal.aborted) return;
      this.#isWanted = false;
      this.#state = 'failed';
      this.#failure = asReinError(error);
      this.#options.onFailure(this.#failure);
    } finally {
      this.#wait = undefined;
    }
  }

  #waits(wait: LearnerWait): void {
    const isNew = this.#wait?.message !== wait.message;
    this.#wait = wait;
    if (isNew) this.#options.onWait(wait);
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  async #closeNow(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (!this.#isWanted && this.#state !== 'failed') this.#state = 'closed';
    await session?.close().catch(() => undefined); // a lost guard cannot be asked to brake, and does so by itself
  }
}

export function asReinError(error: unknown): ReinError {
  if (error instanceof ReinError) return error;
  return new ReinError('environment', messageOf(error), { cause: error });
}
