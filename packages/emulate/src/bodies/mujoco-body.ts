/** Robot's own model behind its servos: MuJoCo simulates weight, contact and friction, and signals of objects beside the robot. */
import type { RobotModel } from '../../../../src/model/index.ts';
import type { PackageFolders, SurroundingsSpec } from '../../../../src/plant/index.ts';
import { RobotPlant } from '../../../../src/plant/mujoco.ts';
import type { RobotState, SceneLayout } from '../../../../src/rows/index.ts';
import type { PlaceableBody } from './held-body.ts';

const STEP_S = 0.002;
/** No limit by the plant, as the servos limit themselves: more than any of them exerts, N·m. */
const NO_LIMIT_NM = 1000;

/** Objects beside the robot, and the signals measured of them. */
export interface EmulatedScene {
  readonly surroundings: SurroundingsSpec;
  /** Names in `EmulatedBody.signals`. */
  readonly signalNames: readonly string[];
  /** Initial placement of objects and robot. */
  readonly layout: SceneLayout;
}

export interface MujocoBodyOptions {
  /** The robot's MJCF or URDF. */
  readonly file: string;
  /** Folders of ROS packages by name, for `package://` in a URDF. */
  readonly packages?: PackageFolders | undefined;
  readonly model: RobotModel;
  readonly scene?: EmulatedScene | undefined;
}

export class MujocoBody implements PlaceableBody {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly torqueNm: Float64Array;
  readonly signals: Map<string, number> = new Map();
  readonly stepS: number = STEP_S;
  readonly #plant: RobotPlant;
  readonly #scene: EmulatedScene | undefined;
  readonly #signals: RobotState['signals'];

  /** Throws `ReinError('config')` for a file that cannot be simulated. */
  static async open(options: MujocoBodyOptions): Promise<MujocoBody> {
    const joints = options.model.joints.map((joint) => ({ ...joint, torqueMaxNm: NO_LIMIT_NM }));
    const plant = await RobotPlant.open({
      file: options.file,
      packages: options.packages,
      model: { ...options.model, joints },
      // Only the servos hold the arm up, and they follow their own control law.
      gravityCompensated: false,
      velocityFeedForward: false,
      surroundings: options.scene && { ...options.scene.surroundings, signalNames: options.scene.signalNames },
      timestepS: STEP_S,
    });
    return new MujocoBody(plant, options);
  }

  private constructor(plant: RobotPlant, { model, scene }: MujocoBodyOptions) {
    this.#plant = plant;
    this.positionRad = plant.positionRad;
    this.velocityRadPerS = plant.velocityRadPerS;
    this.torqueNm = new Float64Array(model.joints.length);
    this.#scene = scene;
    this.#signals = new Float64Array(scene?.signalNames.length ?? 0) as RobotState['signals'];
    if (scene !== undefined) plant.arrange(scene.layout);
    this.#measure();
  }

  place(jointsRad: ArrayLike<number>): void {
    if (this.#scene === undefined) this.#plant.reset(jointsRad);
    else this.#plant.arrange({ ...this.#scene.layout, jointsRad: Array.from(jointsRad) });
    this.torqueNm.fill(0);
    this.#measure();
  }

  step(): void {
    this.#plant.exert(this.torqueNm, STEP_S);
    this.#measure();
  }

  #measure(): void {
    if (this.#scene === undefined) return;
    this.#plant.readSignals(this.#signals);
    for (const [i, name] of this.#scene.signalNames.entries()) this.signals.set(name, this.#signals[i]!);
  }

  close(): void {
    this.#plant.close();
  }
}
