/**
 * Protocol between the guard and the ROS processes (bridge, stopper): message kinds, start-up configuration, and per
 * tick measurements and commands as rows of doubles. All times are seconds of the machine's monotonic clock.
 */
import type { RobotModel } from '../../model/index.ts';
import type { SceneLayout } from '../../rows/index.ts';
import { commandSize, type RosDriverOptions } from './options.ts';

/** Guard to bridge: `command`, `request`. Guard to stopper: `pulse`. To the guard: the others. JSON, except rows of numbers. */
export const ROS_MESSAGE = {
  command: 32,
  pulse: 33,
  request: 34,
  ready: 35,
  state: 36,
  answer: 37,
  notice: 38,
  failed: 39,
  /** The stopper has begun a stop. */
  acted: 40,
} as const;

/** File descriptor on which a process writes to the guard. */
export const TO_GUARD_FD = 3;

/** Names of lasting conditions for programs: the bridge is not running, and conditions that it reports. */
export const ROS_CONDITION = { bridge: 'bridge', simulated: 'bridge/simulated' } as const;

/** Name prefix of the folder of a guard's pipes in the system's temporary directory. */
export const ROS_FOLDER_PREFIX = 'rein-ros-';

/** Contents of a JSON file written by the guard; its path is the first argument of the process, the generation the second. */
export interface RosProcessConfig {
  readonly model: RobotModel;
  readonly options: RosDriverOptions;
  /** `--ros-args …` for both processes: namespace and remaps, but no node name. */
  readonly rosArguments: readonly string[];
  /** Path from which the process reads what the guard's tick writes. */
  readonly inbox: string;
}

/** Indices of the header of a measurement row. */
export const STATE = {
  /** Bridge instance that sent the row: incremented with each start. */
  generation: 0,
  sentAtS: 1,
  /** Arrival time of the newest measurement of all joints; 0: never. */
  measuredAtS: 2,
  /** Number of measurements of all joints so far. */
  measurements: 3,
  /** Arrival time of the newest wrench; 0: never. */
  wrenchAtS: 4,
  /** `seq` of the newest stop that was begun; 0: none. */
  stoppedSeq: 5,
  /** Time until which the signals are fresh; 0: none received, or all are events. */
  signalsValidUntilS: 6,
  /** 1: the measurements, or the active controllers, do not permit commands. */
  unfit: 7,
  /** Arrival time of the newest distance of people, s; 0: never. */
  distanceAtS: 8,
  scalars: 9,
} as const;

/** Indices of the header of a command row. */
export const COMMAND = {
  /** Bridge instance that the command is meant for: others ignore it. */
  generation: 0,
  seq: 1,
  issuedAtS: 2,
  /** One of `COMMAND_KIND`. */
  kind: 3,
  scalars: 4,
} as const;
/** `drive`: publish. `stop`: zero or hold, then deactivate if configured; later commands are ignored until the next `prepare`. */
export const COMMAND_KIND = { drive: 1, stop: 2 } as const;

/** Indices of the pulse, sent to the stopper every tick. */
export const PULSE = {
  seq: 0,
  sentAtS: 1,
  /** One of `PULSE_KIND`. */
  kind: 2,
  /** Longest permitted silence after this pulse, s. */
  validForS: 3,
  /** `ackermann`: steering angle kept by a stop, rad. */
  steeringRad: 4,
  /** Time of the last scene reset of a simulated robot, s; 0: never. */
  sceneResetAtS: 5,
  numbers: 6,
} as const;
/** `idle`: nothing to stop. `armed`: stop if no further pulse arrives. `act`: stop now. */
export const PULSE_KIND = { idle: 0, armed: 1, act: 2 } as const;

export function stateNumbers(options: RosDriverOptions): number {
  return STATE.scalars + 3 * options.jointNames.length + 6 + options.signals.length;
}

export function commandNumbers(options: RosDriverOptions): number {
  return COMMAND.scalars + commandSize(options.command.interface, options.jointNames.length);
}

/** Start index of each part of a measurement row. */
export interface StateLayout {
  readonly positionRad: number;
  readonly velocityRadPerS: number;
  readonly torqueNm: number;
  readonly wrench: number;
  readonly signals: number;
  readonly end: number;
}

export function stateLayout(joints: number, signals: number): StateLayout {
  const positionRad = STATE.scalars;
  const velocityRadPerS = positionRad + joints;
  const torqueNm = velocityRadPerS + joints;
  const wrench = torqueNm + joints;
  return { positionRad, velocityRadPerS, torqueNm, wrench, signals: wrench + 6, end: wrench + 6 + signals };
}

/** Request that takes longer than a tick. Answered once; sent only while nothing moves. */
export type RosRequest =
  /** Checks that everything needed for motion is present. Activates controllers if the robot file says so. */
  { readonly kind: 'prepare' } | { readonly kind: 'resetScene'; readonly layout: SceneLayout };

/** `reason` is shown to the operator. */
export type RosAnswer = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Driver's end of the pipes to the ROS processes. Created by the guard; tests use a fake. */
export interface RosLink {
  /** Starts the processes and resolves once they are ready, or rejects with `ReinError('driver', …)`. */
  open(): Promise<void>;
  /** Returns the instance number of the running bridge; −1 if none runs. Tick-safe. */
  generation(): number;
  /** Returns true if the stopper is running and listening. Tick-safe. */
  isStopperReady(): boolean;
  /** Returns the number of times that the stopper has stopped the robot so far. Tick-safe. */
  stopsPast(): number;
  /** Copies the newest measurements into `row`; returns false if none arrived since the last call. Tick-safe. */
  takeState(row: Float64Array): boolean;
  /** Sends a command to the bridge; returns false if the bridge does not read. Never waits. Tick-safe. */
  send(row: Float64Array): boolean;
  /** Sends a pulse to the stopper. Never waits. Tick-safe. */
  pulse(row: Float64Array): boolean;
  /** Sends a request to the bridge and waits for its answer, at most `timeoutMs`. Not for the tick. */
  ask(request: RosRequest, timeoutMs: number): RosAnswer;
  close(): Promise<void>;
}
