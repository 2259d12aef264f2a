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
  /** Makes a guard on the link's port, at first and at each restart. The link closes it. */
  readonly createGuard: (port: GuardPort) => TickingGuard;
  /** Who asks by this link, where the request does not say. */
  readonly nodeIs: Asker;
}

/** Counters of a frame that outlive a guard. */
type Counters = Pick<GuardFrame, 'ticks' | 'changedTicks' | 'violations' | 'overruns' | 'tankInjectedJ' | 'stageTicks'>;

/** A link whose `advance` runs the ticks itself. */
export class MemoryGuardLink implements GuardLink, GuardPort {
  readonly shape: LinkShape;
  readonly #clock: LockStepClock;
  readonly #createGuard: (port: GuardPort) => TickingGuard;
  readonly #listeners: LinkListeners;
  readonly #command: ActionCommand;
  readonly #nodeIs: Asker;
  #guard: TickingGuard;
  /** What the guards before this one counted. */
  #counted: Counters | undefined;
  #hasCommand = false;
  #closing: Promise<void> | undefined;

  constructor(options: MemoryLinkOptions) {
    this.shape = { ...options.shape, timing: 'lock-step' };
    this.#clock = options.clock;
    this.#listeners = new LinkListeners(this.shape);
    this.#command = createActionCommand(this.shape.actions);
    this.#nodeIs = options.nodeIs;
    this.#createGuard = options.createGuard;
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

  /**
   * Closes the guard and makes another, as after a power cycle: the new one knows of no fault, has no torque, and begins with its
   * first tick. `between` is run where there is none, to open anew what the guard closed. Listeners stay, and counters go on.
   */
  async restart(between: () => Promise<void>): Promise<void> {
    this.#throwIfLost();
    const { ticks, changedTicks, violations, overruns, tankInjectedJ, stageTicks } = this.latest;
    const counted = { ticks, changedTicks, violations, overruns, tankInjectedJ, stageTicks: stageTicks.slice() };
    await this.#guard.close();
    await between();
    this.#counted = counted;
    this.#hasCommand = false;
    this.#guard = this.#createGuard(this);
  }

  onFrame(listener: FrameListener): () => void {
    return this.#listeners.onFrame(listener);
  }

  onNotice(listener: NoticeListener): () => void {
    return this.#listeners.onNotice(listener);
  }

  /** Reports to the node. */
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
    const { latest } = this.#listeners;
    copyGuardFrame(latest, frame);
    if (this.#counted !== undefined) addCounters(latest, this.#counted);
    this.#listeners.emitFrame();
  }

  #throwIfLost(): void {
    if (this.lostReason !== undefined) throw new ReinError('link', `The guard cannot be reached: ${this.lostReason}.`);
  }
}

function addCounters(frame: GuardFrame, counted: Counters): void {
  frame.ticks += counted.ticks;
  frame.changedTicks += counted.changedTicks;
  frame.violations += counted.violations;
  frame.overruns += counted.overruns;
  frame.tankInjectedJ += counted.tankInjectedJ;
  for (let i = 0; i < frame.stageTicks.length; i++) frame.stageTicks[i] = frame.stageTicks[i]! + counted.stageTicks[i]!;
}
