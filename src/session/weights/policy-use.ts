/** The weights in use: giving up, saving, and latency. */
import { resolve } from 'node:path';
import type { GuardLink } from '../../guard/index.ts';
import { ReinError } from '../../model/index.ts';
import type { ActingPolicy } from '../../policy/index.ts';
import type { SessionParts } from '../session-parts.ts';
import type { PolicyState } from '../session-types.ts';
import type { WeightsSource } from './weights-source.ts';

type Parts = Pick<
  SessionParts,
  'runId' | 'folder' | 'clock' | 'link' | 'policy' | 'kept' | 'recorder' | 'live' | 'listeners'
>;

export class PolicyUse {
  readonly #parts: Parts;
  readonly #source: WeightsSource;
  /** Version that gave nothing usable, and was not replaced yet. */
  #unusableVersion = 0;
  #seenVersion: number;
  #sinceS: number;

  constructor(parts: Parts, source: WeightsSource) {
    this.#parts = parts;
    this.#source = source;
    this.#seenVersion = parts.policy.version;
    this.#sinceS = parts.clock.nowS();
  }

  /** True if there are weights that may act. */
  get isReady(): boolean {
    const { version } = this.#parts.policy;
    return version > 0 && version !== this.#unusableVersion;
  }

  /** Called between episodes and while nothing moves: takes over new weights in the background. Never waits, never throws. */
  poll(): void {
    this.#source.poll();
    this.#see();
  }

  /** Called before each step of training, which begins with the weights that are due at it. */
  beforeStep(): void | Promise<void> {
    const due = this.#source.beforeStep();
    this.#see();
    return due;
  }

  /** Resolves when no weights are being taken over. */
  settled(): Promise<void> {
    return this.#source.settled();
  }

  /** Restores the previous weights. Returns the version in use. Throws `ReinError('policy')` if there are none. */
  rollback(): number {
    const given = this.#parts.policy.version;
    const back = this.#parts.policy.rollback();
    if (!back.ok) throw back.error;
    this.#parts.kept.giveUp(given);
    this.#see();
    const message = `Policy ${given} is given up, policy ${back.value} acts again.`;
    this.#parts.listeners.report({ level: 'info', name: 'policyRolledBack', message });
    return back.value;
  }

  /** Saves the weights in use; see `KeptWeights.save`. */
  async save(path: string): Promise<{ readonly path: string; readonly version: number }> {
    const { policy, kept, folder } = this.#parts;
    const { version } = policy;
    if (version === 0) throw new ReinError('policy', 'There are no weights to save.');
    // Absolute, as the requester may work in another folder, or on another computer.
    return { path: resolve(await kept.save(version, path === '' ? folder : path)), version };
  }

  /**
   * Called when the weights in use gave nothing usable: the previous ones act, or the arm holds until there are newer ones. Rejects with
   * `error` if it is not about the policy, or no others may act.
   */
  async giveUp(error: unknown): Promise<void> {
    if (!this.#source.mayFallBack) throw error;
    const { link, policy, recorder, kept, listeners } = this.#parts;
    const given = policy.version;
    const { canAct, message } = await fallBack(link, policy, error);
    kept.giveUp(given);
    if (!canAct && recorder.connection === undefined) throw new ReinError('policy', message, { cause: error });
    if (!canAct) this.#unusableVersion = given;
    listeners.report({ level: 'error', name: 'policyUnusable', row: 1, message });
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

/** Result of a fallback: whether any weights are left that can act, and a message for people. */
export interface FallBack {
  readonly canAct: boolean;
  readonly message: string;
}

/** Asks the guard to hold, and restores the previous weights. `error`: the policy's; any other error is rethrown. */
export async function fallBack(
  link: Pick<GuardLink, 'request'>,
  policy: Pick<ActingPolicy, 'version' | 'rollback'>,
  error: unknown,
): Promise<FallBack> {
  if (!(error instanceof ReinError) || error.kind !== 'policy') throw error;
  await link.request({ kind: 'hold' });
  const given = policy.version;
  const back = policy.rollback();
  const message = back.ok
    ? `${error.message} Policy ${given} is given up, policy ${back.value} acts again.`
    : `${error.message} Policy ${given} is given up, and there is none before it: the arm holds.`;
  return { canAct: back.ok, message };
}
