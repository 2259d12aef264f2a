/** What the tick's thread does for a driver with a bus of its own: a sign of life each tick, and no motion without a guardian. */

import type { Guard } from './guard.ts';
import type { GuardPulse } from './guardian/guard-pulse.ts';
import { CONTROL, type FromWorker } from './worker-messages.ts';

/** A robot that holds, or is driven, must not do so without what can stop its bus when this process dies. */
const UNWATCHED_STATES: readonly string[] = ['ready', 'active.policy', 'active.human'];

export class GuardianWatch {
  readonly #guard: Guard;
  readonly #pulse: GuardPulse;
  readonly #control: Int32Array;
  readonly #post: (message: FromWorker) => void;

  /** `control`: the words that both threads see. */
  constructor(guard: Guard, pulse: GuardPulse, control: Int32Array, post: (message: FromWorker) => void) {
    this.#guard = guard;
    this.#pulse = pulse;
    this.#control = control;
    this.#post = post;
  }

  /** Tick-safe while the guardian is there. */
  beforeTick(): void {
    const pulse = this.#pulse;
    const pulseFd = Atomics.load(this.#control, CONTROL.pulseFd);
    if (!pulse.isConnected && pulseFd !== 0) {
      pulse.connect({ pulseFd, answersFd: Atomics.load(this.#control, CONTROL.answersFd) });
    }
    pulse.beat();
    Atomics.store(this.#control, CONTROL.watched, pulse.isWatched ? 1 : 0);
    if (!pulse.isWatched && UNWATCHED_STATES.includes(this.#guard.state)) this.#stop();
  }

  /** After the driver was closed. A robot that was left moving is the guardian's. */
  end(): void {
    if (!this.#guard.isMoving) this.#pulse.goodbye();
  }

  /** Category 2: brakes, and holds with torque until somebody has acknowledged, which is undone while nobody watches. */
  #stop(): void {
    if (!this.#guard.handle({ kind: 'stop' }).ok) return;
    this.#post({
      kind: 'notice',
      notice: {
        row: 25,
        level: 'error',
        message:
          'The guardian, which stops the bus when the guard dies, is gone or frozen: the robot brakes and holds.',
        remedy: 'It is started again. When it is back, acknowledge.',
      },
    });
  }
}
