/** Node and guard in one thread on lock-step time: as fast as the machine allows, and the same every time. */
import {
  type ActionCommand,
  type GuardAnswer,
  type GuardFrame,
  type GuardNotice,
  type GuardRequest,
  type LockStepClock,
  ReinError,
} from '../../core/index.ts';
import { copyActionCommand, copyGuardFrame, createActionCommand } from './frames.ts';
import type { Asker, FrameListener, GuardLink, GuardPort, LinkShape, NoticeListener } from './link.ts';
import { LinkListeners } from './listeners.ts';

/** What a link in the same thread drives. `Guard` is one. */
export interface TickingGuard {
  tick(): void;
  handle(request: GuardRequest, by?: Asker): GuardAnswer;
  close(): Promise<void>;
}

export interface MemoryLinkOptions {
  readonly shape: Omit<LinkShape, 'timing'>;
  /** Stepped once before each tick; the guard reads the same clock. */
  readonly clock: LockStepClock;
  /** Makes the guard on the link's port. The link closes it. */
  readonly createGuard: (port: GuardPort) => TickingGuard;
  /** Who asks by this link, where the request does not say; `person` by default, as in tests. */
  readonly nodeIs?: Asker;
}

/** A link whose `advance` runs the ticks itself. */
export class MemoryGuardLink implements GuardLink, GuardPort {
  readonly shape: LinkShape;
  readonly #clock: LockStepClock;
  readonly #guard: TickingGuard;
  readonly #listeners: LinkListeners;
  readonly #command: ActionCommand;
  readonly #nodeIs: Asker;
  #hasCommand = false;
  #closing: Promise<void> | undefined;

  constructor(options: MemoryLinkOptions) {
    this.shape = { ...options.shape, timing: 'lock-step' };
    this.#clock = options.clock;
    this.#listeners = new LinkListeners(this.shape);
    this.#command = createActionCommand(this.shape.actions);
    this.#nodeIs = options.nodeIs ?? 'person';
    this.#guard = options.createGuard(this);
  }

  get latest(): GuardFrame {
    return this.#listeners.latest;
  }

  get lostReason(): string | undefined {
    return this.#listeners.lostReason;
  }

  send(command: ActionCommand): void {
    if (this.lostReason !== undefined) return;
    copyActionCommand(this.#command, command);
    this.#hasCommand = true;
  }

  async request(request: GuardRequest, by: Asker = this.#nodeIs): Promise<GuardAnswer> {
    this.#throwIfLost();
    return this.#guard.handle(request, by);
  }

  async advance(ticks: number): Promise<void> {
    for (let i = 0; i < ticks; i++) {
      this.#throwIfLost();
      this.#clock.step();
      this.#guard.tick();
    }
  }

  onFrame(listener: FrameListener): () => void {
    return this.#listeners.onFrame(listener);
  }

  onNotice(listener: NoticeListener): () => void {
    return this.#listeners.onNotice(listener);
  }

  /** Tells the node. */
  notify(notice: GuardNotice): void {
    this.#listeners.emitNotice(notice);
  }

  onLost(listener: (reason: string) => void): () => void {
    return this.#listeners.onLost(listener);
  }

  close(): Promise<void> {
    this.#listeners.emitLost('the link was closed');
    this.#closing ??= this.#guard.close();
    return this.#closing;
  }

  latestCommand(out: ActionCommand): boolean {
    if (!this.#hasCommand) return false;
    copyActionCommand(out, this.#command);
    this.#hasCommand = false;
    return true;
  }

  publish(frame: GuardFrame): void {
    copyGuardFrame(this.#listeners.latest, frame);
    this.#listeners.emitFrame();
  }

  #throwIfLost(): void {
    if (this.lostReason !== undefined) throw new ReinError('link', `The guard cannot be reached: ${this.lostReason}.`);
  }
}
