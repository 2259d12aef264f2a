/**
 * What the guard and the processes that speak ROS send each other: kinds of messages, what those are started with, and measurements and
 * commands, at every tick, as rows of doubles. All times are seconds of the machine's monotonic clock.
 */
import type { RobotModel, SceneLayout } from '../../core/index.ts';
import { commandSize, type RosDriverOptions } from './options.ts';

/** Guard to bridge: `command`, `request`. Guard to stopper: `pulse`. Back: the others. Numbers apart, they are JSON. */
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

/** The file descriptor on which a process writes to the guard. */
export const TO_GUARD_FD = 3;

/** Lasting conditions that programs know by their names: the process that speaks ROS is away, and what it has found. */
export const ROS_CONDITION = { bridge: 'bridge', simulated: 'bridge/simulated' } as const;

/** How the folder is called, in the system's for temporary files, that holds a guard's pipes. */
export const ROS_FOLDER_PREFIX = 'rein-ros-';

/** In a JSON file that the guard writes; its path is the first argument, the life's number the second. */
export interface RosProcessConfig {
  readonly model: RobotModel;
  readonly options: RosDriverOptions;
  /** `--ros-args …` for both: namespace, remaps; no name of a node. */
  readonly rosArguments: readonly string[];
  /** Where the process reads what the guard's tick writes. */
  readonly inbox: string;
}

/** Numbers at the beginning of a row of measurements. */
export const STATE = {
  /** Which life of the bridge sent it: rises by one each time it is started. */
  generation: 0,
  sentAtS: 1,
  /** When the newest measurement of all joints arrived; 0: never. */
  measuredAtS: 2,
  /** Measurements of all joints so far. */
  measurements: 3,
  /** When the newest wrench arrived; 0: never. */
  wrenchAtS: 4,
  /** `seq` of the newest stop that was begun; 0 for none. */
  stoppedSeq: 5,
  /** Until when the signals count as new; 0: none has come, or all are events. */
  signalsValidUntilS: 6,
  /** 1: what is measured, or who has the controllers, does not allow that the robot is commanded. */
  unfit: 7,
  /** When the distance of people came last, s; 0: never. */
  distanceAtS: 8,
  scalars: 9,
} as const;

/** Numbers at the beginning of a command. */
export const COMMAND = {
  /** The life of the bridge that it is meant for: others ignore it. */
  generation: 0,
  seq: 1,
  issuedAtS: 2,
  /** One of `COMMAND_KIND`. */
  kind: 3,
  scalars: 4,
} as const;
/** `drive`: publish. `stop`: zero or hold, then deactivate where asked; what follows is ignored until the next `prepare`. */
export const COMMAND_KIND = { drive: 1, stop: 2 } as const;

/** What the process that can only stop hears every tick. */
export const PULSE = {
  seq: 0,
  sentAtS: 1,
  /** One of `PULSE_KIND`. */
  kind: 2,
  /** How long the silence after it may last, s. */
  validForS: 3,
  /** `ackermann`: the steering angle that a stop keeps, rad. */
  steeringRad: 4,
  /** When a simulated robot's scene was put back last, s; 0: never. */
  sceneResetAtS: 5,
  numbers: 6,
} as const;
/** `idle`: nothing to stop. `armed`: stop when this is the last that is heard. `act`: stop now. */
export const PULSE_KIND = { idle: 0, armed: 1, act: 2 } as const;

export function stateNumbers(options: RosDriverOptions): number {
  return STATE.scalars + 3 * options.jointNames.length + 6 + options.signals.length;
}

export function commandNumbers(options: RosDriverOptions): number {
  return COMMAND.scalars + commandSize(options.command.interface, options.jointNames.length);
}

/** Where each part of a row of measurements begins. */
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

/** What takes longer than a tick. Answered once, and only asked while nothing moves. */
export type RosRequest =
  /** Is everything there that motion needs? Activates controllers where the robot's file says so. */
  { readonly kind: 'prepare' } | { readonly kind: 'resetScene'; readonly layout: SceneLayout };

/** `reason` is a message for people. */
export type RosAnswer = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** The driver's end of the pipes to the processes that speak ROS. The guard makes it; tests make a fake. */
export interface RosLink {
  /** Starts the processes and resolves when they are there, or rejects with `ReinError('driver', …)`. */
  open(): Promise<void>;
  /** The life of the bridge that runs now; −1 while none does. Tick-safe. */
  generation(): number;
  /** The process that can only stop is there and listens. Tick-safe. */
  isStopperReady(): boolean;
  /** How often that process has stopped the robot so far. Tick-safe. */
  stopsPast(): number;
  /** Copies the newest measurements into `row`; false when nothing came since the last call. Tick-safe. */
  takeState(row: Float64Array): boolean;
  /** Hands a command to the bridge; false when it does not read. Never waits. Tick-safe. */
  send(row: Float64Array): boolean;
  /** Reports the state to the process that can only stop. Never waits. Tick-safe. */
  pulse(row: Float64Array): boolean;
  /** Asks the bridge and waits for its answer, at most `timeoutMs`. Not for the tick. */
  ask(request: RosRequest, timeoutMs: number): RosAnswer;
  close(): Promise<void>;
}
