/**
 * Peg insertion at 10 Hz with a moving set-point, as in SERL and HIL-SERL (arXiv 2401.16013, 2410.21845): the hole's position
 * is drawn each episode, the reward is sparse. It is the task of `src/tasks/peg-insertion.ts` with deliberately different physics,
 * light enough for thousands of steps a second: no arm, guard or safety chain, but three sliding joints of 1 kg, each with a spring
 * of 2000 N/m and critical damping, like an arm under impedance control. The peg keeps its orientation. Both tasks
 * have the same plate with its hole (`fixtureXml`) and the same rule, 1 for a peg that is in; sizes and starts are their own.
 * Two variants differ in how the policy observes the hole:
 * `insert-state` gives an inaccurate estimate of its position, `insert-depth` a depth image.
 *
 * Start: hole U[±20] mm in x and y, tip U[±15] mm in x and y and U[25, 35] mm above the plate, at rest.
 * - Observation, state part [9]: 0–2 `insert-state`: estimated hole minus tip, x and y, and minus the tip's height;
 *   `insert-depth`: minus the tip's position, the same zero for every hole (both in 20 mm); 3–5 the tip's velocity
 *   (0.1 m/s); 6–8 set-point minus tip (10 mm, that is 20 N). Image of `insert-depth`: see `DepthCamera`. Privileged with
 *   `privileged`: true hole minus tip [3] (20 mm).
 * - Action [3]: step of the set-point, ±1 = ±8 mm per axis. The set-point stays in the workspace and within 10 mm of the tip.
 * - Reward: 1 when the tip is 15 mm deep in the hole, which terminates; 0 otherwise. Truncated after 60 steps.
 */
import { clamp, type ObservationParts, type Rng, symmetricRange } from '../../../../src/model/index.ts';
import type { PegSceneSpec } from '../../../../src/plant/index.ts';
import { fixtureXml, Simulation } from '../../../../src/plant/mujoco.ts';
import { DepthCamera, type DepthView } from './depth-camera.ts';
import { GymEnvironment } from './gym-environment.ts';
import { flag, number, type OptionFields, type Options, type OptionValues, readOptions } from './options.ts';

/** All in m. Chamfer and gap together tolerate an error of 2.5 mm on each axis. */
const INSERT_SPEC: PegSceneSpec = {
  pegWidthM: 0.016,
  pegLengthM: 0.05,
  clearanceM: 0.0005,
  chamferM: 0.002,
  depthM: 0.025,
  mouthRadiusM: 0.004,
};

/** Spring between set-point and peg, N/m: Cartesian stiffness of the arm in the literature on insertion. */
const STIFFNESS_N_PER_M = 2000;
const MASS_KG = 1;
/** 2·√(K·m): the peg reaches a set-point without overshoot. */
const DAMPING_NS_PER_M: number = 2 * Math.sqrt(STIFFNESS_N_PER_M * MASS_KG);

const TIMESTEP_S = 0.004;

const HALF_WIDTH_M = INSERT_SPEC.pegWidthM / 2;
const HALF_LENGTH_M = INSERT_SPEC.pegLengthM / 2;
const AXES = ['x', 'y', 'z'] as const;

/** Largest step of the set-point on each axis, m. */
export const SET_POINT_STEP_M = 0.008;
/** Depth of the tip at which the peg counts as in, m. */
const SUCCESS_DEPTH_M = 0.015;
const PERIOD_S = 0.1;
const TIMESTEPS: number = Math.round(PERIOD_S / TIMESTEP_S);
/** Limit of the spring's deflection: 20 N. */
const DEFLECTION_MAX_M = 0.01;
const HOLE_RANGE_M = 0.02;
/** Limits of the set-point: x, y and z, m. The plate is below the peg for any position of the hole. */
const WORKSPACE_M = [
  [-0.03, 0.03],
  [-0.03, 0.03],
  [-0.03, 0.05],
] as const;
/** Units of the observation. */
const LENGTH_UNIT_M = 0.02;
const SPEED_UNIT_M_PER_S = 0.1;

const OPTIONS = {
  /** Standard deviation of the hole's estimate in `insert-state`, constant over an episode, m on each axis. */
  holeNoiseM: number(0.002, 0, 0.02),
  /** Gives the true hole to critics. */
  privileged: flag(false),
} satisfies OptionFields;
type InsertOptions = Options<typeof OPTIONS>;

/** Camera that sees the whole range of holes from the side, 35° from straight down. */
const VIEW: DepthView = {
  eyeM: [0, -0.16, 0.23],
  targetM: [0, 0, 0.005],
  fieldOfViewRad: 0.42,
  pixels: 64,
  nearM: 0.2,
  farM: 0.36,
};

export type InsertName = 'insert-state' | 'insert-depth';

/** Both tasks. The arrays are owned by the environment, in m in the world frame: true values for demonstrators. */
export class InsertEnvironment extends GymEnvironment {
  /** [3] Centre of the hole's mouth. */
  readonly holeM: Float64Array = new Float64Array(3);
  /** [3] The peg's tip. */
  readonly tipM: Float64Array = new Float64Array(3);
  /** [3] Set-point of the impedance for the tip. */
  readonly setPointM: Float64Array = new Float64Array(3);
  readonly #options: InsertOptions;
  readonly #camera: DepthCamera | undefined;
  /** [3] Hole as estimated for the policy; 0 if it has a camera to see it. */
  readonly #believedM: Float64Array = new Float64Array(3);

  static async open(name: InsertName, given: OptionValues = {}): Promise<InsertEnvironment> {
    const options = readOptions(name, OPTIONS, given);
    return new InsertEnvironment(name, await Simulation.fromXml(sceneXml()), options);
  }

  private constructor(name: InsertName, simulation: Simulation, options: InsertOptions) {
    const camera = name === 'insert-depth' ? new DepthCamera(simulation, VIEW) : undefined;
    const actionRanges = ['x', 'y', 'z'].map((axis) => symmetricRange(`set-point step ${axis}`, 'm', SET_POINT_STEP_M));
    super(simulation, { name, parts: partsOf(camera, options), actionRanges, maxSteps: 60, periodS: PERIOD_S });
    this.isSuccess = false;
    this.#camera = camera;
    this.#options = options;
  }

  /** True if the tip is between the hole's walls and deeper than `depthM`. */
  isInHole(depthM: number): boolean {
    const free = INSERT_SPEC.clearanceM + INSERT_SPEC.chamferM;
    const isAside = Math.abs(this.tipM[0]! - this.holeM[0]!) > free || Math.abs(this.tipM[1]! - this.holeM[1]!) > free;
    return !isAside && this.tipM[2]! < -depthM;
  }

  override close(): void {
    this.#camera?.close();
    super.close();
  }

  protected override begin(rng: Rng): void {
    const { positionRad, mocapPosition } = this.simulation.views;
    for (let k = 0; k < 2; k++) {
      this.holeM[k] = rng.uniformIn(-HOLE_RANGE_M, HOLE_RANGE_M);
      mocapPosition[k] = this.holeM[k]!;
      this.#believedM[k] = this.#camera === undefined ? this.holeM[k]! + this.#options.holeNoiseM * rng.normal() : 0;
    }
    positionRad[0] = rng.uniformIn(-0.015, 0.015);
    positionRad[1] = rng.uniformIn(-0.015, 0.015);
    positionRad[2] = rng.uniformIn(0.025, 0.035);
    this.#measure();
    this.setPointM.set(this.tipM);
    this.simulation.forward();
  }

  protected override act(): void {
    for (let k = 0; k < 3; k++) {
      const tip = this.tipM[k]!;
      const wanted = this.setPointM[k]! + SET_POINT_STEP_M * this.action[k]!;
      const [low, high] = WORKSPACE_M[k]!;
      this.setPointM[k] = clamp(clamp(wanted, tip - DEFLECTION_MAX_M, tip + DEFLECTION_MAX_M), low, high);
    }
    this.simulation.views.control.set(this.setPointM);
    this.pass(TIMESTEPS);
    this.#measure();
    this.isSuccess = this.isInHole(SUCCESS_DEPTH_M);
    this.isTerminated = this.isSuccess;
    this.reward = this.isSuccess ? 1 : 0;
  }

  protected override observe(out: Float32Array): void {
    const { velocityRadPerS } = this.simulation.views;
    for (let k = 0; k < 3; k++) {
      out[k] = (this.#believedM[k]! - this.tipM[k]!) / LENGTH_UNIT_M;
      out[3 + k] = velocityRadPerS[k]! / SPEED_UNIT_M_PER_S;
      out[6 + k] = (this.setPointM[k]! - this.tipM[k]!) / DEFLECTION_MAX_M;
    }
    this.#camera?.capture(out, 9);
    if (!this.#options.privileged) return;
    const at = out.length - 3;
    for (let k = 0; k < 3; k++) out[at + k] = (this.holeM[k]! - this.tipM[k]!) / LENGTH_UNIT_M;
  }

  #measure(): void {
    const { positionRad } = this.simulation.views;
    for (let k = 0; k < 3; k++) this.tipM[k] = positionRad[k]!;
  }
}

function partsOf(camera: DepthCamera | undefined, { privileged }: InsertOptions): ObservationParts {
  return {
    stateSize: 9,
    ...(camera === undefined ? {} : { image: camera.shape }),
    ...(privileged ? { privilegedSize: 3 } : {}),
  };
}

/** MJCF. Joint positions are the peg's tip in the world frame; (0, 0, 0) is the hole's mouth at the plate's initial position. */
function sceneXml(): string {
  const joints = AXES.map((name, k) => `<joint name="${name}" type="slide" axis="${unitVector(k)}"/>`).join('');
  const servos = AXES.map((name) => {
    const gains = `kp="${STIFFNESS_N_PER_M}" kv="${DAMPING_NS_PER_M.toFixed(6)}"`;
    return `<position joint="${name}" ${gains}/>`;
  }).join('');
  const peg = `type="box" size="${HALF_WIDTH_M} ${HALF_WIDTH_M} ${HALF_LENGTH_M}" pos="0 0 ${HALF_LENGTH_M}"`;
  return `<mujoco model="insert">
    <compiler angle="radian"/>
    <option timestep="${TIMESTEP_S}" integrator="implicitfast"/>
    <default><default class="contact">
      <geom condim="3" friction="0.3 0.002 0.0001" solref="0.01 1" solimp="0.95 0.99 0.0005"/>
    </default></default>
    <worldbody>
      <body name="peg" gravcomp="1">
        ${joints}
        <geom name="peg" class="contact" mass="${MASS_KG}" ${peg}/>
      </body>
      ${fixtureXml(INSERT_SPEC)}
      <geom name="table" class="contact" type="plane" size="0.3 0.3 0.01" pos="0 0 -0.035" contype="2" conaffinity="2"/>
    </worldbody>
    <actuator>${servos}</actuator>
  </mujoco>`;
}

function unitVector(axis: number): string {
  return [0, 1, 2].map((k) => (k === axis ? 1 : 0)).join(' ');
}
