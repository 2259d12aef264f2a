/** Node and guard in one thread on lock-step time: as fast as the machine allows, and reproducible. */
import type { LockStepClock } from '../../model/index.ts';
import {
  type ActionCommand,
  type CounterField,
  FRAME,
  type GuardAnswer,
  type GuardFrame,
  type GuardRequest,
} from '../../rows/index.ts';
import type { Guard } from '../guard.ts';
import { copyActionCommand, copyGuardFrame, createActionCommand, unpackCommand } from './frames.ts';
import type { Asker, GuardPort, LinkShape, ServedLink } from './link.ts';
import { LinkEnd } from './link-end.ts';

export interface MemoryLinkOptions {
  readonly shape: Omit<LinkShape, 'timing'>;
  /** Stepped once before each tick; the guard reads the same clock. */
  readonly clock: LockStepClock;
  /** Creates a guard on the link's port, initially and at each restart. The link closes it. */
  readonly createGuard: (port: GuardPort) => Guard;
  /** Default requester of this link. */
  readonly nodeIs: Asker;
}

type CounterKey = { [K in keyof typeof FRAME]: (typeof FRAME)[K] extends CounterField ? K : never }[keyof typeof FRAME];
/** Counters of a frame, which are carried over to the next guard. */
const COUNTERS = Object.keys(FRAME).filter((key) => 'counts' in FRAME[key as keyof typeof FRAME]) as CounterKey[];
type Counters = Pick<GuardFrame, CounterKey | 'stageTicks'>;

/** A link whose `advance` runs the ticks itself. */
export class MemoryGuardLink extends LinkEnd implements ServedLink, GuardPort {
  readonly #clock: LockStepClock;
  readonly #createGuard: (port: GuardPort) => Guard;
  readonly #command: ActionCommand;
  readonly #nodeIs: Asker;
  #guard: Guard;
  /** Totals of the previous guards. */
  #counted: Counters | undefined;
  #hasCommand = false;
  #closing: Promise<void> | undefined;

  constructor(options: MemoryLinkOptions) {
    super({ ...options.shape, timing: 'lock-step' });
    this.#clock = options.clock;
    this.#command = createActionCommand(this.shape.actions);
    this.#nodeIs = options.nodeIs;
    this.#createGuard = options.createGuard;
    this.#guard = options.createGuard(this);
  }

  send(command: ActionCommand): void {
    if (this.lostReason !== undefined) return;
    copyActionCommand(this.#command, command);
    this.#hasCommand = true;
  }

  sendRow(row: Float64Array): void {
    if (this.lostReason === undefined && unpackCommand(this.#command, row, 0)) this.#hasCommand = true;
  }

  async request(request: GuardRequest, by: Asker = this.#nodeIs): Promise<GuardAnswer> {
    this.throwIfLost();
    const answer = this.#guard.handle(request, by);
    if (request.kind === 'acknowledge' && answer.ok) this.forgetNews();
    return answer;
  }

  async advance(ticks: number): Promise<void> {
    for (let i = 0; i < ticks; i++) {
      this.throwIfLost();
      this.#clock.step();
      this.#guard.tick();
      const notice = this.#guard.takeNotice();
      if (notice !== undefined) this.notify(notice);
    }
  }

  /**
   * Closes the guard and creates another, as after a power cycle: the new one has no faults and no torque, and starts with its
   * first tick. `between` runs in between, to reopen what the guard closed. Listeners stay, and counters continue.
   */
  async restart(between: () => Promise<unknown>): Promise<void> {
    this.throwIfLost();
    const counted = { ...this.latest, stageTicks: this.latest.stageTicks.slice() };
    await this.#guard.close();
    await between();
    this.#counted = counted;
    this.#hasCommand = false;
    this.#guard = this.#createGuard(this);
  }

  close(): Promise<void> {
    this.emitLost('the link was closed');
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
    copyGuardFrame(this.latest, frame);
    if (this.#counted !== undefined) addCounters(this.latest, this.#counted);
    this.emitFrame();
  }
}

function addCounters(frame: GuardFrame, counted: Counters): void {
  for (const key of COUNTERS) frame[key] += counted[key];
  for (let i = 0; i < frame.stageTicks.length; i++) frame.stageTicks[i] = frame.stageTicks[i]! + counted.stageTicks[i]!;
}
