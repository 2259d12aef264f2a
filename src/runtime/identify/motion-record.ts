/** What the arm did in the minute of its identification, tick by tick. */
import { createRobotState, type GuardFrame, type RobotModel, type RobotState } from '../../core/index.ts';

/** Rows of one length each; a row is a new reading and the reference that led to it. */
export class MotionRecord {
  readonly joints: number;
  readonly dtS: number[] = [];
  readonly states: RobotState[] = [];
  /** [rows][n] what was sent for the period that ended with the reading: without a tank, the reference. */
  readonly sentRad: Float64Array[] = [];
  #before: { readonly referenceRad: Float64Array; readonly atS: number } | undefined;

  constructor(model: RobotModel) {
    this.joints = model.joints.length;
  }

  get rows(): number {
    return this.states.length;
  }

  /** Takes every frame of the guard, in order; `atS`: when the reading was taken. */
  add(frame: GuardFrame, atS: number): void {
    const before = this.#before;
    this.#before = { referenceRad: frame.referenceRad.slice(), atS };
    if (before === undefined || !(atS > before.atS)) return;
    const state = createRobotState(this.joints, 0);
    state.positionRad.set(frame.robot.positionRad);
    state.velocityRadPerS.set(frame.robot.velocityRadPerS);
    state.torqueNm.set(frame.robot.torqueNm);
    state.wrench.set(frame.robot.wrench);
    state.measuredAtS = atS;
    this.states.push(state);
    this.dtS.push(atS - before.atS);
    this.sentRad.push(before.referenceRad);
  }
}
