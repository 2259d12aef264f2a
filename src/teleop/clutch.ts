/**
 * How a source that has a pose of its own (a leader arm, a tracker) comes to move the robot. Whatever begins or begins anew, a
 * take-over, a clutch that is closed again, a reset, a resume, a new episode, begins alike: where source and robot are then is
 * latched, and only what the source has moved since is asked for. So the first action is none, wherever the two are, and how the source
 * moves while its clutch is open never reaches the robot.
 */
import { type ActionSpec, clamp, isToolTurn, wrapAngleRad } from '../core/index.ts';
import type { TeleopCommand } from './teleop-source.ts';

/** A robot that is so many actions behind is not followed to: the source jumped, or is far too fast. */
const MOST_LEAD_ACTIONS = 10;

/** Pure but for its memory. Rates pass as they are: they say how far to go from where the robot is, and have no pose to start from. */
export class Clutch {
  readonly #spec: ActionSpec;
  readonly #sourceAtStart: Float64Array;
  readonly #robotAtStart: Float64Array;
  /** Which closing of whose clutch is latched; 0 for none. */
  #closing = 0;
  #source = '';
  /** By source: a closing that was let go of by itself is not latched again: the person closes anew. */
  readonly #lostClosings = new Map<string, number>();

  constructor(spec: ActionSpec) {
    this.#spec = spec;
    this.#sourceAtStart = new Float64Array(spec.dimensions.length);
    this.#robotAtStart = new Float64Array(spec.dimensions.length);
  }

  /** Something began anew: the next command latches. */
  open(): void {
    this.#closing = 0;
  }

  /**
   * Makes an action of `command` for a robot that is asked to be at `robot` ([A], m and rad, in the action's dimensions):
   *
   *   a = clamp(((p − p₀) − (q − q₀)) / scale, −1, 1), with p₀, q₀ the source and the robot when it was latched.
   *
   * Zeros where the clutch is open, in the command that latches, and from where the source is more than 10 actions ahead, or no number,
   * until its clutch is closed anew.
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
      // Not finite is lost, too.
      isLost ||= !(Math.abs(lead) <= MOST_LEAD_ACTIONS);
      action[i] = clamp(lead, -1, 1);
    }
    if (!isLost) return;
    action.fill(0);
    this.#lostClosings.set(source, closing);
    this.open();
  }

  /** A tool's yaw goes the short way round; a joint has turns. */
  #difference(i: number, difference: number): number {
    const isCircle = isToolTurn(this.#spec.kind, this.#spec.dimensions[i]!.name);
    return isCircle && Number.isFinite(difference) ? wrapAngleRad(difference) : difference;
  }
}
