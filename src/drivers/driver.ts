/**
 * The contract of everything that moves: hardware, simulator, mock. A driver obeys and measures; it decides
 * nothing. Every driver passes `tests/contract/driver.contract.ts`.
 */
import type { GeomShape, GuardNotice, RobotState, SceneLayout, Vec } from '../core/index.ts';

/** How a read or write went. Everything but `ok` is a fault that the guard counts. */
export type DriverStatus = 'ok' | 'late' | 'rejected' | 'lost';

export interface Driver {
  readonly name: string;
  /** Joint names in the order of every vector below. */
  readonly jointNames: readonly string[];
  /** Names of `RobotState.signals`, in order. */
  readonly signalNames: readonly string[];
  /** Opens ports and checks that what is connected is what the configuration says. Throws `ReinError`. Never moves. */
  open(): Promise<void>;
  /**
   * Makes everything ready for `enable`, or says in a sentence why torque cannot come on now. Asked between ticks, without
   * torque; may take up to five seconds. Absent: always ready.
   */
  prepare?(): string | undefined;
  /**
   * Somebody has seen that the robot was lost, or that a servo reports a fault: opens again what is gone, an adapter that was unplugged for
   * example, and clears what is latched. What is wrong still is a notice. Asked between ticks, without torque; may take some seconds.
   * Absent: it comes back by itself.
   */
  recover?(): void;
  /** The emergency stop is pressed, as of the last `read`. Absent: this robot has no button that software sees. Tick path. */
  readonly isEmergencyStopPressed?: boolean;
  /**
   * Nothing real moves, and nobody can be hurt: a program may let it go on after a stop that is no category 1. Absent: it is
   * real, or stands for what is.
   */
  readonly isSimulated?: boolean;
  /**
   * `disable` takes no torque off: a controller that is not ours goes on holding the robot, and nothing is let down for it. A ramp would
   * only go on commanding where it was to go. Absent: torque is the driver's to take off.
   */
  readonly keepsTorque?: boolean;
  /**
   * A stop that ends in `disable` has braked the reference to rest: what was commanded last must be all that is asked of the robot until it is
   * measured at rest and disabled. Nothing is written from here on. Of one that `keepsTorque` and goes on standing by itself. Absent: it has to be
   * commanded until `disable`. Tick path.
   */
  endCommands?(): void;
  /** [n] to what it limits each joint's torque, N·m, where that may be less than `torqueMaxNm` of the robot's file. */
  readonly torqueCapNm?: readonly number[];
  /** False: `RobotState.torqueNm` is not measured at all, and no torque observer runs. Absent: it is, NaN where it is missing. */
  readonly measuresTorque?: boolean;
  /**
   * [6] what touched the tool over the period that ended with the last `read`: mean force (N), mean torque (N·m), base frame,
   * about the TCP, without the tool's own weight and inertia and not filtered, of the same period as `RobotState.torqueNm`. One
   * buffer, there once `open` has resolved, written by each `read`. Absent: `RobotState.wrench` is all that is known of the tool.
   */
  readonly meanWrench?: Float64Array;
  /** Bits of `HARDWARE`: what the hardware says is wrong with itself, as of the last `read`. Absent: it says nothing. Tick path. */
  readonly hardwareFaults?: number;
  /** In the order of `BUS_COUNTERS`: what the bus has done, written by each `read` and `write`. Absent: no bus that counts. Tick path. */
  readonly busCounters?: Float64Array;
  /**
   * [2] how far the nearest person or thing is that the arm must not reach, m (Infinity: none in range; NaN: not known), and how often that
   * was measured, which rises with each new reading. One buffer, written by each `read`. Absent: nothing measures it. Tick path.
   */
  readonly distance?: Float64Array;
  /** What people should know of the hardware, each thing once; `undefined` where there is nothing new. Between ticks; may allocate. */
  takeNotice?(): GuardNotice | undefined;
  /** Names of joints whose readings are what was asked of them, as nothing measures where they are. Absent: none. */
  readonly unmeasuredJoints?: readonly string[];
  /**
   * Nobody has seen the joints move since power came on, so that directions, zeros and wraps may not be those of the file: the guard
   * checks each that is measured at 5 % of its speed before anything else moves, and calls `passFirstMotion`. Absent: nothing to check.
   */
  readonly needsFirstMotion?: boolean;
  passFirstMotion?(): void;
  /**
   * Torque on, holding the measured pose, without a limit that `limitTorque` left; where it cannot come on in all joints, in none, and
   * `write` answers `lost`.
   */
  enable(): void;
  /**
   * Limits the torque of every joint to `ratio` (0, 1] of its own, until `enable`. Tick path. Asked for, from 1 downwards, where torque goes
   * off under an arm that does not hold itself without it. Absent: it holds in full until `disable`.
   */
  limitTorque?(ratio: number): void;
  /** Torque off; of one that `keepsTorque`, no more commands. */
  disable(): void;
  /** Measures into `out`. Tick path: no allocation, no throw. In simulation one control period passes first. */
  read(out: RobotState): DriverStatus;
  /**
   * Sends one reference, rad. Tick path. Returns `rejected` and sends nothing when a value is not finite or outside
   * the encoder range: the last gate before the bus.
   */
  write(referenceRad: Vec<'rad'>): DriverStatus;
  /** Leaves the robot standing (torque as its exit policy says) and releases everything. Idempotent. */
  close(): Promise<void>;
  /** Where the surroundings can be put back by software, as in simulation; absent on real robots. */
  readonly scene?: Scene;
  /**
   * How another process stops this robot when the guard cannot any more; known once `open` has resolved. Absent where there
   * is no bus of our own: a simulator, a robot behind ROS 2. Where it is there, torque does not come on without a guardian.
   */
  readonly bus?: DriverBus;
}

/** A bus that the guardian opens beside the driver, and what it writes there to stop the robot. Plain data. */
export interface DriverBus {
  /**
   * What can be opened for writing a second time while the driver has it open: a serial port (serialport's lock is advisory, `flock`:
   * it keeps out whoever asks for it too), a pty, a named pipe. Line settings stay as the driver made them.
   */
  readonly path: string;
  /**
   * Complete frames, written in this order and at once, 3 times: torque off, or neutral (category 0). They stop the robot
   * whatever was sent before them, a cut frame included, and repeated or late they do no harm. Together 1 to 4096 bytes, so
   * that they go out in one piece.
   */
  readonly stopFrames: readonly Uint8Array[];
}

/** Surroundings that software can arrange: a simulator's. */
export interface Scene {
  /** Puts robot and objects where the task wants them; the same numbers give the same scene. Torque stays as it is. Throws `ReinError`. */
  reset(layout: SceneLayout): void;
  /** Positions (xyz, m) and orientations (wxyz) of all drawn geoms, for pictures. `out` is 7 numbers a geom. */
  geomPoses(out: Float64Array): void;
  readonly geoms: readonly GeomShape[];
}
