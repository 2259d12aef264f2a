/** The node's session: opened beside everything else, closed and opened again as the lifecycle asks for it. */
import { ReinError } from '../../core/index.ts';
import type { LiveSession } from '../../runtime/live/index.ts';

export type HolderState = 'closed' | 'opening' | 'open' | 'failed';

export interface SessionHolderOptions {
  /** Opens a session; nothing moves. */
  readonly open: () => Promise<LiveSession>;
  readonly onOpen: (session: LiveSession) => void;
  readonly onFailure: (error: ReinError) => void;
}

export class SessionHolder {
  readonly #options: SessionHolderOptions;
  #state: HolderState = 'closed';
  #session: LiveSession | undefined;
  #failure: ReinError | undefined;
  #isWanted = false;
  /** What is under way; the next waits for it. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: SessionHolderOptions) {
    this.#options = options;
  }

  get state(): HolderState {
    return this.#state;
  }

  /** The open session; `undefined` while there is none. */
  get session(): LiveSession | undefined {
    return this.#session;
  }

  /** Why the last opening failed. */
  get failure(): ReinError | undefined {
    return this.#failure;
  }

  /** Begins to open, if it is not open or opening. Never throws; `onOpen` or `onFailure` follows. */
  open(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#state = 'opening';
    this.#failure = undefined;
    this.#work = this.#work.then(() => this.#openNow());
  }

  /** Brakes, closes. Resolves when nothing is open any more; never rejects. */
  close(): Promise<void> {
    this.#isWanted = false;
    this.#work = this.#work.then(() => this.#closeNow());
    return this.#work;
  }

  /** Resolves when it is open, or failed, or closed. */
  settled(): Promise<void> {
    return this.#work;
  }

  async #openNow(): Promise<void> {
    if (!this.#isWanted || this.#session !== undefined) return;
    try {
      this.#session = await this.#options.open();
      this.#state = 'open';
      this.#options.onOpen(this.#session);
    } catch (error) {
      this.#isWanted = false;
      this.#state = 'failed';
      this.#failure = asReinError(error);
      this.#options.onFailure(this.#failure);
    }
  }

  async #closeNow(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (!this.#isWanted && this.#state !== 'failed') this.#state = 'closed';
    await session?.close().catch(() => undefined); // a guard that is lost cannot be asked to brake, and does so by itself
  }
}

export function asReinError(error: unknown): ReinError {
  if (error instanceof ReinError) return error;
  return new ReinError('environment', error instanceof Error ? error.message : String(error), { cause: error });
}
