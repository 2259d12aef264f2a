/**
 * Who may let the robot go on. A program that runs a policy may stop and hold it; to acknowledge, to enable and to activate are
 * a person's, who reaches the guard over a channel of their own. Pure but for its memory; time has no part in it.
 */
import type { GuardRequest, SafetyStateName } from '../core/index.ts';
import { mayGoOnInSimulation } from '../safety/index.ts';
import type { Asker } from './link/link.ts';

type Kind = GuardRequest['kind'];

/** What only people may ask for. */
const PEOPLES: readonly Kind[] = ['acknowledge', 'enable', 'activate', 'permit'];
/** The robot holds or is driven: it may go on, and needs what can stop it when the guard's process dies. */
export const WORKING_STATES: readonly SafetyStateName[] = ['ready', 'active.policy', 'active.human'];

const NEEDS_PERSON = 'only a person may let this robot go on, and nobody has since it stood';

/**
 * Leave to move is given by a person (`permit`, `activate`). It lasts over episodes, and ends with whatever takes the robot
 * out of `ready` and motion, and where a person takes over. A simulated robot needs none, and may acknowledge by itself what
 * is no category 1; but where somebody stopped it, or its node is gone, it stands like any other.
 */
export class Authority {
  readonly #isSimulated: boolean;
  #hasLeave = false;
  /** Somebody stopped or held it, who was no program that runs a policy. */
  #isHeld = false;
  #state: SafetyStateName = 'standby';

  constructor(isSimulated: boolean) {
    this.#isSimulated = isSimulated;
  }

  /** Why `by` may not ask for `kind` while `flags` are set; `undefined` where they may. */
  refusal(kind: Kind, by: Asker, flags: number): string | undefined {
    if (by === 'person' || !PEOPLES.includes(kind)) return undefined;
    if (kind === 'permit') return NEEDS_PERSON;
    if (kind === 'activate' && this.#hasLeave) return undefined;
    if (!this.#isSimulated || this.#isHeld) return NEEDS_PERSON;
    return kind === 'acknowledge' && !mayGoOnInSimulation(flags) ? NEEDS_PERSON : undefined;
  }

  /** `kind` was granted to `by`. */
  granted(kind: Kind, by: Asker): void {
    // Whoever asks for a stop, it takes a person to undo it.
    if (kind === 'stop') this.#hold();
    if (by === 'program') return;
    if (kind === 'hold' || kind === 'disable') this.#hold();
    if (kind !== 'permit' && kind !== 'activate') return;
    this.#isHeld = false;
    this.#hasLeave = true;
  }

  /** The guard's state after a tick or a request. Tick-safe. */
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
