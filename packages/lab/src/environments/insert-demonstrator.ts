/** Scripts that insert the peg: an expert, a mediocre base policy, and an overseer that helps a stuck policy. */
import type { Rng } from '../../../../src/model/index.ts';
import type { Demonstrator, Overseer } from './demonstrator.ts';
import { type InsertEnvironment, SET_POINT_STEP_M } from './insert-environment.ts';
import { flag, number, type OptionFields, type Options, type OptionValues, readOptions, whole } from './options.ts';

const SKILL = {
  /** Standard deviation of the assumed hole position, constant over an episode, m on each axis. */
  aimErrorM: number(0.0005, 0, 0.02),
  /** Standard deviation of the noise on each number of an action. */
  actionNoise: number(0.1, 0, 1),
  /** Searches in a growing circle when the peg stands on the plate. */
  searches: flag(true),
} satisfies OptionFields;
type InsertSkill = Options<typeof SKILL>;

/** Misalignment up to which it descends from the height of travel. Both in m. */
const LINED_UP_M = 0.001;
const TRAVEL_HEIGHT_M = 0.012;
/** Distance of the set-point below the tip while pressing, m. */
const PRESS_M = 0.005;
/** Growth of the search circle per step, m; it turns by 1 rad per step. */
const SEARCH_GROWTH_M = 0.0003;
const SEARCH_MAX_M = 0.008;

/** Moves above the assumed hole, then down, and searches around the point where it meets the plate. */
export class InsertDemonstrator implements Demonstrator {
  readonly #environment: InsertEnvironment;
  readonly #skill: InsertSkill;
  readonly #aimErrorM: Float64Array = new Float64Array(2);
  #rng: Rng | undefined;
  #stepsOnPlate = 0;

  constructor(environment: InsertEnvironment, given: OptionValues = {}) {
    this.#environment = environment;
    this.#skill = readOptions('the demonstrator of an insertion', SKILL, given);
  }

  begin(rng: Rng): void {
    this.#rng = rng;
    this.#stepsOnPlate = 0;
    for (let k = 0; k < 2; k++) this.#aimErrorM[k] = this.#skill.aimErrorM * rng.normal();
  }

  act(action: Float32Array): void {
    const { holeM, tipM, setPointM } = this.#environment;
    const isOnPlate = tipM[2]! < 0.002 && !this.#environment.isInHole(0.003);
    if (isOnPlate && this.#skill.searches) this.#stepsOnPlate++;
    const radius = Math.min(SEARCH_GROWTH_M * this.#stepsOnPlate, SEARCH_MAX_M);
    const aimX = holeM[0]! + this.#aimErrorM[0]! + radius * Math.cos(this.#stepsOnPlate);
    const aimY = holeM[1]! + this.#aimErrorM[1]! + radius * Math.sin(this.#stepsOnPlate);
    const isLinedUp = isOnPlate || Math.hypot(aimX - tipM[0]!, aimY - tipM[1]!) < LINED_UP_M || tipM[2]! < 0;
    const aimZ = isLinedUp ? Math.min(tipM[2]!, TRAVEL_HEIGHT_M) - PRESS_M : Math.max(tipM[2]!, TRAVEL_HEIGHT_M);
    action[0] = this.#stepTo(aimX, setPointM[0]!);
    action[1] = this.#stepTo(aimY, setPointM[1]!);
    action[2] = this.#stepTo(aimZ, setPointM[2]!);
  }

  #stepTo(aimM: number, setPointM: number): number {
    const noise = this.#skill.actionNoise * (this.#rng?.normal() ?? 0);
    return Math.max(-1, Math.min(1, (aimM - setPointM) / SET_POINT_STEP_M + noise));
  }
}

const HELP = {
  /** Steps without progress after which the overseer takes over. */
  patienceSteps: whole(8, 1, 60),
} satisfies OptionFields;
type InsertHelp = Options<typeof HELP>;

/** Smallest change that counts as progress, m. */
const PROGRESS_M = 0.001;
/** Depth of the peg in the hole at which the overseer lets go, m. */
const LET_GO_DEPTH_M = 0.004;

/** Overseer that sees the hole: takes over when the tip has made no progress for a while, lets go when the peg is in the hole. */
export class InsertOverseer implements Overseer {
  readonly #environment: InsertEnvironment;
  readonly #help: InsertHelp;
  readonly #hand: InsertDemonstrator;
  #nearestM = Number.POSITIVE_INFINITY;
  #idleSteps = 0;
  #isSteering = false;

  constructor(environment: InsertEnvironment, given: OptionValues = {}) {
    this.#environment = environment;
    this.#help = readOptions('the overseer of an insertion', HELP, given);
    this.#hand = new InsertDemonstrator(environment);
  }

  begin(rng: Rng): void {
    this.#hand.begin(rng);
    this.#nearestM = Number.POSITIVE_INFINITY;
    this.#idleSteps = 0;
    this.#isSteering = false;
  }

  oversee(action: Float32Array): boolean {
    this.#watch();
    if (!this.#isSteering) return false;
    this.#hand.act(action);
    return true;
  }

  #watch(): void {
    const { holeM, tipM } = this.#environment;
    const distance = Math.hypot(tipM[0]! - holeM[0]!, tipM[1]! - holeM[1]!, tipM[2]! - holeM[2]!);
    const isIn = this.#environment.isInHole(LET_GO_DEPTH_M);
    this.#idleSteps = isIn || distance < this.#nearestM - PROGRESS_M ? 0 : this.#idleSteps + 1;
    this.#nearestM = Math.min(this.#nearestM, distance);
    if (isIn) this.#isSteering = false;
    else if (this.#idleSteps >= this.#help.patienceSteps) this.#isSteering = true;
  }
}
