/**
 * A planar arm of two links that reaches for a point. Dynamics and numbers of Gymnasium's Reacher-v5
 * (https://gymnasium.farama.org/environments/mujoco/reacher/), rewritten for MuJoCo.
 *
 * Links 0.1 m and 0.1 m with the fingertip at 0.11 m, joint armature 1 kg·m² and damping 1 N·m·s, gear 200, fourth-order
 * Runge-Kutta with 0.01 s, two of them per step. Start: angles U[−0.1, 0.1] rad, speeds U[−0.005, 0.005] rad/s; target
 * uniform in a disc of 0.2 m.
 * - Observation [10]: cos of both angles, sin of both angles, target x and y (m), both speeds (rad/s), fingertip minus target
 *   x and y (m).
 * - Action [2]: torques, ±1 = ±200 N·m.
 * - Reward: −‖fingertip − target‖ (m) − ‖a‖², after the step.
 * - Never terminates; truncated after 50 steps.
 */
import { type Rng, symmetricRange } from '../../../../src/model/index.ts';
import { Simulation } from '../../../../src/plant/mujoco.ts';
import { GymEnvironment } from './gym-environment.ts';
import { type OptionValues, readOptions } from './options.ts';

const TIMESTEP_S = 0.01;
const FRAME_SKIP = 2;
const TORQUE_MAX_NM = 200;
const LINK_M = 0.1;
const FINGERTIP_M = 0.11;
const TARGET_RADIUS_M = 0.2;

const XML = `<mujoco model="reacher">
  <compiler angle="radian"/>
  <option timestep="${TIMESTEP_S}" integrator="RK4"/>
  <default>
    <joint type="hinge" axis="0 0 1" armature="1" damping="1"/>
    <geom type="capsule" size="0.01" contype="0" conaffinity="0"/>
    <motor gear="${TORQUE_MAX_NM}" ctrllimited="true" ctrlrange="-1 1"/>
  </default>
  <worldbody>
    <body name="upper" pos="0 0 0.01">
      <joint name="shoulder"/>
      <geom fromto="0 0 0 ${LINK_M} 0 0"/>
      <body name="lower" pos="${LINK_M} 0 0">
        <joint name="elbow" limited="true" range="-3 3"/>
        <geom fromto="0 0 0 ${LINK_M} 0 0"/>
        <geom type="sphere" pos="${FINGERTIP_M} 0 0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="shoulder"/><motor joint="elbow"/></actuator>
</mujoco>`;

export class Reacher extends GymEnvironment {
  readonly #targetM: Float64Array = new Float64Array(2);

  static async open(given: OptionValues = {}): Promise<Reacher> {
    readOptions('reacher', {}, given);
    return new Reacher(await Simulation.fromXml(XML));
  }

  private constructor(simulation: Simulation) {
    const actionRanges = ['shoulder', 'elbow'].map((name) => symmetricRange(name, 'N·m', TORQUE_MAX_NM));
    const shape = { actionRanges, maxSteps: 50, periodS: FRAME_SKIP * TIMESTEP_S };
    super(simulation, { name: 'reacher', parts: { stateSize: 10 }, ...shape });
  }

  protected override begin(rng: Rng): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    for (let i = 0; i < 2; i++) positionRad[i] = rng.uniformIn(-0.1, 0.1);
    do {
      for (let i = 0; i < 2; i++) this.#targetM[i] = rng.uniformIn(-TARGET_RADIUS_M, TARGET_RADIUS_M);
    } while (Math.hypot(this.#targetM[0]!, this.#targetM[1]!) >= TARGET_RADIUS_M);
    for (let i = 0; i < 2; i++) velocityRadPerS[i] = rng.uniformIn(-0.005, 0.005);
  }

  protected override act(): void {
    this.simulation.views.control.set(this.action);
    this.pass(FRAME_SKIP);
    const distance = Math.hypot(this.#tipX() - this.#targetM[0]!, this.#tipY() - this.#targetM[1]!);
    this.reward = -distance - this.action[0]! ** 2 - this.action[1]! ** 2;
  }

  protected override observe(out: Float32Array): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    for (let i = 0; i < 2; i++) {
      out[i] = Math.cos(positionRad[i]!);
      out[2 + i] = Math.sin(positionRad[i]!);
      out[4 + i] = this.#targetM[i]!;
      out[6 + i] = velocityRadPerS[i]!;
    }
    out[8] = this.#tipX() - this.#targetM[0]!;
    out[9] = this.#tipY() - this.#targetM[1]!;
  }

  #tipX(): number {
    const [one, both] = this.#directions();
    return LINK_M * Math.cos(one) + FINGERTIP_M * Math.cos(both);
  }

  #tipY(): number {
    const [one, both] = this.#directions();
    return LINK_M * Math.sin(one) + FINGERTIP_M * Math.sin(both);
  }

  #directions(): [number, number] {
    const { positionRad } = this.simulation.views;
    return [positionRad[0]!, positionRad[0]! + positionRad[1]!];
  }
}
