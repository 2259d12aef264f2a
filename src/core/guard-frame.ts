/** What guard and node send each other, as plain data. `src/guard/link` carries it in memory or over a socket. */
import { BUS_COUNTERS } from './hardware.ts';
import { createRobotState, MEASURED, type RobotState } from './robot-state.ts';

/** States of the guard (`src/safety/safety-state.ts`). The order is the wire's code: never reorder, only append. */
export const SAFETY_STATES = [
  'disconnected',
  'standby',
  'ready',
  'active.policy',
  'active.human',
  'stopping',
  'stopped',
  'fault',
] as const;
export type SafetyStateName = (typeof SAFETY_STATES)[number];

/** Whether somebody's commands are followed. */
export function isActive(state: SafetyStateName): boolean {
  return state === 'active.policy' || state === 'active.human';
}

/** Who asks for motion. The order is the wire's code. */
/** `script`: a program that is no policy, such as a scripted operator or a rewind: it moves what a policy may move, and no more. On the wire: only add. */
export const DECIDERS = ['hold', 'policy', 'human', 'script'] as const;
export type Decider = (typeof DECIDERS)[number];

/** One action for one policy step, newest wins; it is valid for `leaseS` from `issuedAtS`. */
export interface ActionCommand {
  /** Rises by one per command of a node's life. */
  seq: number;
  decider: Decider;
  /** Seconds of the machine's monotonic clock (or the lock-step clock) when it was decided. */
  issuedAtS: number;
  leaseS: number;
  policyVersion: number;
  /** See `Policy.run`: weights of two numbers are of two runs, whatever their versions. */
  policyRun: number;
  /** [A] normalised, [−1, 1]. */
  readonly action: Float64Array;
}

/** What the guard publishes every tick. All arrays are reused: copy what you keep. */
export interface GuardFrame {
  tick: number;
  state: SafetyStateName;
  decider: Decider;
  readonly robot: RobotState;
  /** The driver's own stamp of that reading, s on the driver's clock; NaN before the first. `robot.measuredAtS`: when the guard read it. */
  stampS: number;
  /** [6] the driver's `meanWrench` of that reading (N, N·m, base frame); NaN where it gives none. */
  readonly meanWrench: Float64Array;
  /** [n] what the joints were asked to reach. */
  readonly referenceRad: Float64Array;
  /** [7] tool point of the reference: x, y, z (m), quaternion w, x, y, z; base frame. */
  readonly referenceTcp: Float64Array;
  /** [7] tool point of the measurement. */
  readonly measuredTcp: Float64Array;
  /**
   * [A] where the reference is, less where the newest action wanted it, in action units: 0 once it has arrived, all
   * zeros while no command is followed.
   */
  readonly shortfall: Float64Array;
  /** `seq` of the command being executed; −1 for none. */
  commandSeq: number;
  /** Bits of the safety stages that changed this tick's command. */
  filterBits: number;
  /** [stages] ticks since the guard started in which each stage of the safety chain changed the command, in their order. */
  readonly stageTicks: Float64Array;
  /** [stages] room that each stage left in this tick to what it guards, as a share: 1 is far away, 0 at the limit. */
  readonly stageMargins: Float64Array;
  /** The smallest of all margins of the reference, as a share: 1 in the middle, 0 at a limit. */
  marginMin: number;
  /** Smallest monitored distance of the reference: points to walls, shapes to boxes and to each other, m. */
  clearanceM: number;
  /** No monitored point of the reference is let go faster in this tick, m/s; Infinity where the joints' own speeds alone limit them. */
  toolSpeedMPerS: number;
  /** Content of the energy tank, J, and as a share of what it holds; both 0 without a tank. */
  tankEnergyJ: number;
  tankLevel: number;
  /** Share of the wanted motion that the tank paid for in this tick; 1 where it did not act. */
  tankScale: number;
  /** Energy that changes of the set-point put into the robot since the guard started, J; what they took out is not deducted. */
  tankInjectedJ: number;
  /** The joint whose torque is nearest its limit of `torqueObserver`, and its residual, N·m (row 54); the last ones while it has no torque, −1 and 0 before. */
  residualJoint: number;
  residualNm: number;
  /** Bits of the faults that are present or not acknowledged yet (`src/safety/faults.ts`); 0 is healthy. */
  faultFlags: number;
  /** Counters since the guard started. */
  ticks: number;
  changedTicks: number;
  /** Ticks in which an independent check found a limit broken. */
  violations: number;
  /** Ticks that began later than one period after their deadline. */
  overruns: number;
  /** How long after its deadline this tick began, s; 0 in lock-step. Of ticks that a link has left out since, the latest. */
  tickLateS: number;
  /** How long the newest command was issued for, and how much of that is left in this tick, s; both 0 while there is none. */
  leaseS: number;
  leaseLeftS: number;
  /** What the driver has said since the guard started: new readings, ticks in which one was late or the old one again, or was lost. */
  readings: number;
  lateReadings: number;
  lostReadings: number;
  /** References that the driver did not take. */
  refusedWrites: number;
  /** The driver's `busCounters` after this tick, in the order of `BUS_COUNTERS`; all NaN where no bus counts. */
  readonly busCounters: Float64Array;
}

const POSE_NUMBERS = 7;
const WRENCH_NUMBERS = 6;

/** A frame with all arrays allocated; `tick` is −1. `stages`: of the safety chain. */
export function emptyFrame(joints: number, signals: number, actions: number, stages: number): GuardFrame {
  return {
    tick: -1,
    state: 'disconnected',
    decider: 'hold',
    robot: createRobotState(joints, signals),
    stampS: Number.NaN,
    meanWrench: new Float64Array(WRENCH_NUMBERS).fill(Number.NaN),
    referenceRad: new Float64Array(joints),
    referenceTcp: new Float64Array(POSE_NUMBERS),
    measuredTcp: new Float64Array(POSE_NUMBERS),
    shortfall: new Float64Array(actions),
    commandSeq: -1,
    filterBits: 0,
    stageTicks: new Float64Array(stages),
    stageMargins: new Float64Array(stages).fill(1),
    marginMin: 0,
    clearanceM: 0,
    toolSpeedMPerS: Number.POSITIVE_INFINITY,
    tankEnergyJ: 0,
    tankLevel: 0,
    tankScale: 1,
    tankInjectedJ: 0,
    residualJoint: -1,
    residualNm: 0,
    faultFlags: 0,
    ticks: 0,
    changedTicks: 0,
    violations: 0,
    overruns: 0,
    tickLateS: 0,
    leaseS: 0,
    leaseLeftS: 0,
    readings: 0,
    lateReadings: 0,
    lostReadings: 0,
    refusedWrites: 0,
    busCounters: new Float64Array(BUS_COUNTERS.length).fill(Number.NaN),
  };
}

/** The arrays of a frame in the order in which the guard's link carries them. */
export const FRAME_ARRAYS: readonly ((frame: GuardFrame) => Float64Array)[] = [
  (frame) => frame.stageTicks,
  (frame) => frame.stageMargins,
  ...MEASURED.map((key) => (frame: GuardFrame) => frame.robot[key]),
  (frame) => frame.meanWrench,
  (frame) => frame.robot.signals,
  (frame) => frame.referenceRad,
  (frame) => frame.referenceTcp,
  (frame) => frame.measuredTcp,
  (frame) => frame.shortfall,
  (frame) => frame.busCounters,
];

/** A request that is not motion. Answered once. */
export type GuardRequest =
  | { readonly kind: 'enable' }
  | { readonly kind: 'activate' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'disable' }
  /** A person lets programs activate until the robot next stands for another reason than an episode's end. */
  | { readonly kind: 'permit' }
  | { readonly kind: 'resetScene'; readonly layout: SceneLayout };

export type GuardAnswer =
  | { readonly ok: true }
  /**
   * `needs`: it may be granted when a person asks for it, once a tick has a reading of the joints that is believed, or in another
   * state of the guard. Absent: `reason` has to be mended first.
   */
  | { readonly ok: false; readonly reason: string; readonly needs?: (typeof ANSWER_NEEDS)[number] };

export const ANSWER_NEEDS = ['person', 'reading', 'state'] as const;

/** Something about the robot's connection that people should know, beyond the state of each tick. */
export interface GuardNotice {
  readonly level: 'info' | 'warn' | 'error';
  /** Row in the fault table; 0 for none. */
  readonly row: number;
  readonly message: string;
  /** What to do about it; may be empty. */
  readonly remedy: string;
  /**
   * Names what lasts until a notice of the same name says that it is over, e.g. `bridge`; what follows a slash is a part
   * of it, and goes with it. Without a name it is news of the moment.
   */
  readonly condition?: string;
  /** The condition is over. Default false. */
  readonly isOver?: boolean;
}

/** What one episode starts from, where software can arrange the surroundings (simulation). */
export interface SceneLayout {
  readonly jointsRad: readonly number[];
  /** Poses of movable objects by name: x, y, z (m), yaw (rad), base frame. */
  readonly objects: Readonly<Record<string, readonly [number, number, number, number]>>;
  /** Values for signals that are not measured, e.g. a hole estimate. */
  readonly signals: Readonly<Record<string, number>>;
}
