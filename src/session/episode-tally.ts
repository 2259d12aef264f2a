/** What is measured of an episode: its safety costs, what its steps come to, and a tank that nothing can be paid from any more. */
import { type GuardFrame, isIntervention, type Source, type Transition } from '../core/index.ts';
import { TANK_EMPTY } from '../safety/index.ts';
import type { Verdict } from '../tasks/index.ts';
import type { EpisodeResult, OwnVerdict } from './session-types.ts';

/** A record holds finite numbers; no margin means less than that nothing is left. */
const LEAST_MARGIN = -1e3;

/** The safety costs of one step, gathered from the ticks that it takes. */
export class StepCosts {
  #filterBits = 0;
  #marginMin = 1;
  #changedBefore = 0;
  #ticksBefore = 0;
  #injectedBeforeJ = 0;

  /** `frame`: the newest before the step. */
  begin({ changedTicks, ticks, tankInjectedJ }: GuardFrame): void {
    this.#filterBits = 0;
    this.#marginMin = 1;
    this.#changedBefore = changedTicks;
    this.#ticksBefore = ticks;
    this.#injectedBeforeJ = tankInjectedJ;
  }

  /** Takes over one tick. Tick-safe. */
  tick(frame: GuardFrame): void {
    this.#filterBits |= frame.filterBits;
    if (frame.marginMin < this.#marginMin) this.#marginMin = frame.marginMin;
  }

  /** Writes the costs into `out`; `frame`: the step's last. */
  end(frame: GuardFrame, out: Transition): void {
    out.filterBits = this.#filterBits;
    out.cost = (frame.changedTicks - this.#changedBefore) / Math.max(1, frame.ticks - this.#ticksBefore);
    // As exact as the observations are: what is beyond that differs between two runs of one seed.
    out.marginMin = Math.fround(Math.max(LEAST_MARGIN, this.#marginMin));
    // The difference of two large sums: below a nanojoule it says how they were rounded.
    const drainNj = Math.round(1e9 * (frame.tankInjectedJ - this.#injectedBeforeJ));
    out.tankDrainJ = Math.fround(Math.max(0, drainNj) / 1e9);
    out.tankLevel = Math.fround(frame.tankLevel);
  }
}

/** Sums up the steps of one episode. */
export class EpisodeTally {
  #steps = 0;
  #interventionSteps = 0;
  #interventions = 0;
  #returnSum = 0;
  #costSum = 0;
  #drainSumJ = 0;
  #marginMin = 1;
  #source: Source | undefined;
  #isBasePhase = false;
  #basePhaseSteps = 0;
  #own: OwnVerdict | undefined;

  /** Who decided the newest step. */
  get source(): Source | undefined {
    return this.#source;
  }

  /** Whether the newest step was one of the base phase, and how many were. */
  get isBasePhase(): boolean {
    return this.#isBasePhase;
  }

  get basePhaseSteps(): number {
    return this.#basePhaseSteps;
  }

  /** Takes a step that is done. `own`: what the task's own rules say of it, where a classifier decides. */
  add(transition: Transition, own?: Readonly<Verdict>): void {
    const { source, reward, cost, tankDrainJ, marginMin, episode, step, isBasePhase } = transition;
    if (own !== undefined) {
      this.#own ??= { episode, firstSuccess: null };
      if (own.success) this.#own = { episode, firstSuccess: this.#own.firstSuccess ?? step };
    }
    this.#steps++;
    if (isIntervention(source)) {
      this.#interventionSteps++;
      if (this.#source === undefined || !isIntervention(this.#source)) this.#interventions++;
    }
    this.#source = source;
    this.#isBasePhase = isBasePhase;
    if (isBasePhase) this.#basePhaseSteps++;
    this.#returnSum += reward;
    this.#costSum += cost;
    this.#drainSumJ += tankDrainJ;
    this.#marginMin = Math.min(this.#marginMin, marginMin);
  }

  /** After the last step. `abortedBy`: what cut the episode, unless it was decided in that step. */
  result(success: boolean, isDecided: boolean, abortedBy: string | undefined): EpisodeResult {
    const steps = this.#steps;
    return {
      success,
      steps,
      interventionSteps: this.#interventionSteps,
      interventions: this.#interventions,
      returnSum: this.#returnSum,
      costs: { filterShare: this.#costSum / steps, tankDrainJ: this.#drainSumJ, marginMin: this.#marginMin },
      isDecided,
      ...(this.#own === undefined ? {} : { own: this.#own }),
      ...(abortedBy === undefined || isDecided ? {} : { abortedBy }),
    };
  }
}

/** An empty tank under a policy ends the episode after so long without motion, s. */
const IDLE_TANK_S = 2;
/** The reference of a joint that moves slower than this stands, rad/s. */
const STANDS_RAD_PER_S = 0.01;
/** What an episode says that was cut because nothing could move any more (row 42). */
export const TANK_STAYS_EMPTY: string = `the energy tank is empty, and the robot has not moved for ${IDLE_TANK_S} s`;

/** Sees a policy that asks for motion which an empty tank cannot pay for: it would learn of nothing but standing still. */
export class IdleTank {
  readonly #limitSteps: number;
  readonly #stillRad: number;
  readonly #before: Float64Array;
  #steps = 0;

  constructor(joints: number, policyHz: number) {
    this.#limitSteps = Math.ceil(IDLE_TANK_S * policyHz);
    this.#stillRad = STANDS_RAD_PER_S / policyHz;
    this.#before = new Float64Array(joints);
  }

  begin({ referenceRad }: GuardFrame): void {
    this.#before.set(referenceRad);
    this.#steps = 0;
  }

  /** After a step: why the episode cannot go on. */
  reason({ state, faultFlags, referenceRad }: GuardFrame): string | undefined {
    let isIdle = state === 'active.policy' && (faultFlags & TANK_EMPTY) !== 0;
    for (let i = 0; i < referenceRad.length; i++) {
      if (Math.abs(referenceRad[i]! - this.#before[i]!) > this.#stillRad) isIdle = false;
    }
    this.#before.set(referenceRad);
    this.#steps = isIdle ? this.#steps + 1 : 0;
    return this.#steps >= this.#limitSteps ? TANK_STAYS_EMPTY : undefined;
  }
}
