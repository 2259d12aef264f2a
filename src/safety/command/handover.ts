/**
 * Detects hand-overs: a change of decider, or new weights whose actions jump compared with those of the old ones. A
 * learner publishes weights several times a second; that alone is no hand-over, or the arm would learn at half its
 * acceleration. The guard judges by the commands it sees: it relies on no claim about how much the weights differ, and
 * a claim that they are of another run can only open a hand-over.
 */
import type { ActionCommand, Decider } from '../../rows/index.ts';
import { NOW, type TickTimes } from '../tick-times.ts';

/** Number of remembered changes between commands: about three seconds of a policy at 10 Hz. */
const REMEMBERED = 32;
/** A change larger than all remembered ones by more than this factor is a jump. */
const LARGER = 1.5;
/** Smallest change that counts as a jump, in units of the action's scale. */
const SMALLEST_JUMP = 0.25;
/** Larger increments of the version are not the next step of the same training. */
const MOST_VERSIONS = 16;

/** Watches the commands about to be followed. Tick-safe after construction. */
export class HandoverWatch {
  readonly #youngS: number;
  /** Ring of the latest changes under unchanged weights: the largest change of any action component from one command to the next. */
  readonly #changes: Float64Array = new Float64Array(REMEMBERED);
  readonly #last: Float64Array;
  /** [1] change from the last action to the newest. */
  readonly #change: Float64Array = new Float64Array(1);
  #next = 0;
  #decider: Decider = 'hold';
  #version = 0;
  #run = 0;
  /** End of the period in which weights count as new: their first commands may resemble the last ones of the old weights. */
  #youngUntilS = Number.NEGATIVE_INFINITY;

  /** `dimensions` of an action; `youngS` ≥ 0: time for which new weights are watched. */
  constructor(dimensions: number, youngS: number) {
    this.#last = new Float64Array(dimensions);
    this.#youngS = youngS;
  }

  /** The last decider. */
  get decider(): Decider {
    return this.#decider;
  }

  /**
   * Resets to no decider: the next one begins at rest. The remembered changes are kept: in training each episode begins
   * here, and an arm that forgot them spent 43 % of the ticks of a run at half its acceleration.
   */
  reset(): void {
    this.#decider = 'hold';
    this.#youngUntilS = Number.NEGATIVE_INFINITY;
  }

  /**
   * Takes the next command and its sanitized `action` ([A], in [−1, 1]). Returns true for a hand-over:
   *
   *   the decider differs from the one before, or
   *   the weights are of another run, or older than those before, or newer by more than `MOST_VERSIONS`, or
   *   weights came less than `youngS` ago, and max|a − a_last| > max(0.25, 1.5 · the largest of the remembered changes).
   *
   * Weights that begin at rest do not count as new: they take over from no other decider, and an episode of one policy
   * does not depend on what ran before it.
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
    // Changes under other weights are not representative of these.
    if (isFar) this.#changes.fill(0);
    // Jumps of the policy are not measured from an action of a human, or of no decider.
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

  /** True if the change is larger than the remembered ones suggest. */
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
