/** Measurements of an episode: its safety costs, sums over its steps, and detection of an energy tank that stays empty. */
import { type GuardFrame, isIntervention, type Source, type Transition } from '../rows/index.ts';
import { TANK_EMPTY } from '../safety/index.ts';
import type { Verdict } from '../tasks/index.ts';
import type { EpisodeResult, OwnVerdict } from './session-types.ts';

/** Lower bound of recorded margins: records hold finite numbers, and a margin far below 0 means no more than one below 0. */
const LEAST_MARGIN = -1e3;

/** Safety costs of one step, accumulated over its ticks. */
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

  /** Adds one tick. Tick-safe. */
  tick(frame: GuardFrame): void {
    this.#filterBits |= frame.filterBits;
    if (frame.marginMin < this.#marginMin) this.#marginMin = frame.marginMin;
  }

  /** Writes the costs into `out`; `frame`: the step's last. */
  end(frame: GuardFrame, out: Transition): void {
    out.filterBits = this.#filterBits;
    out.cost = (frame.changedTicks - this.#changedBefore) / Math.max(1, frame.ticks - this.#ticksBefore);
    // Float32, as the observations: further digits differ between two runs of one seed.
    out.marginMin = Math.fround(Math.max(LEAST_MARGIN, this.#marginMin));
    // Difference of two large sums: below a nanojoule it is rounding error.
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

  /** Source of the newest step. */
  get source(): Source | undefined {
    return this.#source;
  }

  /** True if the newest step was in the base phase; `basePhaseSteps` counts such steps. */
  get isBasePhase(): boolean {
    return this.#isBasePhase;
  }

  get basePhaseSteps(): number {
    return this.#basePhaseSteps;
  }

  /** Adds a finished step. `own`: verdict of the task's own rules, if a classifier decides. */
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

  /** Called after the last step. `abortedBy`: reason that cut the episode, unless it was decided in that step. */
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

/** Time without motion after which an empty tank ends an episode under a policy, s. */
const IDLE_TANK_S = 2;
/** A joint whose reference moves slower than this counts as standing, rad/s. */
const STANDS_RAD_PER_S = 0.01;
/** `abortedBy` of an episode cut because nothing could move any more (row 42). */
export const TANK_STAYS_EMPTY: string = `the energy tank is empty, and the robot has not moved for ${IDLE_TANK_S} s`;

/** Detects a policy that requests motion which an empty tank cannot pay for: it would learn nothing but standing still. */
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

  /** Called after a step. Returns the reason why the episode cannot go on. */
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
