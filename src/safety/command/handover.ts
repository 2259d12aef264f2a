/**
 * When the one who decides is another one: another decider, or weights of which the arm is asked for something that those before did not
 * ask for. A learner sends new weights several times a second; that by itself is no hand-over, or the arm would learn at half its acceleration.
 * What is judged is what the guard itself sees, the commands: nobody is asked whether the weights differ much, and whoever says that they are of
 * another run can only open a hand-over by it.
 */
import type { ActionCommand, Decider } from '../../core/index.ts';
import { NOW, type TickTimes } from '../tick-times.ts';

/** Changes from command to command that are remembered: about three seconds of a policy at 10 Hz. */
const REMEMBERED = 32;
/** A change that is larger than all remembered ones by more than this factor is a jump. */
const LARGER = 1.5;
/** No change below this is a jump, in units of the action's scale. */
const SMALLEST_JUMP = 0.25;
/** More versions at once are no next step of the same learning. */
const MOST_VERSIONS = 16;

/** Watches the commands that are about to be followed. Tick-safe after construction. */
export class HandoverWatch {
  readonly #youngS: number;
  /** The largest change of a number from one command to the next under unchanged weights, the newest of them; a ring. */
  readonly #changes: Float64Array = new Float64Array(REMEMBERED);
  readonly #last: Float64Array;
  /** [1] how far the newest action is from the last one. */
  readonly #change: Float64Array = new Float64Array(1);
  #next = 0;
  #decider: Decider = 'hold';
  #version = 0;
  #run = 0;
  /** Until then the weights are new: the first commands of new weights may be like the last ones of the old. */
  #youngUntilS = Number.NEGATIVE_INFINITY;

  /** `dimensions` of an action; `youngS` ≥ 0: how long weights are watched after they came. */
  constructor(dimensions: number, youngS: number) {
    this.#last = new Float64Array(dimensions);
    this.#youngS = youngS;
  }

  /** Who decided last. */
  get decider(): Decider {
    return this.#decider;
  }

  /**
   * Nobody decides: whoever begins, begins at rest. What was usual stays so: in training each episode begins here, and an arm that
   * forgot with it was at half its acceleration in 43 % of the ticks of a run.
   */
  reset(): void {
    this.#decider = 'hold';
    this.#youngUntilS = Number.NEGATIVE_INFINITY;
  }

  /**
   * Takes the next command and its sanitized `action` ([A], in [−1, 1]). True where it is a hand-over:
   *
   *   another decider drives than the one before, or
   *   weights are of another run, or older than those before, or newer by more than `MOST_VERSIONS`, or
   *   weights came less than `youngS` ago, and max|a − a_last| > max(0.25, 1.5 · the largest of the remembered changes).
   *
   * Weights that begin at rest are not young: there is nobody whom they take over from, and an episode of one policy does not depend on
   * what was there before it.
   */
  isHandover(command: ActionCommand, action: Float64Array, times: TickTimes): boolean {
    const nowS = times[NOW]!;
    const { decider, policyVersion: version, policyRun: run } = command;
    const before = this.#decider;
    const isOther = decider !== before;
    this.#decider = decider;
    if (decider !== 'policy') return isOther && before !== 'hold';
    const rise = version - this.#version;
    this.#version = version;
    const isOfOther = run !== this.#run;
    this.#run = run;
    if (before !== 'hold' && (rise !== 0 || isOfOther)) this.#youngUntilS = nowS + this.#youngS;
    const isFar = isOfOther || !(rise >= 0 && rise <= MOST_VERSIONS);
    // What others asked for is not usual for these.
    if (isFar) this.#changes.fill(0);
    // What a person asked for before, or nobody, is nothing to measure a jump of the policy from.
    this.#change[0] = 0;
    if (!isOther) this.#measureChange(action);
    const isJump = nowS < this.#youngUntilS && this.#isUnusual();
    if (!isOther && rise === 0 && !isOfOther) this.#remember();
    this.#last.set(action);
    if (before === 'hold') return false;
    return isOther || isFar || isJump;
  }

  #measureChange(action: Float64Array): void {
    let change = 0;
    for (let i = 0; i < action.length; i++) change = Math.max(change, Math.abs(action[i]! - this.#last[i]!));
    this.#change[0] = change;
  }

  /** Whether the change is larger than those that are remembered let expect. */
  #isUnusual(): boolean {
    let largest = 0;
    for (let i = 0; i < REMEMBERED; i++) largest = Math.max(largest, this.#changes[i]!);
    return this.#change[0]! > Math.max(SMALLEST_JUMP, LARGER * largest);
  }

  #remember(): void {
    this.#changes[this.#next] = this.#change[0]!;
    this.#next = (this.#next + 1) % REMEMBERED;
  }
}
