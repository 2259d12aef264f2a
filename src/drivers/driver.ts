/**
 * Contract of everything that moves: hardware, simulator, mock. A driver obeys and measures; it decides nothing. It
 * consists of facts, fixed while it is open, a report, which changes, and seven functions. Every driver passes
 * `tests/contract/driver.contract.ts`.
 */
import type { Vec } from '../model/index.ts';
import { BUS_COUNTERS, type GeomShape, type GuardNotice, type RobotState, type SceneLayout } from '../rows/index.ts';

/** Result of a read or write. Anything but `ok` is a fault, counted by the guard. */
export type DriverStatus = 'ok' | 'late' | 'rejected' | 'lost';

/** Facts that are fixed while a driver is open. Plain data: passed between threads as it is. */
export interface DriverFacts {
  readonly name: string;
  /** Joint names in the order of every vector below. */
  readonly jointNames: readonly string[];
  /** Names of `RobotState.signals`, in order. */
  readonly signalNames: readonly string[];
  /**
   * Nothing real moves and no person can be hurt: a program may resume by itself after a stop that is not category 1.
   * Absent: the robot is real, or treated as such.
   */
  readonly isSimulated?: boolean | undefined;
  /**
   * `torque(0)` does not switch torque off: a third-party controller keeps holding the robot, and the guard omits the
   * torque ramp, which would only keep commanding the last target. Absent: the driver switches torque off.
   */
  readonly keepsTorque?: boolean | undefined;
  /** `torque` accepts ratios between 0 and 1. Absent: it is called with 0 and 1 only, and the robot holds at full torque until 0. */
  readonly limitsTorque?: boolean | undefined;
  /** False: `RobotState.torqueNm` is not measured, and no torque observer runs. Absent: measured, NaN for missing values. */
  readonly measuresTorque?: boolean | undefined;
  /** `report.meanWrench` is measured. Absent: `RobotState.wrench` is the only wrench measurement. */
  readonly measuresMeanWrench?: boolean | undefined;
  /** `report.distance` is measured. Absent: no sensor measures the distance of people. */
  readonly measuresDistance?: boolean | undefined;
  /** `report.busCounters` is counted. Absent: the driver has no bus with counters. */
  readonly countsBus?: boolean | undefined;
  /** [n] torque cap of each joint as set by the driver, N·m, where it may be below `torqueMaxNm` of the robot file. */
  readonly torqueCapNm?: readonly number[] | undefined;
  /** Names of joints without position sensor, whose readings repeat the reference. Absent: none. */
  readonly unmeasuredJoints?: readonly string[] | undefined;
  /**
   * Bus on which the guardian stops this robot when the guard no longer can. Absent if there is no directly driven bus:
   * a simulator, a robot behind ROS 2. If present, torque is not switched on without a guardian.
   */
  readonly bus?: DriverBus | undefined;
}

/**
 * Status of the driver beside its readings, as of the last `read` or a later `service`. One object for the driver's
 * life, made by `createDriverReport`; written by the driver only, on the tick path, without allocation.
 */
export interface DriverReport {
  /** Bits of `HARDWARE`: faults reported by the hardware. */
  hardwareFaults: number;
  /** The emergency stop is pressed. Always false for a robot without a button that software can read. */
  isEmergencyStopPressed: boolean;
  /**
   * Joint motion is unverified since power-up: directions, zeros and wraps may differ from the robot file. The guard
   * first moves each measured joint at 5 % of its speed as a check, then calls the service `passFirstMotion`, which
   * clears this.
   */
  needsFirstMotion: boolean;
  /** Bus counters in the order of `BUS_COUNTERS`, updated by `write` too. NaN if not counted. */
  readonly busCounters: Float64Array;
  /**
   * [2] distance of the nearest person or obstacle that the arm must not reach, m (Infinity: none in range; NaN:
   * unknown), and count of measurements, incremented with each new reading.
   */
  readonly distance: Float64Array;
  /**
   * [6] mean contact wrench on the tool over the period that ended with the last `read`: force (N), torque (N·m), base
   * frame, about the TCP, without the tool's own weight and inertia, unfiltered, same period as `RobotState.torqueNm`.
   * NaN if not measured.
   */
  readonly meanWrench: Float64Array;
}

/** Creates the report of a healthy driver that counts and measures nothing beside its joints; `known` overrides fields. */
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
 * - `recover`: the operator has seen that the robot was lost, or that a servo reports a fault. Reopens what is gone,
 *   e.g. an adapter that was unplugged, and clears latched faults; remaining faults become notices. Between ticks,
 *   without torque; some seconds.
 * - `passFirstMotion`: every joint was seen to move; clears `needsFirstMotion` of the report. Tick path.
 * - `endCommands`: a stop that ends without torque has braked the reference to rest. The last command must be the only
 *   one in effect until the robot is measured at rest and gets `torque(0)`; after `done` nothing is written. For
 *   drivers with `keepsTorque` whose robot keeps standing by itself. Tick path.
 */
export type DriverService = 'prepare' | 'recover' | 'passFirstMotion' | 'endCommands';

/**
 * `nothing`: there was nothing to do, and nothing has changed. A refusal is a sentence, and returned by `prepare` only.
 */
export type ServiceAnswer = 'done' | 'nothing' | { readonly refusal: string };

export interface Driver {
  readonly report: DriverReport;
  /** Scene that software can reset, as in simulation; absent on real robots. One object for the driver's life. */
  readonly scene?: Scene | undefined;
  /**
   * Opens ports and checks that the connected hardware matches the configuration. Throws `ReinError`. Never moves.
   * After `close` it may be called again, and returns the same facts.
   */
  open(): Promise<DriverFacts>;
  /** Measures into `out` and updates `report`. Tick path: no allocation, no throw. In simulation, first advances by one control period. */
  read(out: RobotState): DriverStatus;
  /**
   * Sends one reference, rad. Tick path. Returns `rejected` and sends nothing if a value is not finite or outside the
   * encoder range: the last gate before the bus.
   */
  write(referenceRad: Vec<'rad'>): DriverStatus;
  /**
   * Sets the torque ratio. Tick path. 1: torque on, holding the measured pose, without an earlier limit; if a joint
   * cannot be switched on, none is, and `write` returns `lost`. 0: torque off; with `keepsTorque`, no more commands.
   * Between (with `limitsTorque`, torque on): each joint gives at most this share of its torque until 1; used in
   * falling steps to lower an arm that drops without torque.
   */
  torque(ratio: number): void;
  service(request: DriverService): ServiceAnswer;
  /** Returns the next message about the hardware, each once; `undefined` if there is none. Between ticks; may allocate. */
  takeNotice(): GuardNotice | undefined;
  /** Leaves the robot standing (torque according to its exit policy) and releases all resources. Idempotent. */
  close(): Promise<void>;
}

/** Bus that the guardian opens beside the driver, and the frames it writes there to stop the robot. Plain data. */
export interface DriverBus {
  /**
   * Path that can be opened for writing a second time while the driver has it open: a serial port (serialport's lock is
   * advisory, `flock`: it excludes only processes that request it too), a pty, a named pipe. Line settings stay as the
   * driver made them.
   */
  readonly path: string;
  /**
   * Complete frames, written in this order, at once, 3 times: torque off, or neutral (category 0). They stop the robot
   * whatever was sent before them, a truncated frame included, and do no harm repeated or late. Together 1 to 4096
   * bytes, so that they are written in one piece.
   */
  readonly stopFrames: readonly Uint8Array[];
}

/** Surroundings that software can arrange: those of a simulator. */
export interface Scene {
  /** Places robot and objects as the task requests; the same numbers give the same scene. Torque is unchanged. Throws `ReinError`. */
  reset(layout: SceneLayout): void;
  /** Writes position (xyz, m) and orientation (wxyz) of every drawn geom to `out`, 7 numbers each. For pictures. */
  geomPoses(out: Float64Array): void;
  readonly geoms: readonly GeomShape[];
}
