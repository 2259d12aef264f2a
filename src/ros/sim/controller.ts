/** One of ros2_control's motion controllers as a commander meets it: messages in, set-points for the hardware out. */

/** What the hardware takes from a controller. */
export type CommandInterface = 'position' | 'velocity' | 'effort';

/** What a controller knows of its robot. The arrays belong to the robot and are [n], in the robot's order. */
export interface ArmReading {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  /** What the joints are asked to reach. */
  readonly setPointRad: Float64Array;
}

/** Pure: time is a parameter. Its own `accept` takes messages and answers with a sentence where it refuses one. */
export interface ArmController {
  readonly name: string;
  /** The plugin's class, as `list_controllers` shows it. */
  readonly type: string;
  readonly commandInterface: CommandInterface;
  /** Begins to command the arm: whatever came before is forgotten, and the arm stands. */
  activate(arm: ArmReading): void;
  /** Writes into `out` ([n]; rad, rad/s or N·m) what the hardware shall do in the period that begins at `nowS`. */
  update(nowS: number, arm: ArmReading, out: Float64Array): void;
}
