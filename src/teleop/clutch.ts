/**
 * Clutch of a source with an absolute pose (a leader arm, a tracker). After every start (a take-over, a clutch that is
 * closed again, a reset, a resume, a new episode), the poses of source and robot are latched, and only the source's
 * motion since then is requested. So the first action is zero, wherever the two are, and motion of the source while its
 * clutch is open never reaches the robot.
 */
import { type ActionSpec, clamp, isToolTurn, wrapAngleRad } from '../model/index.ts';
import type { TeleopCommand } from './teleop-source.ts';

/** Largest lead of the source over the robot, in actions: beyond it the source jumped, or is far too fast. */
const MOST_LEAD_ACTIONS = 10;

/** Pure but for its memory. Rates pass unchanged: they are relative to the robot's pose, and have no start pose. */
export class Clutch {
  readonly #spec: ActionSpec;
  readonly #sourceAtStart: Float64Array;
  readonly #robotAtStart: Float64Array;
  /** Latched source and number of its closing; 0 for none. */
  #closing = 0;
  #source = '';
  /** Per source: the closing that was lost, which is not latched again until the operator closes the clutch anew. */
  readonly #lostClosings = new Map<string, number>();

  constructor(spec: ActionSpec) {
    this.#spec = spec;
    this.#sourceAtStart = new Float64Array(spec.dimensions.length);
    this.#robotAtStart = new Float64Array(spec.dimensions.length);
  }

  /** Unlatches after any start: the next command latches. */
  open(): void {
    this.#closing = 0;
  }

  /**
   * Turns `command` into an action for a robot with the reference `robot` ([A], m and rad, in the action's dimensions):
   *
   *   a = clamp(((p − p₀) − (q − q₀)) / scale, −1, 1), with p₀, q₀ the source and the robot at latching.
   *
   * Zeros while the clutch is open, in the command that latches, and once the source is more than 10 actions ahead, or
   * NaN, until its clutch is closed again.
   */
  apply(command: TeleopCommand, robot: ArrayLike<number>): void {
    const { absolute } = command;
    if (!command.active || absolute === undefined || absolute.closing === 0) {
      this.open();
      if (absolute !== undefined) command.action.fill(0);
      return;
    }
    if (absolute.closing !== this.#closing || absolute.source !== this.#source) this.#latch(command, robot);
    if (this.#closing === 0) command.action.fill(0);
    else this.#follow(command, robot);
  }

  #latch({ absolute }: TeleopCommand, robot: ArrayLike<number>): void {
    const { source, closing, pose } = absolute!;
    this.#source = source;
    this.#closing = closing === this.#lostClosings.get(source) ? 0 : closing;
    this.#sourceAtStart.set(pose);
    this.#robotAtStart.set(robot);
  }

  #follow({ absolute, action }: TeleopCommand, robot: ArrayLike<number>): void {
    const { source, pose, closing } = absolute!;
    let isLost = false;
    for (let i = 0; i < action.length; i++) {
      const moved = pose[i]! - this.#sourceAtStart[i]!;
      const followed = robot[i]! - this.#robotAtStart[i]!;
      const lead = this.#difference(i, moved - followed) / this.#spec.dimensions[i]!.scale;
      // Non-finite counts as lost, too.
      isLost ||= !(Math.abs(lead) <= MOST_LEAD_ACTIONS);
      action[i] = clamp(lead, -1, 1);
    }
    if (!isLost) return;
    action.fill(0);
    this.#lostClosings.set(source, closing);
    this.open();
  }

  /** A tool's yaw is wrapped to the shorter way; a joint may have several turns. */
  #difference(i: number, difference: number): number {
    const isCircle = isToolTurn(this.#spec.kind, this.#spec.dimensions[i]!.name);
    return isCircle && Number.isFinite(difference) ? wrapAngleRad(difference) : difference;
  }
}
