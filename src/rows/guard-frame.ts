/** Data exchanged between guard and node. `src/guard/link` carries it in memory or over a socket. */
import { counter, doubles, inside, number, type RowOf, word } from './fields.ts';
import { BUS_COUNTERS } from './hardware.ts';
import { ROBOT_STATE } from './robot-state.ts';

/** States of the guard (`src/safety/safety-state.ts`). The index is the wire code: never reorder, only append. */
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

/** True if motion commands are followed. */
export function isActive(state: SafetyStateName): boolean {
  return state === 'active.policy' || state === 'active.human';
}

/** Sources of motion commands. The index is the wire code: only append. */
/** `script`: a program other than a policy, such as a scripted operator or a rewind; it has the limits of a policy. */
export const DECIDERS = ['hold', 'policy', 'human', 'script'] as const;
export type Decider = (typeof DECIDERS)[number];

/** Version of these tables on the link between node and guard: increment it with every change of one, and regenerate its golden bytes. */
export const LINK_VERSION = 6;

/** The fields of a command, in the order of the guard's link. */
export const COMMAND = {
  /** Increments with every command over a node's lifetime. */
  seq: number(-1),
  decider: word(DECIDERS),
  /** Decision time, s of the machine's monotonic clock (or of the lock-step clock). */
  issuedAtS: number(),
  leaseS: number(),
  policyVersion: number(),
  /** See `Policy.run`: weights with different run numbers belong to different runs, whatever their versions. */
  policyRun: number(),
  /** [A] normalised, [−1, 1]. */
  action: doubles('actions'),
};

/** One action for one policy step, latest wins; valid for `leaseS` from `issuedAtS`. */
export interface ActionCommand extends RowOf<typeof COMMAND> {}

const { measuredAtS, signals, ...measured } = inside('robot', ROBOT_STATE);

/** Fields of a frame, in the order of the guard's link: scalars, then arrays. `src/rows/telemetry.ts` omits some of them for pages. */
export const FRAME = {
  /** Number of this tick; −1 before the first. */
  tick: number(-1),
  state: word(SAFETY_STATES),
  decider: word(DECIDERS),
  /** `seq` of the command being executed; −1 for none. */
  commandSeq: number(-1),
  /** Bits of the safety stages that changed the command in this tick. */
  filterBits: number(),
  /** Total since the guard started. */
  ticks: counter(),
  changedTicks: counter(),
  /** Ticks in which an independent check found a limit violated. */
  violations: counter(),
  /** Ticks that began later than one period after their deadline. */
  overruns: counter(),
  measuredAtS,
  /** Bits of the faults that are present or not yet acknowledged (`src/safety/faults.ts`); 0: healthy. */
  faultFlags: number(),
  /** Smallest of all normalised margins of the reference: 1 in the middle of a range, 0 at a limit. */
  marginMin: number(),
  /** Smallest monitored distance of the reference, m: points to walls, shapes to boxes and to each other. */
  clearanceM: number(),
  /** Content of the energy tank, J, and as a fraction of its capacity; both 0 without a tank. */
  tankEnergyJ: number(),
  tankLevel: number(),
  /** Fraction of the requested motion that the tank paid for in this tick; 1 if it did not limit it. */
  tankScale: number(1),
  /** Energy injected into the robot by set-point changes since the guard started, J; extracted energy is not deducted. */
  tankInjectedJ: counter(),
  /** Joint whose torque is nearest its limit (`torqueObserver`), and its residual, N·m (row 54); kept without torque; at first −1, 0. */
  residualJoint: number(-1),
  residualNm: number(),
  /** The driver's own stamp of that reading, s of the driver's clock; NaN before the first. The guard's read time: `robot.measuredAtS`. */
  stampS: number(Number.NaN),
  /** Lateness of this tick, s; 0 in lock-step. If a link has dropped frames since the last one, the largest among them. */
  tickLateS: number(),
  /** Duration for which the newest command was issued, and the remainder at this tick, s; both 0 without a command. */
  leaseS: number(),
  leaseLeftS: number(),
  /** Driver readings since the guard started: new ones, ticks with a late or repeated reading, and ticks with a lost reading. */
  readings: counter(),
  lateReadings: counter(),
  lostReadings: counter(),
  /** References rejected by the driver. */
  refusedWrites: counter(),
  /** Speed limit of the monitored points in this tick, m/s; Infinity if only the joints' own velocity limits apply. */
  toolSpeedMPerS: number(Number.POSITIVE_INFINITY),
  /** [stages] ticks since the guard started in which each stage of the safety chain changed the command, in chain order. */
  stageTicks: doubles('stages'),
  /** [stages] normalised margin of each stage to its limit in this tick: 1 far away, 0 at the limit. */
  stageMargins: doubles('stages', 1),
  ...measured,
  /** [6] the driver's `meanWrench` of that reading (N, N·m, base frame); NaN if the driver has none. */
  meanWrench: doubles(6, Number.NaN),
  signals,
  /** [n] commanded joint positions. */
  referenceRad: doubles('joints'),
  /** [7] tool pose of the reference: x, y, z (m), quaternion w, x, y, z; base frame. */
  referenceTcp: doubles(7),
  /** [7] measured tool pose. */
  measuredTcp: doubles(7),
  /**
   * [A] reference minus the target of the newest action, in action units: 0 once it has arrived, all zeros while no command
   * is followed.
   */
  shortfall: doubles('actions'),
  /** The driver's `busCounters` after this tick, in the order of `BUS_COUNTERS`; all NaN without a counting bus. */
  busCounters: doubles(BUS_COUNTERS.length, Number.NaN),
};

/** Published by the guard every tick. All arrays are reused: copy them to keep them. */
export interface GuardFrame extends RowOf<typeof FRAME> {}

/** A request other than motion. Answered once. */
export type GuardRequest =
  | { readonly kind: 'enable' }
  | { readonly kind: 'activate' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'disable' }
  /** The operator lets programs activate until the robot next stops for a reason other than the end of an episode. */
  | { readonly kind: 'permit' }
  | { readonly kind: 'resetScene'; readonly layout: SceneLayout };

export type GuardAnswer =
  | { readonly ok: true }
  /**
   * `needs`: the request may be granted if the operator makes it, once a tick has a trusted joint reading, or in another
   * guard state. Absent: `reason` has to be fixed first.
   */
  | { readonly ok: false; readonly reason: string; readonly needs?: (typeof ANSWER_NEEDS)[number] };

export const ANSWER_NEEDS = ['person', 'reading', 'state'] as const;

/** An event of the robot's connection for the operator, beyond the state of each tick. */
export interface GuardNotice {
  readonly level: 'info' | 'warn' | 'error';
  /** Row in the fault table; 0 if none. */
  readonly row: number;
  readonly message: string;
  /** What to do about it; may be empty. */
  readonly remedy: string;
  /**
   * Name of a lasting condition, e.g. `bridge`: it holds until a notice of the same name reports its end; a suffix after a
   * slash names a part, which ends with the whole. Absent: a one-off event.
   */
  readonly condition?: string;
  /** The condition has ended. Default false. */
  readonly isOver?: boolean;
}

/** Initial state of one episode, if software can arrange the scene (simulation). */
export interface SceneLayout {
  readonly jointsRad: readonly number[];
  /** Poses of movable objects by name: x, y, z (m), yaw (rad), base frame. */
  readonly objects: Readonly<Record<string, readonly [number, number, number, number]>>;
  /** Values of signals that are not measured, e.g. a hole estimate. */
  readonly signals: Readonly<Record<string, number>>;
}

/** A shape to draw: half-sizes as MuJoCo defines them for its type, m. */
export interface GeomShape {
  readonly type: 'box' | 'capsule' | 'cylinder' | 'sphere' | 'plane' | 'mesh';
  readonly sizeM: readonly [number, number, number];
  readonly rgba: readonly [number, number, number, number];
  readonly name: string;
}
