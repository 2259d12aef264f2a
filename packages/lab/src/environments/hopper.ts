/**
 * One leg in the plane that hops forward. Body and numbers of Gymnasium's Hopper-v5
 * (https://gymnasium.farama.org/environments/mujoco/hopper/; after Erez, Tassa and Todorov, RSS 2011), rewritten for
 * MuJoCo with each body's frame at its joint.
 *
 * Capsules of 1000 kg/m³: torso 0.4 m × r 0.05 m, thigh 0.45 × 0.05, leg 0.5 × 0.04, foot 0.39 × 0.06, with masses of 3.67,
 * 4.06, 2.78 and 5.32 kg. Joint armature 1 kg·m², damping 1 N·m·s, gear 200; fourth-order Runge-Kutta with 2 ms, four of
 * them per step. Start: upright and at rest, each coordinate and speed perturbed by U[±0.005].
 * - Observation [11]: torso height (m), torso angle, hip, knee, ankle (rad), then the speeds of x, z (m/s), torso, hip, knee
 *   and ankle (rad/s), each clipped to ±10.
 * - Action [3]: torques at hip, knee and ankle, ±1 = ±200 N·m.
 * - Reward: 1 while healthy + ẋ (m/s, over the step) − 0.001·‖a‖².
 * - Terminates when unhealthy: height ≤ 0.7 m, |torso angle| ≥ 0.2 rad, or any other coordinate or speed beyond ±100.
 *   Truncated after 1000 steps.
 */
import { clamp, type Rng, symmetricRange } from '../../../../src/model/index.ts';
import { Simulation } from '../../../../src/plant/mujoco.ts';
import { GymEnvironment } from './gym-environment.ts';
import { type OptionValues, readOptions } from './options.ts';

const TIMESTEP_S = 0.002;
const FRAME_SKIP = 4;
const TORQUE_MAX_NM = 200;
const PERIOD_S: number = FRAME_SKIP * TIMESTEP_S;
const START_NOISE = 0.005;
const HEIGHT_MIN_M = 0.7;
const TILT_MAX_RAD = 0.2;
const STATE_MAX = 100;
const SPEED_SEEN_MAX = 10;

/** Coordinates: x, z, torso angle, hip, knee, ankle. */
const COORDINATES = 6;

const XML = `<mujoco model="hopper">
  <compiler angle="radian"/>
  <option timestep="${TIMESTEP_S}" integrator="RK4"/>
  <default>
    <joint type="hinge" axis="0 -1 0" armature="1" damping="1" limited="true"/>
    <geom type="capsule" condim="1" friction="0.9 0.005 0.0001" margin="0.001" solimp="0.8 0.8 0.01 0.5 2"/>
    <motor gear="${TORQUE_MAX_NM}" ctrllimited="true" ctrlrange="-1 1"/>
    <default class="free"><joint armature="0" damping="0" limited="false"/></default>
  </default>
  <worldbody>
    <geom name="ground" type="plane" size="20 20 0.1" condim="3" friction="1 0.005 0.0001"/>
    <body name="torso" pos="0 0 1.25">
      <joint name="x" class="free" type="slide" axis="1 0 0"/>
      <joint name="z" class="free" type="slide" axis="0 0 1" ref="1.25"/>
      <joint name="tilt" class="free" axis="0 1 0"/>
      <geom fromto="0 0 -0.2 0 0 0.2" size="0.05"/>
      <body name="thigh" pos="0 0 -0.2">
        <joint name="hip" range="-2.61799 0"/>
        <geom fromto="0 0 -0.45 0 0 0" size="0.05"/>
        <body name="leg" pos="0 0 -0.45">
          <joint name="knee" range="-2.61799 0"/>
          <geom fromto="0 0 -0.5 0 0 0" size="0.04"/>
          <body name="foot" pos="0 0 -0.5">
            <joint name="ankle" range="-0.785398 0.785398"/>
            <geom fromto="-0.13 0 0 0.26 0 0" size="0.06" friction="2 0.005 0.0001"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="hip"/><motor joint="knee"/><motor joint="ankle"/></actuator>
</mujoco>`;

export class Hopper extends GymEnvironment {
  static async open(given: OptionValues = {}): Promise<Hopper> {
    readOptions('hopper', {}, given);
    return new Hopper(await Simulation.fromXml(XML));
  }

  private constructor(simulation: Simulation) {
    const actionRanges = ['hip', 'knee', 'ankle'].map((name) => symmetricRange(name, 'N·m', TORQUE_MAX_NM));
    const shape = { actionRanges, maxSteps: 1000, periodS: PERIOD_S };
    super(simulation, { name: 'hopper', parts: { stateSize: 2 * COORDINATES - 1 }, ...shape });
  }

  /** Masses of the bodies, torso first, kg. Allocates. */
  massesKg(): number[] {
    return [...(this.simulation.model.body_mass as Float64Array)].slice(1);
  }

  protected override begin(rng: Rng): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    for (let i = 0; i < COORDINATES; i++) positionRad[i]! += rng.uniformIn(-START_NOISE, START_NOISE);
    for (let i = 0; i < COORDINATES; i++) velocityRadPerS[i] = rng.uniformIn(-START_NOISE, START_NOISE);
  }

  protected override act(): void {
    const { control, positionRad } = this.simulation.views;
    const before = positionRad[0]!;
    let effort = 0;
    for (let i = 0; i < 3; i++) {
      control[i] = this.action[i]!;
      effort += this.action[i]! ** 2;
    }
    this.pass(FRAME_SKIP);
    const speed = (this.simulation.views.positionRad[0]! - before) / PERIOD_S;
    const isHealthy = this.#isHealthy();
    this.reward = (isHealthy ? 1 : 0) + speed - 0.001 * effort;
    this.isTerminated = !isHealthy;
  }

  protected override observe(out: Float32Array): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    for (let i = 1; i < COORDINATES; i++) out[i - 1] = positionRad[i]!;
    for (let i = 0; i < COORDINATES; i++) {
      out[COORDINATES - 1 + i] = clamp(velocityRadPerS[i]!, -SPEED_SEEN_MAX, SPEED_SEEN_MAX);
    }
  }

  #isHealthy(): boolean {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    for (let i = 0; i < COORDINATES; i++) {
      if (i >= 2 && !(Math.abs(positionRad[i]!) < STATE_MAX)) return false;
      if (!(Math.abs(velocityRadPerS[i]!) < STATE_MAX)) return false;
    }
    return positionRad[1]! > HEIGHT_MIN_M && Math.abs(positionRad[2]!) < TILT_MAX_RAD;
  }
}
