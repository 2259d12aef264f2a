/** Converts commands into references in a trial: the safety chain, or nothing but the action map's arithmetic. */
import {
  type ActionSpec,
  ArmKinematics,
  DampedLeastSquares,
  isFree,
  type RobotModel,
  TOOL_AXES,
} from '../model/index.ts';
import type { ActionCommand, RobotState } from '../rows/index.ts';
import type { ChainReport } from '../safety/chain-report.ts';
import { PASSED, type SafetyChain, type TickTimes } from '../safety/index.ts';

/** The interface of either to a trial's loop. */
export type Mover = Pick<SafetyChain, 'seed' | 'apply'> & {
  readonly referenceRad: Float64Array;
  /** [n] set-point written to the driver, rad. */
  readonly sentRad: Float64Array;
};

/** A robot without a safety chain: each new action is a step of its target, taken at once. */
export class NaiveMover implements Mover {
  readonly referenceRad: Float64Array;
  readonly sentRad: Float64Array;
  readonly #model: RobotModel;
  readonly #action: ActionSpec;
  readonly #wanted: Float64Array | undefined;
  readonly #arm: ArmKinematics;
  readonly #solver: DampedLeastSquares;
  readonly #rows: readonly number[];
  readonly #error: Float64Array = new Float64Array(6);
  readonly #way: Float64Array;
  #lastSeq = Number.NaN;

  /** `wantedRadPerS`: joint velocities requested in place of commands. */
  constructor(model: RobotModel, action: ActionSpec, wantedRadPerS: Float64Array | undefined) {
    const n = model.joints.length;
    this.#model = model;
    this.#action = action;
    this.#wanted = wantedRadPerS;
    this.#arm = new ArmKinematics(model);
    this.#rows = this.#arm.taskRows;
    this.#solver = new DampedLeastSquares(n, this.#rows);
    this.#way = new Float64Array(n);
    this.referenceRad = Float64Array.from(model.homeRad);
    this.sentRad = this.referenceRad;
  }

  seed(jointsRad: ArrayLike<number>): 'ok' {
    this.referenceRad.set(jointsRad);
    return 'ok';
  }

  apply(command: ActionCommand | null, _robot: RobotState, times: TickTimes, out: ChainReport): void {
    out.bits = 0;
    out.changed = false;
    out.isStopLatched = false;
    if (command === null) return;
    if (this.#wanted !== undefined) {
      for (let i = 0; i < this.#wanted.length; i++) this.referenceRad[i]! += this.#wanted[i]! * times[PASSED]!;
      return;
    }
    if (command.seq === this.#lastSeq) return;
    this.#lastSeq = command.seq;
    if (this.#action.kind === 'joint') this.#stepJoints(command.action);
    else this.#stepTool(command.action);
  }

  #stepJoints(action: Float64Array): void {
    for (const [k, { name, scale }] of this.#action.dimensions.entries()) {
      const i = this.#model.joints.findIndex((joint) => joint.name === name);
      this.referenceRad[i]! += scale * action[k]!;
    }
  }

  #stepTool(action: Float64Array): void {
    const e = this.#error;
    e.fill(0);
    for (const [k, { name, scale }] of this.#action.dimensions.entries()) {
      const joint = TOOL_AXES.includes(name) ? -1 : this.#model.joints.findIndex((each) => each.name === name);
      if (joint >= 0) this.referenceRad[joint]! += scale * action[k]!;
      else e[name === 'yaw' ? 5 : 'xyz'.indexOf(name)] = scale * action[k]!;
    }
    for (let k = 0; k < 6; k++) e[k] = e[k]! * this.#rows[k]!;
    this.#arm.forward(this.referenceRad);
    this.#solver.solve(this.#way, this.#arm.jacobian(), e, 0, 1e-4);
    for (let i = 0; i < this.#way.length; i++) {
      if (!isFree(this.#model.joints[i]!)) this.referenceRad[i]! += this.#way[i]!;
    }
  }
}
