/** Record of the arm's motion during identification, tick by tick. */
import type { RobotModel } from '../model/index.ts';
import { createRobotState, type GuardFrame, type RobotState } from '../rows/index.ts';

interface Before {
  readonly referenceRad: Float64Array;
  readonly atS: number;
}

/**
 * Rows of parallel arrays; a row is a new reading and the reference that led to it. Every frame counts once, in order:
 * repeated or reordered frames are dropped; after lost ones a new piece begins.
 */
export class MotionRecord {
  readonly joints: number;
  /** Time since the row before, by the driver's own stamps, s: the arrival of a frame does not tell when the arm was read. */
  readonly dtS: number[] = [];
  readonly states: RobotState[] = [];
  /** [rows][n] position sent for the period that ended with the reading: without a tank, the reference. */
  readonly sentRad: Float64Array[] = [];
  /** [rows] rows before it without a gap; 0 where a piece begins. */
  readonly pieceRow: number[] = [];
  /** Frames of the guard that were never received. */
  lost = 0;
  /** Frames received repeatedly, or after a later one. */
  repeated = 0;
  /** True if the driver provides a `meanWrench`. */
  givesMeanWrench = false;
  #tick = -1;
  #before: Before | undefined;
  #inPiece = 0;

  constructor(model: RobotModel) {
    this.joints = model.joints.length;
  }

  get rows(): number {
    return this.states.length;
  }

  /** Begins after the frame of `tick`: a missing frame right after it counts as lost, too. */
  begin(tick: number): void {
    this.#tick = tick;
  }

  /** Ends with the frame of `tick`. */
  end(tick: number): void {
    if (tick > this.#tick) this.#lose(tick - this.#tick);
    this.#tick = Math.max(this.#tick, tick);
  }

  /** Takes a frame of the guard as it arrives. */
  add(frame: GuardFrame): void {
    const { tick, stampS: atS } = frame;
    if (tick <= this.#tick) {
      this.repeated++;
      return;
    }
    if (this.#tick >= 0 && tick > this.#tick + 1) this.#lose(tick - this.#tick - 1);
    this.#tick = tick;
    const before = this.#before;
    this.#before = { referenceRad: frame.referenceRad.slice(), atS };
    if (before !== undefined && atS > before.atS) this.#push(frame, before);
  }

  #lose(frames: number): void {
    this.lost += frames;
    this.#before = undefined;
    this.#inPiece = 0;
  }

  #push({ robot, stampS, meanWrench }: GuardFrame, before: Before): void {
    const state = createRobotState(this.joints, 0);
    state.positionRad.set(robot.positionRad);
    state.velocityRadPerS.set(robot.velocityRadPerS);
    state.torqueNm.set(robot.torqueNm);
    state.wrench.set(robot.wrench);
    state.measuredAtS = stampS;
    this.states.push(state);
    this.dtS.push(stampS - before.atS);
    this.sentRad.push(before.referenceRad);
    this.pieceRow.push(this.#inPiece++);
    this.givesMeanWrench = !Number.isNaN(meanWrench[0]!);
  }
}
