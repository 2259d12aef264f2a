/**
 * A point in the plane, an obstacle in its way, the goal behind it: two equally good ways, so that the mean of two good
 * actions is a bad one. A task for policies that must represent several modes (as in Diffusion Policy, arXiv 2303.04137,
 * figure 3; this task's numbers are its own).
 *
 * A mass of 1 kg follows a commanded velocity with a time constant of 50 ms. Start: x U[−1.05, −0.95], y U[±0.05] m, at
 * rest. Obstacle: disc of 0.35 m about (0, 0). Goal: disc of 0.15 m about (1, 0). Arena: ±1.5 m.
 * - Observation [4]: x, y (m), their speeds (m/s).
 * - Action [2]: commanded velocity, ±1 = ±1 m/s per axis.
 * - Reward: 1 in the goal, which terminates with success; 0 otherwise.
 * - Terminates without success when it touches the obstacle or leaves the arena. Truncated after 40 steps of 0.1 s.
 */
import { type Rng, symmetricRange } from '../../../../src/model/index.ts';
import { Simulation } from '../../../../src/plant/mujoco.ts';
import type { Demonstrator } from './demonstrator.ts';
import { GymEnvironment } from './gym-environment.ts';
import { number, type OptionFields, type OptionValues, readOptions } from './options.ts';

const TIMESTEP_S = 0.01;
const PERIOD_S = 0.1;
/** Velocity commanded by an action of 1. */
const WANTED_MAX_M_PER_S = 1;
const OBSTACLE_RADIUS_M = 0.35;
const GOAL_X_M = 1;
const GOAL_RADIUS_M = 0.15;
const ARENA_M = 1.5;

const XML = `<mujoco model="fork">
  <option timestep="${TIMESTEP_S}" gravity="0 0 0" integrator="implicitfast"/>
  <worldbody>
    <body name="point">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <geom type="sphere" size="0.02" mass="1" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <actuator><velocity joint="x" kv="20"/><velocity joint="y" kv="20"/></actuator>
</mujoco>`;

export class Fork extends GymEnvironment {
  static async open(given: OptionValues = {}): Promise<Fork> {
    readOptions('fork', {}, given);
    return new Fork(await Simulation.fromXml(XML));
  }

  private constructor(simulation: Simulation) {
    const actionRanges = ['x', 'y'].map((name) => symmetricRange(name, 'm/s', WANTED_MAX_M_PER_S));
    const shape = { actionRanges, maxSteps: 40, periodS: PERIOD_S };
    super(simulation, { name: 'fork', parts: { stateSize: 4 }, ...shape });
    this.isSuccess = false;
  }

  /** Position of the point, m. */
  get xM(): number {
    return this.simulation.views.positionRad[0]!;
  }

  get yM(): number {
    return this.simulation.views.positionRad[1]!;
  }

  protected override begin(rng: Rng): void {
    const { positionRad } = this.simulation.views;
    positionRad[0] = rng.uniformIn(-1.05, -0.95);
    positionRad[1] = rng.uniformIn(-0.05, 0.05);
  }

  protected override act(): void {
    const { control } = this.simulation.views;
    for (let k = 0; k < 2; k++) control[k] = WANTED_MAX_M_PER_S * this.action[k]!;
    // Checked after each timestep, so that the point cannot pass through between two steps.
    for (let t = 0; t < PERIOD_S / TIMESTEP_S && !this.isTerminated; t++) {
      this.pass(1);
      const { xM, yM } = this;
      this.isSuccess = Math.hypot(xM - GOAL_X_M, yM) < GOAL_RADIUS_M;
      const isLost = Math.hypot(xM, yM) < OBSTACLE_RADIUS_M || Math.max(Math.abs(xM), Math.abs(yM)) > ARENA_M;
      this.isTerminated = this.isSuccess || isLost;
    }
    this.reward = this.isSuccess ? 1 : 0;
  }

  protected override observe(out: Float32Array): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    for (let k = 0; k < 2; k++) {
      out[k] = positionRad[k]!;
      out[2 + k] = velocityRadPerS[k]!;
    }
  }
}

const SKILL = {
  /** Standard deviation of the noise on each number of an action. */
  actionNoise: number(0.1, 0, 1),
} satisfies OptionFields;

/** Position at which it turns, and lateral distance before it goes straight on, m. */
const TURN_X_M = -0.72;
const WAY_M = 0.5;
const SPEED_M_PER_S = 0.9;

/**
 * Goes straight at the obstacle and turns left or right at the last moment, by the toss of a coin: the observation at the turn does
 * not determine the side, and half of each is a crash. If it turned at the start, each way would have distinct states, and a policy
 * with one mean per state would suffice.
 */
export class ForkDemonstrator implements Demonstrator {
  readonly #environment: Fork;
  readonly #noise: number;
  #rng: Rng | undefined;
  /** 1: left, towards +y. */
  #side = 1;

  constructor(environment: Fork, given: OptionValues = {}) {
    this.#environment = environment;
    this.#noise = readOptions('the demonstrator of the fork', SKILL, given).actionNoise;
  }

  begin(rng: Rng): void {
    this.#rng = rng;
    this.#side = rng.int(2) === 0 ? -1 : 1;
  }

  act(action: Float32Array): void {
    const { xM, yM } = this.#environment;
    const [aimX, aimY] = this.#aim(xM, yM);
    const distance = Math.max(Math.hypot(aimX - xM, aimY - yM), 0.1);
    for (const [k, way] of [aimX - xM, aimY - yM].entries()) {
      const noise = this.#noise * (this.#rng?.normal() ?? 0);
      action[k] = Math.max(-1, Math.min(1, (SPEED_M_PER_S * way) / distance + noise));
    }
  }

  /** Aims at the obstacle, then diagonally past it, along it, and to the goal. */
  #aim(xM: number, yM: number): readonly [number, number] {
    if (xM > 0.3) return [GOAL_X_M, 0];
    const isTurning = xM > TURN_X_M && Math.abs(yM) < WAY_M;
    return [xM + 1, isTurning ? yM + this.#side : yM];
  }
}
