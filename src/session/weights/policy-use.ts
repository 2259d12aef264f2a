/** The weights that act: when new ones come, which were given up, how they are saved, how quick they are. */
import { resolve } from 'node:path';
import { type PolicyWeights, ReinError } from '../../core/index.ts';
import type { SessionParts } from '../session-parts.ts';
import type { PolicyState, SessionEvent } from '../session-types.ts';
import { fallBack } from './fall-back.ts';
import { WeightsFeed } from './weights-feed.ts';

export class PolicyUse {
  readonly #parts: SessionParts;
  readonly #emit: (event: SessionEvent) => void;
  readonly #feed: WeightsFeed;
  /** Weights that gave nothing usable, and that nothing has replaced yet. */
  #unusableVersion = 0;
  #seenVersion: number;
  #sinceS: number;

  constructor(parts: SessionParts, emit: (event: SessionEvent) => void) {
    const { policy, recorder, setup, kept, clock } = parts;
    this.#parts = parts;
    this.#emit = emit;
    this.#seenVersion = policy.version;
    this.#sinceS = clock.nowS();
    let offered: PolicyWeights | undefined;
    this.#feed = new WeightsFeed({
      policy,
      take: () => {
        offered = recorder.connection?.takeNewest();
        return offered;
      },
      onTaken: () => {
        if (offered !== undefined) kept.remember(offered);
      },
      onRefused: (message) => emit({ level: 'warn', name: 'weightsRefused', row: 7, message, remedy: '' }),
      pauseMs: 200 / setup.config.task.policyHz,
    });
  }

  /** Whether there are weights that may act. */
  get isReady(): boolean {
    const { version } = this.#parts.policy;
    return version > 0 && version !== this.#unusableVersion;
  }

  /** Called between steps: new weights are taken over beside them. Never waits, never throws. */
  poll(): void {
    this.#feed.poll();
    this.#see();
  }

  /** Resolves when no weights are being taken over. */
  settled(): Promise<void> {
    return this.#feed.settled();
  }

  /** Puts the weights before back. Gives the version that acts. Throws `ReinError('policy')` where there are none. */
  rollback(): number {
    const given = this.#parts.policy.version;
    const back = this.#parts.policy.rollback();
    if (!back.ok) throw back.error;
    this.#parts.kept.giveUp(given);
    this.#see();
    const message = `Policy ${given} is given up, policy ${back.value} acts again.`;
    this.#emit({ level: 'info', name: 'policyRolledBack', row: 0, message, remedy: '' });
    return back.value;
  }

  /** Saves the weights that act; see `KeptWeights.save`. */
  async save(path: string): Promise<{ readonly path: string; readonly version: number }> {
    const { policy, kept, folder } = this.#parts;
    const { version } = policy;
    if (version === 0) throw new ReinError('policy', 'There are no weights to save.');
    // Whoever asked may be at work in another folder, or on another computer.
    return { path: resolve(await kept.save(version, path === '' ? folder : path)), version };
  }

  /** The weights in use gave nothing usable: those before them act, or the arm holds until there are newer ones. */
  async giveUp(error: unknown): Promise<void> {
    const { link, policy, recorder, kept } = this.#parts;
    const given = policy.version;
    const { canAct, sentence } = await fallBack(link, policy, error);
    kept.giveUp(given);
    if (!canAct && recorder.connection === undefined) throw new ReinError('policy', sentence, { cause: error });
    if (!canAct) this.#unusableVersion = given;
    this.#emit({ level: 'error', name: 'policyUnusable', row: 1, message: sentence, remedy: '' });
  }

  state(isActing: boolean): PolicyState {
    this.#see();
    const { policy, clock, live, runId, link } = this.#parts;
    const { inferenceMs } = live.log;
    const isQuick = inferenceMs.count > 0;
    const ready = isActing ? 'acting' : 'ready';
    const absent = policy.version === 0 ? 'absent' : 'unusable';
    return {
      version: policy.version,
      ageS: policy.version === 0 ? 0 : clock.nowS() - this.#sinceS,
      latencyP50Ms: isQuick ? inferenceMs.quantile(0.5) : 0,
      latencyP99Ms: isQuick ? inferenceMs.quantile(0.99) : 0,
      observationAgeMs: link.latest.tick < 0 ? 0 : 1e3 * Math.max(0, clock.nowS() - link.latest.robot.measuredAtS),
      runId,
      state: this.isReady ? ready : absent,
    };
  }

  #see(): void {
    const { version } = this.#parts.policy;
    if (version === this.#seenVersion) return;
    this.#seenVersion = version;
    this.#sinceS = this.#parts.clock.nowS();
  }
}
