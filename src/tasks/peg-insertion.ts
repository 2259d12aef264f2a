/**
 * Insert a square peg into a chamfered hole whose place is only roughly known: the hole's estimate has an error that
 * stays for the whole episode, so that contact has to tell the rest. The reward is sparse: 1 when the peg is in.
 */
import {
  type ActionSpec,
  ArmKinematics,
  type GuardFrame,
  type ObservationSpec,
  ReinError,
  type Rng,
  type RobotModel,
  type SceneLayout,
} from '../core/index.ts';
import { type OnceConfig, onceFields } from './once-fields.ts';
import type { Task, Verdict } from './task.ts';

/** Measures of the task. Lengths in m, angles in rad; every spread is uniform in ± the value. */
export interface PegInsertionConfig extends OnceConfig {
  readonly name: string;
  readonly maxSteps: number;
  readonly historyFrames: number;
  readonly observationDelaySteps?: number;
  readonly action: ActionSpec;
  readonly hole: {
    /** Between peg and hole on each side, for people; the scene has it of its own. */
    readonly clearanceM?: number;
    /** Where the middle of the hole's mouth is without spread, base frame. */
    readonly originM: readonly [number, number, number];
    readonly spreadM: number;
    readonly yawSpreadRad: number;
  };
  readonly estimate: {
    /** Error of the estimate in x and in y. */
    readonly errorM: number;
    /** Error of the estimate in z. */
    readonly heightErrorM: number;
    readonly yawErrorRad: number;
  };
  readonly start: {
    /** Spread of the peg's tip around the hole's place without spread, in x and in y. */
    readonly spreadM: number;
    /** Height of the tip above the plate, in the middle of its spread. */
    readonly heightM: number;
    readonly heightSpreadM: number;
    readonly yawSpreadRad: number;
  };
  readonly success: { readonly depthM: number };
}

const mm = (metres: number): string => `${Number((1e3 * metres).toFixed(2))} mm`;

/** Scales that bring the observation to about [−1, 1]; `fine` ones resolve the last millimetres through tanh. */
const SCALE = {
  positionM: 0.03,
  finePositionM: 0.003,
  yawRad: 0.2,
  fineYawRad: 0.03,
  forceN: 10,
  torqueNm: 0.5,
} as const;

/** Order of the signals that the scene gives. */
const SIGNALS = ['depthM', 'holeXM', 'holeYM', 'holeZM', 'holeYawRad'] as const;

export class PegInsertion implements Task {
  readonly name: string;
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  readonly signalNames: readonly string[] = SIGNALS;
  readonly maxSteps: number;
  readonly observationDelaySteps: number;
  readonly #config: PegInsertionConfig;
  readonly #model: RobotModel;
  readonly #kinematics: ArmKinematics;

  constructor(config: PegInsertionConfig, model: RobotModel) {
    this.name = config.name;
    this.maxSteps = config.maxSteps;
    this.observationDelaySteps = config.observationDelaySteps ?? 0;
    this.action = config.action;
    this.#config = config;
    this.#model = model;
    this.#kinematics = new ArmKinematics(model);
    this.observation = {
      frames: config.historyFrames,
      fields: [
        { name: 'hole_offset', size: 3, unit: `m / ${SCALE.positionM}`, frame: 'base' },
        { name: 'hole_offset_fine', size: 3, unit: `tanh(m / ${SCALE.finePositionM})`, frame: 'base' },
        { name: 'yaw_offset', size: 1, unit: `rad / ${SCALE.yawRad}`, frame: 'base' },
        { name: 'yaw_offset_fine', size: 1, unit: `tanh(rad / ${SCALE.fineYawRad})`, frame: 'base' },
        { name: 'force', size: 3, unit: `tanh(N / ${SCALE.forceN})`, frame: 'base' },
        { name: 'torque', size: 3, unit: `tanh(N*m / ${SCALE.torqueNm})`, frame: 'base' },
        { name: 'previous_executed', size: config.action.dimensions.length, unit: '1', frame: 'none' },
      ],
      ...onceFields(config, config.action),
    };
  }

  get goal(): string {
    const { hole, estimate, success } = this.#config;
    return `success is the peg ${mm(success.depthM)} deep in a hole whose place is known to ${mm(estimate.errorM)}${hole.clearanceM === undefined ? '' : `, with ${mm(hole.clearanceM)} of clearance a side`}`;
  }

  drawLayout(rng: Rng): SceneLayout {
    const { hole, estimate, start } = this.#config;
    const spread = (range: number): number => rng.uniformIn(-range, range);
    const [cx, cy, cz] = hole.originM;
    const x = cx + spread(hole.spreadM);
    const y = cy + spread(hole.spreadM);
    const yaw = spread(hole.yawSpreadRad);
    const signals = {
      holeXM: x + spread(estimate.errorM),
      holeYM: y + spread(estimate.errorM),
      holeZM: cz + spread(estimate.heightErrorM),
      holeYawRad: yaw + spread(estimate.yawErrorRad),
    };
    const tip = [
      cx + spread(start.spreadM),
      cy + spread(start.spreadM),
      cz + start.heightM + spread(start.heightSpreadM),
    ] as const;
    return {
      jointsRad: this.#reach(tip, spread(start.yawSpreadRad)),
      objects: { hole: [x, y, cz, yaw] },
      signals,
    };
  }

  observe(out: Float32Array, offset: number, frame: GuardFrame, previousExecuted: Float32Array): void {
    const { measuredTcp, robot } = frame;
    let at = offset;
    for (let k = 0; k < 3; k++) {
      const errorM = robot.signals[1 + k]! - measuredTcp[k]!;
      out[at + k] = errorM / SCALE.positionM;
      out[at + 3 + k] = Math.tanh(errorM / SCALE.finePositionM);
    }
    at += 6;
    const yawErrorRad = quarterTurn(robot.signals[4]! - toolYawRad(measuredTcp));
    out[at] = yawErrorRad / SCALE.yawRad;
    out[at + 1] = Math.tanh(yawErrorRad / SCALE.fineYawRad);
    at += 2;
    for (let k = 0; k < 3; k++) {
      out[at + k] = Math.tanh(robot.wrench[k]! / SCALE.forceN);
      out[at + 3 + k] = Math.tanh(robot.wrench[3 + k]! / SCALE.torqueNm);
    }
    at += 6;
    for (let k = 0; k < previousExecuted.length; k++) out[at + k] = previousExecuted[k]!;
  }

  offset(frame: GuardFrame, out: Float64Array): void {
    for (let k = 0; k < 3; k++) out[k] = frame.robot.signals[1 + k]! - frame.measuredTcp[k]!;
  }

  judge(frame: GuardFrame, out: Verdict): void {
    const inserted = frame.robot.signals[0]! >= this.#config.success.depthM;
    out.success = inserted;
    out.terminated = inserted;
    out.reward = inserted ? 1 : 0;
  }

  /** Joint positions with the tip at `tipM`, the tool vertical and turned by `yawRad` from its pose at home. */
  #reach(tipM: readonly [number, number, number], yawRad: number): number[] {
    const home = this.#model.homeRad;
    const kinematics = this.#kinematics;
    kinematics.forward(home);
    const target = Float64Array.of(...tipM, ...turnAboutZ(kinematics.tcpQuaternion, yawRad));
    const joints = Float64Array.from(home);
    if (!kinematics.inverse(target, home, joints)) {
      throw new ReinError(
        'task',
        `the arm cannot reach a start pose at ${tipM.map((v) => v.toFixed(3)).join(', ')} m`,
        {
          remedy: 'move hole.originM, or make start.spreadM smaller',
        },
      );
    }
    return Array.from(joints);
  }
}

/** Turn of the tool's x axis about the base's z axis, rad. `pose` is x, y, z, then quaternion w, x, y, z. */
function toolYawRad(pose: Float64Array): number {
  const w = pose[3]!;
  const x = pose[4]!;
  const y = pose[5]!;
  const z = pose[6]!;
  return Math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z));
}

/** The same angle within ±π/4: a square peg fits every quarter turn. */
function quarterTurn(angleRad: number): number {
  return angleRad - Math.round(angleRad / (Math.PI / 2)) * (Math.PI / 2);
}

/** Quaternion `q` (w, x, y, z) turned about the base's z axis. */
function turnAboutZ(q: ArrayLike<number>, yawRad: number): [number, number, number, number] {
  const c = Math.cos(yawRad / 2);
  const s = Math.sin(yawRad / 2);
  const [w, x, y, z] = [q[0]!, q[1]!, q[2]!, q[3]!];
  return [c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w];
}
