/**
 * A finger under impedance control that pushes a slider to a mark and no further: the cost is the energy that set-point moves
 * put into the spring, and an energy tank may scale the steps. For comparing policies with and without knowledge of the cost,
 * with and without the filter. Task and numbers are this project's own; the equations are those of `set-point-energy.ts`.
 *
 * One axis. Finger of 1 kg, K = 2000 N/m, critical damping D = 2√(K·m). Slider of 0.3 kg on 2 N of dry friction, which can
 * only be pushed. Start: gap U[20, 40] mm, mark U[30, 60] mm behind the slider's position, at rest.
 * - Observation [7]: slider to mark (50 mm), finger to slider (50 mm), speeds of finger and slider (0.1 m/s), deflection
 *   set-point minus finger (15 mm), tank level over its maximum, scale λ of the last step (both 1 without the filter).
 * - Action [1]: step of the set-point, ±1 = ±10 mm, as far as the deflection stays within 15 mm (30 N).
 * - Reward: progress of the slider over its distance at the start − 0.01, and 1 for success.
 * - Cost: energy injected by the step, max(0, ΔU), J; with `costOfRequest` that of the step before the filter.
 * - Terminates with success when the slider stands (below 5 mm/s) within 2 mm of the mark, without when it is 2 mm past it.
 *   Truncated after 60 steps of 50 ms.
 */
import { clamp, ReinError, type Rng, symmetricRange } from '../../../../src/model/index.ts';
import { Simulation } from '../../../../src/plant/mujoco.ts';
import type { Demonstrator } from './demonstrator.ts';
import { GymEnvironment } from './gym-environment.ts';
import { flag, number, type OptionFields, type Options, type OptionValues, readOptions } from './options.ts';
import { affordableScale, EnergyTank, injectedJ, setPointStep } from './set-point-energy.ts';

const TIMESTEP_S = 0.002;
const TIMESTEPS = 25;
const PERIOD_S: number = TIMESTEPS * TIMESTEP_S;
const STIFFNESS_N_PER_M = 2000;
const FINGER_KG = 1;
const DAMPING_NS_PER_M: number = 2 * Math.sqrt(STIFFNESS_N_PER_M * FINGER_KG);
const STEP_M = 0.01;
const DEFLECTION_MAX_M = 0.015;
const TOLERANCE_M = 0.002;
const STANDING_M_PER_S = 0.005;
const LENGTH_UNIT_M = 0.05;
const SPEED_UNIT_M_PER_S = 0.1;

// Coordinates: fingertip and near face of the slider, m.
const XML = `<mujoco model="contact-push">
  <option timestep="${TIMESTEP_S}" gravity="0 0 0" integrator="implicitfast"/>
  <default><geom condim="1" solref="0.005 1" solimp="0.95 0.99 0.0005"/></default>
  <worldbody>
    <body name="finger">
      <joint name="finger" type="slide" axis="1 0 0"/>
      <geom type="sphere" size="0.01" pos="-0.01 0 0" mass="${FINGER_KG}"/>
    </body>
    <body name="slider">
      <joint name="slider" type="slide" axis="1 0 0" frictionloss="2"/>
      <geom type="box" size="0.02 0.02 0.02" pos="0.02 0 0" mass="0.3"/>
    </body>
  </worldbody>
  <actuator><position joint="finger" kp="${STIFFNESS_N_PER_M}" kv="${DAMPING_NS_PER_M.toFixed(6)}"/></actuator>
</mujoco>`;

const OPTIONS = {
  /** An energy tank scales the steps. */
  filter: flag(false),
  costOfRequest: flag(false),
  tankStartJ: number(0.2, 0, 100),
  tankMinJ: number(0.02, 0, 100),
  tankMaxJ: number(0.5, 1e-3, 100),
  powerMaxW: number(1, 0, 1000),
} satisfies OptionFields;
type ContactPushOptions = Options<typeof OPTIONS>;

export class ContactPush extends GymEnvironment {
  /** Energy that the last step put into the spring, J; negative if it relaxed the spring. */
  injectedJ = 0;
  /** Energy dissipated by the impedance's damping during the last step, J. */
  dissipatedJ = 0;
  /** λ: executed share of the last step's request. */
  scale = 1;
  readonly #options: ContactPushOptions;
  readonly #tank: EnergyTank;
  #setPointM = 0;
  #markM = 0;
  #startDistanceM = 1;

  static async open(given: OptionValues = {}): Promise<ContactPush> {
    const options = readOptions('contact-push', OPTIONS, given);
    const { tankMinJ, tankStartJ, tankMaxJ } = options;
    if (!(tankMinJ <= tankStartJ && tankStartJ <= tankMaxJ)) {
      const levels = `tankMinJ ${tankMinJ}, tankStartJ ${tankStartJ} and tankMaxJ ${tankMaxJ} J`;
      throw new ReinError(
        'config',
        `the tank of contact-push is to begin between its least and its most, not ${levels}`,
      );
    }
    return new ContactPush(await Simulation.fromXml(XML), options);
  }

  private constructor(simulation: Simulation, options: ContactPushOptions) {
    const shape = { actionRanges: [symmetricRange('set-point step', 'm', STEP_M)], maxSteps: 60, periodS: PERIOD_S };
    super(simulation, { name: 'contact-push', parts: { stateSize: 7 }, ...shape });
    this.isSuccess = false;
    this.#options = options;
    const { tankStartJ: startJ, tankMinJ: minJ, tankMaxJ: maxJ, powerMaxW } = options;
    this.#tank = new EnergyTank({ startJ, minJ, maxJ, powerMaxW });
  }

  get tankJ(): number {
    return this.#tank.levelJ;
  }

  /** Distance from the slider to the mark, m; negative past it. */
  get distanceM(): number {
    return this.#markM - this.simulation.views.positionRad[1]!;
  }

  /** Distance from the finger to the slider, m. */
  get gapM(): number {
    const { positionRad } = this.simulation.views;
    return positionRad[1]! - positionRad[0]!;
  }

  /** e: set-point minus finger, m. */
  get deflectionM(): number {
    return this.#setPointM - this.simulation.views.positionRad[0]!;
  }

  protected override begin(rng: Rng): void {
    const { positionRad } = this.simulation.views;
    positionRad[1] = rng.uniformIn(0.02, 0.04);
    this.#startDistanceM = rng.uniformIn(0.03, 0.06);
    this.#markM = positionRad[1]! + this.#startDistanceM;
    this.#setPointM = 0;
    this.#tank.reset();
    this.injectedJ = 0;
    this.dissipatedJ = 0;
    this.scale = 1;
  }

  protected override act(): void {
    const { filter, costOfRequest } = this.#options;
    const before = this.distanceM;
    const deflection = this.deflectionM;
    const wanted = clamp(deflection + STEP_M * this.action[0]!, -DEFLECTION_MAX_M, DEFLECTION_MAX_M) - deflection;
    const step = setPointStep(STIFFNESS_N_PER_M, deflection, wanted);
    this.scale = filter ? affordableScale(step, this.#tank.budgetJ(PERIOD_S)) : 1;
    this.injectedJ = injectedJ(step, this.scale);
    this.#setPointM += this.scale * wanted;
    this.executedAction[0] = (this.scale * wanted) / STEP_M;
    this.#move();
    if (filter) this.#tank.book(this.injectedJ, this.dissipatedJ);
    this.cost = Math.max(0, costOfRequest ? injectedJ(step, 1) : this.injectedJ);
    this.#judge(before);
  }

  protected override observe(out: Float32Array): void {
    const { velocityRadPerS } = this.simulation.views;
    const { filter, tankMaxJ } = this.#options;
    out[0] = this.distanceM / LENGTH_UNIT_M;
    out[1] = this.gapM / LENGTH_UNIT_M;
    out[2] = velocityRadPerS[0]! / SPEED_UNIT_M_PER_S;
    out[3] = velocityRadPerS[1]! / SPEED_UNIT_M_PER_S;
    out[4] = this.deflectionM / DEFLECTION_MAX_M;
    out[5] = filter ? this.tankJ / tankMaxJ : 1;
    out[6] = this.scale;
  }

  #move(): void {
    this.dissipatedJ = 0;
    this.simulation.views.control[0] = this.#setPointM;
    for (let t = 0; t < TIMESTEPS; t++) {
      this.pass(1);
      this.dissipatedJ += DAMPING_NS_PER_M * this.simulation.views.velocityRadPerS[0]! ** 2 * TIMESTEP_S;
    }
  }

  #judge(distanceBeforeM: number): void {
    const distance = this.distanceM;
    const isStanding = Math.abs(this.simulation.views.velocityRadPerS[1]!) < STANDING_M_PER_S;
    this.isSuccess = isStanding && Math.abs(distance) < TOLERANCE_M;
    this.isTerminated = this.isSuccess || distance < -TOLERANCE_M;
    this.reward = (distanceBeforeM - distance) / this.#startDistanceM - 0.01 + (this.isSuccess ? 1 : 0);
  }
}

const SKILL = {
  /** Largest action. */
  pace: number(0.4, 0.05, 1),
  /** Standard deviation of the noise on the action. */
  actionNoise: number(0.05, 0, 1),
} satisfies OptionFields;
type PushSkill = Options<typeof SKILL>;

/** Deflection that overcomes the slider's friction, m: 2 N at 2000 N/m. */
const FRICTION_M = 0.001;

/** Moves the set-point to the final position of the finger, more slowly over the last millimetres. */
export class ContactPushDemonstrator implements Demonstrator {
  readonly #environment: ContactPush;
  readonly #skill: PushSkill;
  #rng: Rng | undefined;

  constructor(environment: ContactPush, given: OptionValues = {}) {
    this.#environment = environment;
    this.#skill = readOptions('the demonstrator of a push', SKILL, given);
  }

  begin(rng: Rng): void {
    this.#rng = rng;
  }

  act(action: Float32Array): void {
    const { distanceM, gapM, deflectionM } = this.#environment;
    const { pace, actionNoise } = this.#skill;
    const wanted = (gapM + distanceM + FRICTION_M - deflectionM) / STEP_M;
    const noise = actionNoise * (this.#rng?.normal() ?? 0);
    action[0] = Math.max(-pace, Math.min(pace, 0.5 * wanted + noise));
  }
}
