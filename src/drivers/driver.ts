/**
 * The contract of everything that moves: hardware, simulator, mock. A driver obeys and measures; it decides nothing. What is fixed once it is
 * open are its facts, what changes is its report, and seven functions act. Every driver passes `tests/contract/driver.contract.ts`.
 */
import {
  BUS_COUNTERS,
  type GeomShape,
  type GuardNotice,
  type RobotState,
  type SceneLayout,
  type Vec,
} from '../core/index.ts';

/** How a read or write went. Everything but `ok` is a fault that the guard counts. */
export type DriverStatus = 'ok' | 'late' | 'rejected' | 'lost';

/** What is fixed while a driver is open. Plain data: it crosses threads as it is. */
export interface DriverFacts {
  readonly name: string;
  /** Joint names in the order of every vector below. */
  readonly jointNames: readonly string[];
  /** Names of `RobotState.signals`, in order. */
  readonly signalNames: readonly string[];
  /**
   * Nothing real moves, and nobody can be hurt: a program may let it go on after a stop that is no category 1. Absent: it is
   * real, or stands for what is.
   */
  readonly isSimulated?: boolean | undefined;
  /**
   * `torque(0)` takes no torque off: a controller that is not ours goes on holding the robot, and nothing is let down for it. A ramp would
   * only go on commanding where it was to go. Absent: torque is the driver's to take off.
   */
  readonly keepsTorque?: boolean | undefined;
  /** `torque` takes ratios between 0 and 1. Absent: it is asked for 0 and 1 alone, and holds in full until 0. */
  readonly limitsTorque?: boolean | undefined;
  /** False: `RobotState.torqueNm` is not measured at all, and no torque observer runs. Absent: it is, NaN where it is missing. */
  readonly measuresTorque?: boolean | undefined;
  /** `report.meanWrench` is measured. Absent: `RobotState.wrench` is all that is known of the tool. */
  readonly measuresMeanWrench?: boolean | undefined;
  /** `report.distance` is measured. Absent: nothing measures how near people are. */
  readonly measuresDistance?: boolean | undefined;
  /** `report.busCounters` count. Absent: no bus that counts. */
  readonly countsBus?: boolean | undefined;
  /** [n] to what it limits each joint's torque, N·m, where that may be less than `torqueMaxNm` of the robot's file. */
  readonly torqueCapNm?: readonly number[] | undefined;
  /** Names of joints whose readings are what was asked of them, as nothing measures where they are. Absent: none. */
  readonly unmeasuredJoints?: readonly string[] | undefined;
  /**
   * How another process stops this robot when the guard cannot any more. Absent where there is no bus of our own: a simulator, a robot
   * behind ROS 2. Where it is there, torque does not come on without a guardian.
   */
  readonly bus?: DriverBus | undefined;
}

/**
 * What a driver says of itself beside its readings, as of the last `read`, and of a `service` after it. One object for the driver's life,
 * made by `createDriverReport`; only the driver writes it, on the tick path, and allocates nothing.
 */
export interface DriverReport {
  /** Bits of `HARDWARE`: what the hardware says is wrong with itself. */
  hardwareFaults: number;
  /** The emergency stop is pressed. False of a robot that has no button which software sees. */
  isEmergencyStopPressed: boolean;
  /**
   * Nobody has seen the joints move since power came on, so that directions, zeros and wraps may not be those of the file: the guard
   * checks each that is measured at 5 % of its speed before anything else moves, and asks for the service `passFirstMotion`, which ends it.
   */
  needsFirstMotion: boolean;
  /** In the order of `BUS_COUNTERS`: what the bus has done, written by `write` too. NaN where none counts. */
  readonly busCounters: Float64Array;
  /**
   * [2] how far the nearest person or thing is that the arm must not reach, m (Infinity: none in range; NaN: not known), and how often that
   * was measured, which rises with each new reading.
   */
  readonly distance: Float64Array;
  /**
   * [6] what touched the tool over the period that ended with the last `read`: mean force (N), mean torque (N·m), base frame,
   * about the TCP, without the tool's own weight and inertia and not filtered, of the same period as `RobotState.torqueNm`. NaN where it is
   * not measured.
   */
  readonly meanWrench: Float64Array;
}

/** A healthy driver that counts and measures nothing beside its joints, but for what `known` says. */
export function createDriverReport(known: Partial<DriverReport> = {}): DriverReport {
  return {
    hardwareFaults: 0,
    isEmergencyStopPressed: false,
    needsFirstMotion: false,
    busCounters: new Float64Array(BUS_COUNTERS.length).fill(Number.NaN),
    distance: Float64Array.of(Number.NaN, 0),
    meanWrench: new Float64Array(6).fill(Number.NaN),
    ...known,
  };
}

/**
 * - `prepare`: makes everything ready for torque, or refuses. Between ticks, without torque; up to five seconds.
 * - `recover`: somebody has seen that the robot was lost, or that a servo reports a fault. Opens again what is gone, an adapter that was
 *   unplugged for example, and clears what is latched; what is wrong still is a notice. Between ticks, without torque; some seconds.
 * - `passFirstMotion`: the guard has seen every joint move: `needsFirstMotion` of the report ends. Tick path.
 * - `endCommands`: a stop that ends without torque has braked the reference to rest: what was commanded last must be all that is asked of
 *   the robot until it is measured at rest and gets `torque(0)`; after `done` nothing is written. For one that `keepsTorque` and goes on
 *   standing by itself. Tick path.
 */
export type DriverService = 'prepare' | 'recover' | 'passFirstMotion' | 'endCommands';

/** `nothing`: this driver has nothing to do for it, and nothing has changed. A refusal is a sentence, and of `prepare` alone. */
export type ServiceAnswer = 'done' | 'nothing' | { readonly refusal: string };

export interface Driver {
  readonly report: DriverReport;
  /** Where the surroundings can be put back by software, as in simulation; absent on real robots. One object for the driver's life. */
  readonly scene?: Scene | undefined;
  /**
   * Opens ports and checks that what is connected is what the configuration says. Throws `ReinError`. Never moves. Closed, it may be opened
   * again, with the same facts.
   */
  open(): Promise<DriverFacts>;
  /** Measures into `out`, and writes `report`. Tick path: no allocation, no throw. In simulation one control period passes first. */
  read(out: RobotState): DriverStatus;
  /**
   * Sends one reference, rad. Tick path. Returns `rejected` and sends nothing when a value is not finite or outside
   * the encoder range: the last gate before the bus.
   */
  write(referenceRad: Vec<'rad'>): DriverStatus;
  /**
   * Tick path. 1: torque on, holding the measured pose, without a limit that was left; where it cannot come on in all joints, in none, and
   * `write` answers `lost`. 0: torque off; of one that `keepsTorque`, no more commands. Between, of one that `limitsTorque` and has torque:
   * every joint gives at most this share of its own until 1; asked for downwards where torque goes off under an arm that does not hold itself
   * without it.
   */
  torque(ratio: number): void;
  service(request: DriverService): ServiceAnswer;
  /** What people should know of the hardware, each thing once; `undefined` where there is nothing new. Between ticks; may allocate. */
  takeNotice(): GuardNotice | undefined;
  /** Leaves the robot standing (torque as its exit policy says) and releases everything. Idempotent. */
  close(): Promise<void>;
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
