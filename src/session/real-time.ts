/** Pace of a robot in real time: the newest weights act, waits are reported, and people grant permission to move. */
import type { RunSetup } from '../config/setup.ts';
import { Rng } from '../model/index.ts';
import { faultsOf, TANK_EMPTY } from '../safety/index.ts';
import { type Activity, CutError, pauseOf } from './activity.ts';
import { TANK_STAYS_EMPTY } from './episode-tally.ts';
import { arrangesScene, GuardControl } from './guard-control.ts';
import { type CutEpisode, cutMessage, type Draws, type Pace, type ShownByPerson } from './pace.ts';
import type { TransitionRecorder } from './run/recorder.ts';
import type { SessionParts } from './session-parts.ts';
import { ArrivingWeights } from './weights/weights-source.ts';

const WELCOME_MS = 5000;
const FIRST_STATUS_MS = 2000;
const WAIT_MS = 50;
/** Interval of requests for permission while waiting for a person, ms. */
const LEAVE_MS = 200;
/** Share of the energy tank's initial content with which an episode begins, and the longest wait without inflow, ms. */
const BEGINS_WITH = 0.5;
const NOTHING_COMES_MS = 3000;

/** Layouts and noise differ between starts of the same run, and evaluations have layouts of their own. */
export function realTimeDraws(setup: RunSetup, { epoch, connection }: TransitionRecorder): Draws {
  const root = new Rng(setup.config.seed).fork(`start ${epoch}`);
  const evaluating = { rng: root.fork('noise'), purpose: 'evaluate' } as const;
  // Without a learner there is nothing to explore for.
  const exploring =
    connection === undefined ? evaluating : ({ rng: root.fork('exploration'), purpose: 'explore' } as const);
  const training = root.fork('layouts');
  const streams = {
    training,
    demo: training,
    setBack: training,
    evaluation: root.fork('evaluation layouts'),
    first: root.fork('first layout'),
  };
  const isArranged = arrangesScene(setup);
  const goesBackItself = setup.reset !== undefined;
  return {
    exploring,
    evaluating,
    layout: (stream) => {
      const isKept = goesBackItself && stream !== 'first' && stream !== 'setBack';
      return isArranged && !isKept ? setup.task.drawLayout(streams[stream]) : undefined;
    },
  };
}

type Parts = Pick<
  SessionParts,
  'setup' | 'clock' | 'link' | 'policy' | 'kept' | 'recorder' | 'live' | 'listeners' | 'afterStop'
>;

export class RealTime implements Pace {
  readonly weights: ArrivingWeights;
  readonly restartReason = undefined;
  readonly #parts: Parts;
  readonly #howToGoOn: string;
  readonly #guard: GuardControl;
  #hasJoined = false;

  /** `howToGoOn`: instruction for letting the robot go on, one sentence; empty if it is given elsewhere. */
  constructor(parts: Parts, howToGoOn: string) {
    const { policy, recorder, kept, setup, link } = parts;
    this.#parts = parts;
    this.#howToGoOn = howToGoOn;
    this.#guard = new GuardControl(link, setup);
    this.weights = new ArrivingWeights({
      policy,
      take: () => (policy.isFixed ? undefined : recorder.connection?.takeNewest()),
      onTaken: (weights) => kept.remember(weights),
      onRefused: (message) => parts.listeners.report({ level: 'warn', name: 'weightsRefused', row: 7, message }),
      pauseMs: 200 / setup.config.task.policyHz,
    });
  }

  /** Waits for the learner's welcome. A silent learner may come back; one that refuses will not change its answer. */
  async join(activity: Activity<void>): Promise<void> {
    const { connection } = this.#parts.recorder;
    if (connection === undefined || this.#hasJoined) return;
    this.#hasJoined = true;
    try {
      await Promise.race([connection.connected(WELCOME_MS), cutOf(activity)]);
    } catch (error) {
      if (connection.state === 'refused' || isCut(error)) throw error;
      const message = `${(error as Error).message}: what is recorded waits in the journal`;
      this.#parts.listeners.report({ level: 'warn', name: 'learnerSilent', row: 4, message });
    }
    for (let waitedMs = 0; connection.status === undefined && waitedMs < FIRST_STATUS_MS; waitedMs += WAIT_MS) {
      await this.#pause(activity);
    }
  }

  /** Waits for a person's permission; a simulated robot needs none. */
  async awaitLeave(activity: Activity<unknown>): Promise<void> {
    const { afterStop, listeners, live } = this.#parts;
    if (afterStop !== 'askLeave') return;
    let said = '';
    for (;;) {
      await this.#guard.stands();
      const held = await this.#guard.leave();
      if (held === undefined) break;
      const why =
        this.#guard.refusal()?.message ?? (held.isLeaveAlone ? 'Permission to move is missing.' : held.reason);
      const message = `The robot stands. ${why} ${this.#howToGoOn}`;
      if (said !== why) {
        const messageAtPage = `The robot stands. ${why} Look at it, then press Start.`;
        listeners.report({ level: 'warn', name: 'waitsForPerson', message, messageAtPage });
        live.log.ask(message, messageAtPage);
      }
      said = why;
      for (let waitedMs = 0; waitedMs < LEAVE_MS; waitedMs += WAIT_MS) await this.#pause(activity);
    }
    if (said !== '') {
      live.log.ask(undefined);
      listeners.report({ level: 'info', name: 'goesOn', message: 'The robot may move.' });
    }
    await this.#fillTank(activity);
  }

  /**
   * If no new scene fills the energy tank, it refills slowly while the robot stands; an episode that begins with too little is slowed
   * and cut. Gives up without inflow, as for an arm that presses against something.
   */
  async #fillTank(activity: Activity<unknown>): Promise<void> {
    const { link, listeners, setup } = this.#parts;
    const { tank } = setup.config.robot;
    if (tank === undefined || tank.topUpW === 0) return;
    const enoughJ = BEGINS_WITH * tank.startJ;
    let mostJ = link.latest.tankEnergyJ;
    if (mostJ >= enoughJ) return;
    const message = `The robot stands until its energy tank has ${enoughJ.toFixed(1)} J; it has ${mostJ.toFixed(1)} J.`;
    listeners.report({ level: 'info', name: 'tankFills', message });
    // The request for permission may still show as motion.
    const stands = (): boolean => link.latest.state === 'ready' || link.latest.state === 'active.policy';
    for (let idleMs = 0; idleMs < NOTHING_COMES_MS && stands(); idleMs += WAIT_MS) {
      const nowJ = link.latest.tankEnergyJ;
      if (nowJ >= enoughJ) return;
      if (nowJ > mostJ) idleMs = 0;
      mostJ = Math.max(mostJ, nowJ);
      await this.#pause(activity);
    }
  }

  async awaitPerson(activity: Activity<void>, { person, isGivenUp }: ShownByPerson): Promise<void> {
    while (!isGivenUp() && !person.isMoving(this.#parts.clock.nowS())) await this.#pause(activity);
  }

  /** Training goes on until it is ended on request. */
  async nextEpisode(): Promise<number> {
    return Number.POSITIVE_INFINITY;
  }

  beforeStep(): void {}

  beforeShownStep(): void {}

  /** With `afterStop: 'wait'` a stop ends the activity; a person resets and resumes. */
  async afterEpisode(activity: Activity<unknown>, cut: CutEpisode | undefined): Promise<boolean> {
    if (cut === undefined) return true;
    if (activity.reason !== undefined) return false;
    const { afterStop, listeners } = this.#parts;
    listeners.report({ level: 'warn', name: 'episodeCut', message: cutMessage(cut) });
    // In simulation the next scene fills the tank; a real robot does not go on before a person has looked.
    const isTankEmpty = cut.why === TANK_STAYS_EMPTY && afterStop === 'wait';
    if (isTankEmpty) {
      const { message, remedy } = faultsOf(TANK_EMPTY)[0]!;
      listeners.report({ level: 'warn', name: 'tankEmpty', row: 42, message, remedy });
    }
    await this.#guard.stands();
    if (afterStop === 'askLeave') return true;
    return this.#guard.refusal() === undefined && cut.needs !== 'person' && !isTankEmpty;
  }

  #pause(activity: Activity<unknown>): Promise<void> {
    return pauseOf(activity, this.#parts.link, WAIT_MS);
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
