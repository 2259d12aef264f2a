/**
 * Rewinds the robot's path: the references of its last steps, played backwards at half their pace at most. It is a
 * source like any other, so guard, limits and stops are those of every command, and no other source decides meanwhile.
 * It ends at the oldest known pose, at a contact, when it gets no further, at a stop, and when another operator takes
 * over; it then holds until control is given back.
 */
import { type ActionSpec, clamp, isToolTurn, wrapAngleRad } from '../model/index.ts';
import type { TeleopCommand, TeleopSource } from './teleop-source.ts';

export interface RewindOptions {
  readonly action: ActionSpec;
  /** Largest number of poses remembered: one a policy step, oldest forgotten. */
  readonly steps: number;
  /** Share of the original pace, and of the full action; (0, 0.5]. */
  readonly pace: number;
  /** Rise of the force since the rewind began that ends it, N. */
  readonly contactForceN: number;
  /** [A] reference of the robot, m and rad in the action's dimensions; reused. */
  readonly reference: () => ArrayLike<number>;
  /** Magnitude of the force at the tool, N. */
  readonly forceN: () => number;
  /** True while the robot is stopped. */
  readonly isStopped: () => boolean;
  /** Called once with the reason for its end, one sentence. */
  readonly onEnd: (why: string) => void;
}

/** Largest distance of the reference between two steps, in actions; beyond it, something else moved the robot. */
const MOST_ACTIONS = 2;
/** Polls without progress after which something is in the way. */
const MOST_POLLS_AT_ONE_PLACE = 20;
/** Distance, in actions, below which a pose is reached, and a step counts as standing still. */
const NEAR = 0.02;

export class Rewind implements TeleopSource {
  readonly name = 'rewind';
  readonly decidedBy = 'scripted';
  /** Requested by a person, regardless of the holder of control. */
  readonly mayTakeFromPeople = true;
  /** It has no device that could be heard. */
  readonly isLost = true;
  readonly #options: RewindOptions;
  readonly #poses: Float64Array;
  readonly #target: Float64Array;
  #count = 0;
  #oldest = 0;
  /** Position between the poses, counted from the oldest. */
  #at = 0;
  #forceAtStartN = 0;
  /** Polls since the last progress. */
  #pollsHere = 0;
  #state: 'out' | 'rewinding' | 'holding' = 'out';

  constructor(options: RewindOptions) {
    this.#options = options;
    this.#poses = new Float64Array(options.steps * this.#size);
    this.#target = new Float64Array(this.#size);
  }

  get isRewinding(): boolean {
    return this.#state === 'rewinding';
  }

  get isInControl(): boolean {
    return this.#state !== 'out';
  }

  /** Number of poses remembered now. */
  get length(): number {
    return this.#count;
  }

  /** Called after a step: remembers the robot's reference, unless it stood or went back. */
  note(): void {
    if (this.isRewinding) return;
    const reference = this.#options.reference();
    if (this.#count > 0) {
      const way = this.#distance(reference, this.#poseAt(this.#count - 1));
      if (way < NEAR) return;
      if (!(way <= MOST_ACTIONS)) this.#count = 0;
    }
    if (this.#count === this.#options.steps) {
      this.#oldest = (this.#oldest + 1) % this.#options.steps;
      this.#count--;
    }
    this.#poses.set(reference, this.#slot(this.#count++));
  }

  /** Begins to go back. Returns the reason if it cannot, one sentence. */
  begin(): string | undefined {
    if (this.isRewinding) return 'A rewind is going on already.';
    if (this.#options.isStopped()) return 'The robot is stopped: let it go on first.';
    if (this.#count < 2) return 'Nothing to rewind: the robot has not moved since its reset.';
    const away = this.#distance(this.#options.reference(), this.#poseAt(this.#count - 1));
    if (!(away <= MOST_ACTIONS)) {
      this.#count = 0;
      return 'The robot was moved outside of the recorded path: it cannot go back.';
    }
    this.#at = this.#count - 1;
    this.#pollsHere = 0;
    this.#aim();
    this.#forceAtStartN = this.#options.forceN();
    this.#state = 'rewinding';
    return undefined;
  }

  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    this.watch();
    out.active = this.isInControl;
    out.phase = 'recover';
    out.action.fill(0);
    if (this.isRewinding) this.#goBack(out.action);
  }

  /** Ends the rewind at a contact or a stop, at every poll and in between. Tick-safe while it continues. */
  watch(): void {
    if (!this.isRewinding) return;
    const { forceN, contactForceN, isStopped } = this.#options;
    if (isStopped()) this.#end('the robot was stopped');
    // NaN is no measurement, and no contact.
    else if (forceN() > this.#forceAtStartN + contactForceN) this.#end('the tool touched something');
  }

  giveBack(): void {
    if (this.isRewinding) this.#end('it was given back');
    this.#state = 'out';
  }

  onControlLost(by: string): void {
    if (this.isRewinding) this.#end(`${by} took over`);
    this.#state = 'out';
  }

  /** A new episode changes nothing: control is given back by people. */
  reset(): void {}

  close(): void {
    this.#state = 'out';
  }

  get #size(): number {
    return this.#options.action.dimensions.length;
  }

  /** Aims at the present pose, and at an earlier one once the robot is there. */
  #goBack(out: Float32Array): void {
    const { reference, action, pace } = this.#options;
    const robot = reference();
    if (!(this.#distance(robot, this.#target) <= MOST_ACTIONS)) {
      this.#count = 0;
      this.#end('the robot was moved by something else');
      return;
    }
    if (this.#at === 0 && this.#distance(robot, this.#poseAt(0)) < NEAR) {
      this.#count = 1;
      this.#end('the recorded path ends here');
      return;
    }
    // A lagging robot does not catch up faster than permitted.
    this.#aim();
    if (this.#distance(robot, this.#target) <= pace && this.#at > 0) {
      this.#at = Math.max(0, this.#at - pace);
      this.#pollsHere = 0;
      this.#aim();
    } else if (++this.#pollsHere > MOST_POLLS_AT_ONE_PLACE) {
      this.#end('the robot makes no progress');
      return;
    }
    for (let i = 0; i < out.length; i++) {
      out[i] = clamp(this.#difference(i, this.#target[i]! - robot[i]!) / action.dimensions[i]!.scale, -pace, pace);
    }
  }

  /** Sets the target between the two poses next to `#at`. */
  #aim(): void {
    const low = Math.floor(this.#at);
    const [before, after] = [this.#slot(low), this.#slot(Math.min(low + 1, this.#count - 1))];
    for (let i = 0; i < this.#size; i++) {
      const from = this.#poses[before + i]!;
      this.#target[i] = from + (this.#at - low) * this.#difference(i, this.#poses[after + i]! - from);
    }
  }

  #end(why: string): void {
    this.#state = 'holding';
    this.#count = Math.min(this.#count, Math.ceil(this.#at) + 1);
    this.#options.onEnd(`The rewind has ended: ${why}. The robot holds: take over, give back, or let it go on.`);
  }

  #slot(index: number): number {
    return ((this.#oldest + index) % this.#options.steps) * this.#size;
  }

  #poseAt(index: number): Float64Array {
    const slot = this.#slot(index);
    return this.#poses.subarray(slot, slot + this.#size);
  }

  /** Returns the largest difference of a dimension, in actions. */
  #distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
    let most = 0;
    for (const [i, { scale }] of this.#options.action.dimensions.entries()) {
      const actions = Math.abs(this.#difference(i, a[i]! - b[i]!)) / scale;
      if (!(actions <= most)) most = actions;
    }
    return most;
  }

  /** A tool's yaw is wrapped to the shorter way; a joint may have several turns. */
  #difference(i: number, difference: number): number {
    const { kind, dimensions } = this.#options.action;
    const isCircle = isToolTurn(kind, dimensions[i]!.name);
    return isCircle && Number.isFinite(difference) ? wrapAngleRad(difference) : difference;
  }
}
