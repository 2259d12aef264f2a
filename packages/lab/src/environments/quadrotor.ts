/**
 * A Crazyflie-sized quadrotor that hovers. Dynamics, observation and reward after Eschmann, Albani and Loianno, "Learning to
 * Fly in Seconds" (arXiv 2311.13081, and the parameters of its public code), on a free body in MuJoCo.
 *
 * Mass 0.027 kg, inertia 3.85e-6, 3.85e-6, 5.9675e-6 kg·m², rotors at (±28, ±28) mm, each with thrust 3.16e-10·n² N and
 * torque 0.005964552 m times its thrust; n follows the command with a time constant of 0.15 s, n ≤ 21702 rpm. Target: the
 * origin, upright. Start (nine times of ten; else at the target): each coordinate U[±0.2] m, rotation by U[0, `startTiltRad`]
 * about any axis, U[±1] m/s, U[±1] rad/s, rotors at hover speed. A force and a torque, constant over the episode, disturb it:
 * N(0, `disturbance`·weight) and N(0, `disturbance`·weight·1 mm) per axis, the numbers ours.
 * - Observation [18 + 4·`historyLength`], the first 18 as of `delaySteps` ago: position (m), rotation matrix row by
 *   row, velocity (m/s), angular velocity in the body (rad/s); then the last actions, newest first.
 * - Privileged [28] with `privileged`: the 18 without delay, rotor speeds (−1…1) [4], disturbing force (weights) [3] and
 *   torque (weights·mm) [3].
 * - Action [4]: rotor commands, −1…1 = 0…21702 rpm; 0.334 hovers.
 * - Reward: 2 − 0.5·(5‖p‖² + 5(1 − q_w²) + 0.01‖v‖² + 0.01‖a − 0.334‖²), after the step; 0 in the step that terminates.
 * - Terminates more than 1 m from the target. Success: its last second within 0.1 m. Truncated after 500 steps of 10 ms.
 */
import {
  type ActionRange,
  matrixFromQuaternion,
  type ObservationParts,
  type Rng,
} from '../../../../src/model/index.ts';
import { Simulation } from '../../../../src/plant/mujoco.ts';
import { GymEnvironment } from './gym-environment.ts';
import { flag, number, type OptionFields, type Options, type OptionValues, readOptions, whole } from './options.ts';
import {
  commandOf,
  HOVER_ACTION,
  quadrotorXml,
  ROTORS,
  rotorLagShare,
  rpmOf,
  thrustN,
  WEIGHT_N,
} from './quadrotor-body.ts';

const PERIOD_S = 0.01;
const TIMESTEPS = 4;
const TIMESTEP_S: number = PERIOD_S / TIMESTEPS;
const LAG_SHARE: number = rotorLagShare(TIMESTEP_S);
const STATE = 18;
const LOST_M = 1;
const HOVER_M = 0.1;
const MAX_STEPS = 500;
const ROTOR_RANGES: readonly ActionRange[] = Array.from({ length: ROTORS }, (_, i) => {
  return { name: `rotor ${i}`, unit: 'rpm', low: rpmOf(-1), high: rpmOf(1) };
});
/** One second. */
const HOVER_STEPS = 100;
/** Share of episodes that begin at the target. */
const GUIDED_SHARE = 0.1;

const OPTIONS = {
  /** Delay of the state that the policy observes, steps. */
  delaySteps: whole(0, 0, 50),
  /** Number of past actions that the policy observes, newest first. */
  historyLength: whole(0, 0, 64),
  privileged: flag(false),
  /** Standard deviation of the disturbing force on each axis, in weights. */
  disturbance: number(0, 0, 0.5),
  startTiltRad: number(Math.PI / 2, 0, Math.PI),
} satisfies OptionFields;
type QuadrotorOptions = Options<typeof OPTIONS>;

export class Quadrotor extends GymEnvironment {
  readonly #options: QuadrotorOptions;
  /** [(delay + 1)·18], the newest at `#newest`. */
  readonly #states: Float64Array;
  #newest = 0;
  /** [history·4], newest first. */
  readonly #history: Float64Array;
  readonly #rpm: Float64Array = new Float64Array(ROTORS);
  /** [6] Force (weights) and torque (weights·mm). */
  readonly #disturbance: Float64Array = new Float64Array(6);
  #stepsHovering = 0;
  readonly #quaternion: Float64Array = new Float64Array(4);
  readonly #rotation: Float64Array = new Float64Array(9);

  static async open(given: OptionValues = {}): Promise<Quadrotor> {
    const options = readOptions('quadrotor', OPTIONS, given);
    return new Quadrotor(await Simulation.fromXml(quadrotorXml(TIMESTEP_S)), options);
  }

  private constructor(simulation: Simulation, options: QuadrotorOptions) {
    const shape = { actionRanges: ROTOR_RANGES, maxSteps: MAX_STEPS, periodS: PERIOD_S };
    super(simulation, { name: 'quadrotor', parts: partsOf(options), ...shape });
    this.isSuccess = false;
    this.#options = options;
    this.#states = new Float64Array((options.delaySteps + 1) * STATE);
    this.#history = new Float64Array(options.historyLength * ROTORS);
  }

  protected override begin(rng: Rng): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    if (rng.uniform() >= GUIDED_SHARE) {
      for (let k = 0; k < 3; k++) positionRad[k] = rng.uniformIn(-0.2, 0.2);
      drawTurn(positionRad, 3, rng, this.#options.startTiltRad);
      for (let k = 0; k < 6; k++) velocityRadPerS[k] = rng.uniformIn(-1, 1);
    }
    const loads = this.simulation.data.xfrc_applied as Float64Array;
    for (let k = 0; k < 6; k++) {
      this.#disturbance[k] = this.#options.disturbance * rng.normal();
      // Six numbers per body, the world's first; torques are a thousandth of the forces: weights times mm.
      loads[6 + k] = this.#disturbance[k]! * WEIGHT_N * (k < 3 ? 1 : 0.001);
    }
    this.#rpm.fill(rpmOf(HOVER_ACTION));
    this.#history.fill(HOVER_ACTION);
    this.#stepsHovering = 0;
    for (let i = 0; i <= this.#options.delaySteps; i++) this.#remember();
  }

  protected override act(): void {
    if (this.#history.length > 0) {
      this.#history.copyWithin(ROTORS, 0);
      this.#history.set(this.action);
    }
    for (let t = 0; t < TIMESTEPS; t++) {
      const { control } = this.simulation.views;
      for (let i = 0; i < ROTORS; i++) {
        this.#rpm[i]! += LAG_SHARE * (rpmOf(this.action[i]!) - this.#rpm[i]!);
        control[i] = thrustN(this.#rpm[i]!);
      }
      this.pass(1);
    }
    this.#remember();
    this.#judge();
  }

  protected override observe(out: Float32Array): void {
    const { delaySteps, privileged } = this.#options;
    const count = delaySteps + 1;
    // Ring buffer: the oldest of the stored states follows the newest.
    const seen = ((this.#newest + 1) % count) * STATE;
    for (let k = 0; k < STATE; k++) out[k] = this.#states[seen + k]!;
    out.set(this.#history, STATE);
    if (!privileged) return;
    const at = STATE + this.#history.length;
    for (let k = 0; k < STATE; k++) out[at + k] = this.#states[this.#newest * STATE + k]!;
    for (let i = 0; i < ROTORS; i++) out[at + STATE + i] = commandOf(this.#rpm[i]!);
    out.set(this.#disturbance, at + STATE + ROTORS);
  }

  #judge(): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    const position = square(positionRad, 0, 3);
    let action = 0;
    for (let i = 0; i < ROTORS; i++) action += (this.action[i]! - HOVER_ACTION) ** 2;
    const tilt = 1 - positionRad[3]! ** 2;
    const cost = 5 * position + 5 * tilt + 0.01 * square(velocityRadPerS, 0, 3) + 0.01 * action;
    this.isTerminated = position > LOST_M ** 2;
    this.reward = this.isTerminated ? 0 : 2 - 0.5 * cost;
    this.#stepsHovering = position < HOVER_M ** 2 ? this.#stepsHovering + 1 : 0;
    this.isSuccess = this.#stepsHovering >= HOVER_STEPS;
  }

  #remember(): void {
    const { positionRad, velocityRadPerS } = this.simulation.views;
    this.#newest = (this.#newest + 1) % (this.#options.delaySteps + 1);
    const at = this.#newest * STATE;
    for (let k = 0; k < 3; k++) {
      this.#states[at + k] = positionRad[k]!;
      this.#states[at + 12 + k] = velocityRadPerS[k]!;
      this.#states[at + 15 + k] = velocityRadPerS[3 + k]!;
    }
    for (let k = 0; k < 4; k++) this.#quaternion[k] = positionRad[3 + k]!;
    matrixFromQuaternion(this.#rotation, this.#quaternion);
    this.#states.set(this.#rotation, at + 3);
  }
}

function partsOf({ historyLength, privileged }: QuadrotorOptions): ObservationParts {
  const stateSize = STATE + ROTORS * historyLength;
  return privileged ? { stateSize, privilegedSize: STATE + ROTORS + 6 } : { stateSize };
}

function square(values: Float64Array, from: number, count: number): number {
  let sum = 0;
  for (let k = from; k < from + count; k++) sum += values[k]! ** 2;
  return sum;
}

/** Writes at `at` the quaternion of a rotation by U[0, `maxRad`] about an axis of uniform direction. */
function drawTurn(out: Float64Array, at: number, rng: Rng, maxRad: number): void {
  const [x, y, z] = [rng.normal(), rng.normal(), rng.normal()];
  const half = rng.uniformIn(0, maxRad) / 2;
  const scale = Math.sin(half) / Math.max(Math.hypot(x, y, z), 1e-9);
  out[at] = Math.cos(half);
  out[at + 1] = scale * x;
  out[at + 2] = scale * y;
  out[at + 3] = scale * z;
}
