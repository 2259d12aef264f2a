/**
 * Swing-up of a rod by a weak motor. Dynamics and numbers of Gymnasium's Pendulum-v1
 * (https://gymnasium.farama.org/environments/classic_control/pendulum/), here as a MuJoCo model.
 *
 * θ̈ = 3g/(2l)·sin θ + 3u/(m·l²), θ = 0 upright; g = 10 m/s², m = 1 kg, l = 1 m, |u| ≤ 2 N·m, |θ̇| ≤ 8 rad/s, 0.05 s per
 * step by semi-implicit Euler. Start: θ ∈ U[−π, π], θ̇ ∈ U[−1, 1] rad/s.
 * - Observation [3]: cos θ, sin θ, θ̇ (rad/s).
 * - Action [1]: u, ±1 = ±2 N·m.
 * - Reward: −(θ² + 0.1·θ̇² + 0.001·u²) of the state before the step, θ wrapped to [−π, π].
 * - Never terminates; truncated after 200 steps.
 */
import { clamp, type Rng, symmetricRange, wrapAngleRad } from '../../../../src/model/index.ts';
import { Simulation } from '../../../../src/plant/mujoco.ts';
import { GymEnvironment } from './gym-environment.ts';
import { type OptionValues, readOptions } from './options.ts';

const PERIOD_S = 0.05;
const TORQUE_MAX_NM = 2;
const SPEED_MAX_RAD_PER_S = 8;

// Inertia of a rod: m·l²/12 about its middle, so m·l²/3 about its end. The third number only has to be positive.
const XML = `<mujoco model="pendulum">
  <option timestep="${PERIOD_S}" gravity="0 0 -10" integrator="Euler"/>
  <worldbody>
    <body name="rod">
      <joint name="pivot" type="hinge" axis="0 1 0"/>
      <inertial pos="0 0 0.5" mass="1" diaginertia="${1 / 12} ${1 / 12} 0.001"/>
    </body>
  </worldbody>
  <actuator><motor joint="pivot"/></actuator>
</mujoco>`;

export class Pendulum extends GymEnvironment {
  static async open(given: OptionValues = {}): Promise<Pendulum> {
    readOptions('pendulum', {}, given);
    return new Pendulum(await Simulation.fromXml(XML));
  }

  private constructor(simulation: Simulation) {
    const parts = { stateSize: 3 };
    const actionRanges = [symmetricRange('torque', 'N·m', TORQUE_MAX_NM)];
    super(simulation, { name: 'pendulum', parts, actionRanges, maxSteps: 200, periodS: PERIOD_S });
  }

  /** Places the rod at `angleRad` (0 upright) with `speedRadPerS`. */
  place(angleRad: number, speedRadPerS: number): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    positionRad[0] = angleRad;
    velocityRadPerS[0] = speedRadPerS;
    this.observe(this.observation);
  }

  protected override begin(rng: Rng): void {
    this.place(rng.uniformIn(-Math.PI, Math.PI), rng.uniformIn(-1, 1));
  }

  protected override act(): void {
    const before = this.simulation.views;
    const angle = before.positionRad[0]!;
    const speed = before.velocityRadPerS[0]!;
    const torque = TORQUE_MAX_NM * this.action[0]!;
    this.reward = -(wrapAngleRad(angle) ** 2 + 0.1 * speed ** 2 + 0.001 * torque ** 2);
    before.control[0] = torque;
    this.pass(1);
    // The published dynamics clip the new speed before it moves the angle.
    const { positionRad, velocityRadPerS } = this.simulation.views;
    const clipped = clamp(velocityRadPerS[0]!, -SPEED_MAX_RAD_PER_S, SPEED_MAX_RAD_PER_S);
    velocityRadPerS[0] = clipped;
    positionRad[0] = angle + clipped * PERIOD_S;
  }

  protected override observe(out: Float32Array): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    out[0] = Math.cos(positionRad[0]!);
    out[1] = Math.sin(positionRad[0]!);
    out[2] = velocityRadPerS[0]!;
  }
}
