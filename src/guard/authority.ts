/**
 * Authority to let the robot move. A program that runs a policy may stop and hold it; acknowledge, enable and activate are
 * reserved for the operator, who reaches the guard over a separate channel. Pure but for its memory; independent of time.
 */
import type { GuardRequest, SafetyStateName } from '../rows/index.ts';
import { mayGoOnInSimulation } from '../safety/index.ts';
import type { Asker } from './link/link.ts';

type Kind = GuardRequest['kind'];

/** Requests reserved for the operator. */
const PEOPLES: readonly Kind[] = ['acknowledge', 'enable', 'activate', 'permit'];
/** States in which the robot holds or is driven: it may move, and needs a guardian or ROS stopper in case the guard process dies. */
export const WORKING_STATES: readonly SafetyStateName[] = ['ready', 'active.policy', 'active.human'];

const NEEDS_PERSON = 'only an operator may let this robot continue, and none has since it stopped';

/**
 * Permission to move is given by the operator (`permit`, `activate`). It lasts over episodes, and ends when the robot leaves
 * `ready` and motion, or when a human takes over. A simulated robot needs none, and may acknowledge by itself anything below
 * category 1; but once it was stopped on request, or its node is gone, the rules of a real robot apply.
 */
export class Authority {
  readonly #isSimulated: boolean;
  #hasLeave = false;
  /** Stopped on request, or held or disabled by the operator. */
  #isHeld = false;
  #state: SafetyStateName = 'standby';

  constructor(isSimulated: boolean) {
    this.#isSimulated = isSimulated;
  }

  /** Returns why `by` may not request `kind` while `flags` are set; `undefined` if allowed. */
  refusal(kind: Kind, by: Asker, flags: number): string | undefined {
    if (by === 'person' || !PEOPLES.includes(kind)) return undefined;
    if (kind === 'permit') return NEEDS_PERSON;
    if (kind === 'activate' && this.#hasLeave) return undefined;
    if (!this.#isSimulated || this.#isHeld) return NEEDS_PERSON;
    return kind === 'acknowledge' && !mayGoOnInSimulation(flags) ? NEEDS_PERSON : undefined;
  }

  /** Records that `kind` was granted to `by`. */
  granted(kind: Kind, by: Asker): void {
    // Whoever requested a stop, only the operator can undo it.
    if (kind === 'stop') this.#hold();
    if (by === 'program') return;
    if (kind === 'hold' || kind === 'disable') this.#hold();
    if (kind !== 'permit' && kind !== 'activate') return;
    this.#isHeld = false;
    this.#hasLeave = true;
  }

  /** Takes the guard's state after a tick or a request. Tick-safe. */
  see(state: SafetyStateName): void {
    const isTakenOver = state === 'active.human' && this.#state !== 'active.human';
    this.#state = state;
    if (isTakenOver || !WORKING_STATES.includes(state)) this.#hasLeave = false;
  }

  #hold(): void {
    this.#isHeld = true;
    this.#hasLeave = false;
  }
}
