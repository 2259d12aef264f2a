/**
 * A session in lock-step: the robot acts as fast as the machine allows, waits for the weights that are due at a step, and runs in
 * real time only while an operator is in control or judges it. The same seed gives the same run on any machine.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { RunSetup } from '../config/setup.ts';
import { type LearnerConfig, updatesPerCall } from '../learner/options.ts';
import { ReinError, Rng } from '../model/index.ts';
import {
  type CutEpisode,
  cutMessage,
  type Draws,
  type Pace,
  type SessionParts,
  type ShownByPerson,
  type WeightsSource,
} from '../session/index.ts';
import { isJudgedByPeople } from '../tasks/index.ts';
import type { SimulatedRobot } from './simulated-robot.ts';
import type { TrainingPlan } from './training-plan.ts';

/**
 * Number of steps by which the robot may be ahead of the weights it acts on. Enough to keep both processes busy; small
 * against the hundreds of steps in which a policy changes.
 */
export const LAG_STEPS = 60;
/** Long enough for the slowest machine: only a learner that never answers is given up, ms. */
const CONNECT_MS = 120_000;
/** Polling interval while waiting for an operator, ms. */
const LOOK_MS = 20;
/** Polling interval while an operator has stopped the robot, ms. */
const STOPPED_MS = 50;

/**
 * Version that acts at `onlineSteps` accepted steps; the first version is that of the demonstrations. A learner makes its updates
 * in whole calls and publishes at most once per call; each version acts a fixed number of steps later, whenever it arrived.
 */
export function versionDue(config: LearnerConfig, onlineSteps: number): number {
  const { utd, publishEveryUpdates, warmupSteps } = config;
  const perCall = updatesPerCall(config);
  const calls = Math.floor((utd * Math.max(0, onlineSteps - warmupSteps - LAG_STEPS)) / perCall);
  return 1 + Math.floor((calls * Math.min(perCall, publishEveryUpdates)) / publishEveryUpdates);
}

/** Random draws of a simulated run: each purpose has its own stream of the seed, independent of what ran before. */
export function lockStepDraws({ config, task, reset }: RunSetup): Draws {
  const root = new Rng(config.seed);
  const streams = {
    demo: root.fork('demonstrations'),
    training: root.fork('layouts'),
    evaluation: root.fork('evaluation layouts'),
  };
  let isBegun = false;
  return {
    exploring: { rng: root.fork('exploration'), purpose: 'explore' },
    evaluating: { rng: root.fork('noise'), purpose: 'evaluate' },
    // The first training episode draws a layout, later ones only if no reset plan returns the robot. Policies are evaluated on other
    // robots, unless people judge and must see them.
    layout: (stream) => {
      if (stream === 'demo') return task.drawLayout(streams.demo);
      if (stream === 'evaluation')
        return isJudgedByPeople(config.task) ? task.drawLayout(streams.evaluation) : undefined;
      if (stream === 'first' || (stream === 'training' && isBegun && reset !== undefined)) {
        return undefined;
      }
      isBegun = true;
      return task.drawLayout(streams.training);
    },
  };
}

/** Options of a lock-step session besides its parts. */
export interface LockStepOptions {
  readonly robot: SimulatedRobot;
  readonly plan: TrainingPlan;
  /** Ends the run between two steps, with its reason. */
  readonly signal: AbortSignal;
}

type Parts = Pick<SessionParts, 'setup' | 'policy' | 'kept' | 'recorder' | 'live' | 'listeners' | 'people'>;

export class LockStep implements Pace {
  readonly weights: WeightsSource;
  readonly #parts: Parts;
  readonly #options: LockStepOptions;
  readonly #stepMs: number;
  /** True if people mark episodes: they must see them in real time. */
  readonly #isJudged: boolean;
  #nextStepMs = 0;
  #stoppedSteps = 0;
  /** Demonstration by an operator: steps so far, and steps since the operator last moved. */
  #shownSteps = 0;
  #idleSteps = 0;

  constructor(parts: Parts, options: LockStepOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#stepMs = 1e3 / parts.setup.config.task.policyHz;
    this.#isJudged = isJudgedByPeople(parts.setup.config.task);
    this.weights = {
      // Weights other than those due would make it a different run.
      mayFallBack: false,
      poll: () => undefined,
      beforeStep: () => this.#useDueWeights(),
      settled: () => Promise.resolve(),
    };
  }

  get restartReason(): string | undefined {
    return this.#options.robot.restarts.reason;
  }

  async join(): Promise<void> {
    const { connection } = this.#parts.recorder;
    await connection?.checkRoom();
    await connection?.connected(CONNECT_MS);
    this.#options.plan.begin();
  }

  /** Returns at once: every episode begins with a scene of its own, whatever came before. */
  async awaitLeave(): Promise<void> {}

  /** Does not wait: the scene must be in place first, so that the operator sees it; see `beforeShownStep`. */
  async awaitPerson(): Promise<void> {
    this.#shownSteps = 0;
    this.#idleSteps = 0;
    this.#nextStepMs = 0;
  }

  nextEpisode(): Promise<number> {
    return this.#options.plan.nextEpisode();
  }

  async beforeStep(): Promise<void> {
    const { signal, plan } = this.#options;
    signal.throwIfAborted();
    await this.#waitWhileStopped();
    plan.beforeStep();
    if (this.#isJudged || this.#parts.people?.isInControl === true) plan.time.pause((await this.#keepRealTime()) / 1e3);
  }

  /** Pauses while no key is held: the recording contains the operator's motion, not the time spent looking. */
  async beforeShownStep(shown: ShownByPerson | undefined): Promise<void> {
    this.#options.signal.throwIfAborted();
    if (shown === undefined) {
      // Nothing else here waits for I/O: without this, signals, keys and disk would starve.
      await nextTurn();
      return;
    }
    this.#idleSteps = shown.person.isMoving(0) ? 0 : this.#idleSteps + 1;
    // The first step waits for motion, and so does an idle operator after half a second, in which the arm comes to rest.
    if (this.#shownSteps++ === 0 || this.#idleSteps > 500 / this.#stepMs) await this.#awaitMotion(shown);
    await this.#keepRealTime();
  }

  async afterEpisode(_: unknown, cut: CutEpisode | undefined): Promise<boolean> {
    const { listeners, live } = this.#parts;
    if (cut !== undefined) {
      listeners.report({ level: 'warn', name: 'episodeCut', message: cutMessage(cut) });
    }
    live.log.restarted((await this.#options.robot.goOn()).reason);
    return true;
  }

  /** Waits for the weights of this step, if they differ from the current ones, and swaps them in. */
  async #useDueWeights(): Promise<void> {
    const { setup, recorder, policy, live, kept } = this.#parts;
    const due = versionDue(setup.config.learner, live.log.status.envSteps);
    if (due === policy.version || recorder.connection === undefined) return;
    const bundle = await recorder.connection.takeVersion(due);
    const swapped = await policy.swap(bundle);
    if (!swapped.ok) throw swapped.error;
    kept.remember(bundle);
  }

  /** Delays to real time, which an operator needs. Returns the delay, ms. */
  async #keepRealTime(): Promise<number> {
    const waitMs = Math.max(0, this.#nextStepMs - performance.now());
    await sleep(waitMs);
    this.#nextStepMs = Math.max(this.#nextStepMs, performance.now()) + this.#stepMs;
    return waitMs;
  }

  /** One second after a stop the arm rests, and further steps teach nothing: simulated time is paused. */
  async #waitWhileStopped(): Promise<void> {
    const { signal, plan } = this.#options;
    const { people } = this.#parts;
    if (people?.isStopRequested !== true) {
      this.#stoppedSteps = 0;
      return;
    }
    if (++this.#stoppedSteps * this.#stepMs <= 1e3) return;
    while (people.isStopRequested) {
      this.#throwIfLost('had the arm stopped');
      const startMs = performance.now();
      await sleep(STOPPED_MS);
      plan.time.pause((performance.now() - startMs) / 1e3);
      signal.throwIfAborted();
    }
  }

  async #awaitMotion({ person, isGivenUp }: ShownByPerson): Promise<void> {
    while (!isGivenUp() && !person.isMoving(0)) {
      this.#options.signal.throwIfAborted();
      this.#throwIfLost('was asked for demonstrations');
      await sleep(LOOK_MS);
    }
  }

  #throwIfLost(doing: string): void {
    const { people } = this.#parts;
    if (people?.isLost !== true) return;
    throw new ReinError('environment', `All operators are lost (${people.names}) while a person ${doing}.`);
  }
}
