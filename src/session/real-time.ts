/** The pace of a robot in real time: the newest weights act, nobody is waited for in silence, and people give leave to move. */
import { faultsOf, TANK_EMPTY } from '../safety/index.ts';
import { type Activity, CutError, pauseOf } from './activity.ts';
import { TANK_STAYS_EMPTY } from './episode-runner.ts';
import type { GuardControl } from './guard-control.ts';
import type { CutEpisode, Pace, ShownByPerson } from './pace.ts';
import type { SessionParts } from './session-parts.ts';
import type { SessionEvent } from './session-types.ts';
import { ArrivingWeights } from './weights/weights-source.ts';

const WELCOME_MS = 5000;
const FIRST_STATUS_MS = 2000;
const WAIT_MS = 50;
/** How often leave is asked for while a person is waited for, ms. */
const LEAVE_MS = 200;

export class RealTime implements Pace {
  readonly weights: ArrivingWeights;
  readonly restartReason = undefined;
  readonly #parts: SessionParts;
  readonly #guard: GuardControl;
  #hasJoined = false;

  constructor(parts: SessionParts, guard: GuardControl) {
    const { policy, recorder, kept, setup } = parts;
    this.#parts = parts;
    this.#guard = guard;
    this.weights = new ArrivingWeights({
      policy,
      take: () => (policy.isFixed ? undefined : recorder.connection?.takeNewest()),
      onTaken: (weights) => kept.remember(weights),
      onRefused: (message) => this.#say('warn', 'weightsRefused', message, 7),
      pauseMs: 200 / setup.config.task.policyHz,
    });
  }

  /** Waits for the learner's welcome. One that is silent may come back; one that refuses will not change its mind. */
  async join(activity: Activity<void>): Promise<void> {
    const { connection } = this.#parts.recorder;
    if (connection === undefined || this.#hasJoined) return;
    this.#hasJoined = true;
    try {
      await Promise.race([connection.connected(WELCOME_MS), cutOf(activity)]);
    } catch (error) {
      if (connection.state === 'refused' || isCut(error)) throw error;
      const message = `${(error as Error).message}: what is recorded waits in the journal`;
      this.#say('warn', 'learnerSilent', message, 4);
    }
    for (let waitedMs = 0; connection.status === undefined && waitedMs < FIRST_STATUS_MS; waitedMs += WAIT_MS) {
      await this.#pause(activity);
    }
  }

  /** A person gives it, or a simulated robot needs nobody. */
  async awaitLeave(activity: Activity<void>): Promise<void> {
    if (this.#parts.afterStop !== 'askLeave') return;
    let said = '';
    for (;;) {
      await this.#guard.stands();
      const reason = await this.#guard.leave();
      if (reason === undefined) break;
      const why = this.#guard.refusal()?.message ?? 'Nobody has given leave to move.';
      if (said !== why) this.#say('warn', 'waitsForPerson', `The robot stands. ${why} ${this.#parts.howToGoOn}`);
      said = why;
      for (let waitedMs = 0; waitedMs < LEAVE_MS; waitedMs += WAIT_MS) await this.#pause(activity);
    }
    if (said !== '') this.#say('info', 'goesOn', 'The robot may move again.');
  }

  async awaitPerson(activity: Activity<void>, { person, isGivenUp }: ShownByPerson): Promise<void> {
    while (!isGivenUp() && !person.isMoving(this.#parts.clock.nowS())) await this.#pause(activity);
  }

  /** Training goes on until somebody ends it. */
  async nextEpisode(): Promise<number> {
    return Number.POSITIVE_INFINITY;
  }

  beforeStep(): void {}

  beforeShownStep(): void {}

  /** Where it may not wait for leave, a person resets and resumes. */
  async afterEpisode(activity: Activity<void>, cut: CutEpisode | undefined): Promise<boolean> {
    if (cut === undefined) return true;
    if (activity.reason !== undefined) return false;
    const { afterStop } = this.#parts;
    this.#say('warn', 'episodeCut', `The episode ended early: ${cut.why}.`);
    // Simulated, the next scene fills it; on a real robot nobody goes on before a person has looked.
    const isTankEmpty = cut.why === TANK_STAYS_EMPTY && afterStop === 'wait';
    if (isTankEmpty) {
      const { sentence, remedy } = faultsOf(TANK_EMPTY)[0]!;
      this.#emit({ level: 'warn', name: 'tankEmpty', row: 42, message: sentence, remedy });
    }
    await this.#guard.stands();
    if (afterStop === 'askLeave') return true;
    return this.#guard.refusal() === undefined && cut.needs !== 'person' && !isTankEmpty;
  }

  #pause(activity: Activity<void>): Promise<void> {
    return pauseOf(activity, this.#parts.link, WAIT_MS);
  }

  #say(level: SessionEvent['level'], name: string, message: string, row = 0): void {
    this.#emit({ level, name, row, message, remedy: '' });
  }

  #emit(event: SessionEvent): void {
    this.#parts.listeners.emit('event', event);
  }
}

function isCut(error: unknown): boolean {
  return error instanceof CutError || (error instanceof Error && error.name === 'AbortError');
}

function cutOf(activity: Activity<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    activity.signal.addEventListener('abort', () => reject(new CutError(activity.reason ?? 'it was cut')));
  });
}
