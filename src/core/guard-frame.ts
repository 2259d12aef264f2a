/** What guard and node send each other, as plain data. `src/guard/link` carries it in memory or over a socket. */
import { counter, doubles, inside, number, type RowOf, word } from '../rows/index.ts';
import { BUS_COUNTERS } from './hardware.ts';
import { ROBOT_STATE } from './robot-state.ts';

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

/** Of these tables on the link between node and guard: raise it with every change of one, and write its golden bytes anew. */
export const LINK_VERSION = 6;

/** The fields of a command, in the order of the guard's link. */
export const COMMAND = {
  /** Rises by one per command of a node's life. */
  seq: number(-1),
  decider: word(DECIDERS),
  /** Seconds of the machine's monotonic clock (or the lock-step clock) when it was decided. */
  issuedAtS: number(),
  leaseS: number(),
  policyVersion: number(),
  /** See `Policy.run`: weights of two numbers are of two runs, whatever their versions. */
  policyRun: number(),
  /** [A] normalised, [−1, 1]. */
  action: doubles('actions'),
};

/** One action for one policy step, newest wins; it is valid for `leaseS` from `issuedAtS`. */
export interface ActionCommand extends RowOf<typeof COMMAND> {}

const { measuredAtS, signals, ...measured } = inside('robot', ROBOT_STATE);

/** The fields of a frame, in the order of the guard's link: scalars, then arrays. A page shows those that `src/core/telemetry.ts` does not leave out. */
export const FRAME = {
  /** Of this frame; −1 before the first. */
  tick: number(-1),
  state: word(SAFETY_STATES),
  decider: word(DECIDERS),
  /** `seq` of the command being executed; −1 for none. */
  commandSeq: number(-1),
  /** Bits of the safety stages that changed this tick's command. */
  filterBits: number(),
  /** Counted since the guard started. */
  ticks: counter(),
  changedTicks: counter(),
  /** Ticks in which an independent check found a limit broken. */
  violations: counter(),
  /** Ticks that began later than one period after their deadline. */
  overruns: counter(),
  measuredAtS,
  /** Bits of the faults that are present or not acknowledged yet (`src/safety/faults.ts`); 0 is healthy. */
  faultFlags: number(),
  /** The smallest of all margins of the reference, as a share: 1 in the middle, 0 at a limit. */
  marginMin: number(),
  /** Smallest monitored distance of the reference: points to walls, shapes to boxes and to each other, m. */
  clearanceM: number(),
  /** Content of the energy tank, J, and as a share of what it holds; both 0 without a tank. */
  tankEnergyJ: number(),
  tankLevel: number(),
  /** Share of the wanted motion that the tank paid for in this tick; 1 where it did not act. */
  tankScale: number(1),
  /** Energy that changes of the set-point put into the robot since the guard started, J; what they took out is not deducted. */
  tankInjectedJ: counter(),
  /** The joint whose torque is nearest its limit of `torqueObserver`, and its residual, N·m (row 54); the last ones while it has no torque, −1 and 0 before. */
  residualJoint: number(-1),
  residualNm: number(),
  /** The driver's own stamp of that reading, s on the driver's clock; NaN before the first. `robot.measuredAtS`: when the guard read it. */
  stampS: number(Number.NaN),
  /** How long after its deadline this tick began, s; 0 in lock-step. Of ticks that a link has left out since, the latest. */
  tickLateS: number(),
  /** How long the newest command was issued for, and how much of that is left in this tick, s; both 0 while there is none. */
  leaseS: number(),
  leaseLeftS: number(),
  /** What the driver has said since the guard started: new readings, ticks in which one was late or the old one again, or was lost. */
  readings: counter(),
  lateReadings: counter(),
  lostReadings: counter(),
  /** References that the driver did not take. */
  refusedWrites: counter(),
  /** No monitored point of the reference is let go faster in this tick, m/s; Infinity where the joints' own speeds alone limit them. */
  toolSpeedMPerS: number(Number.POSITIVE_INFINITY),
  /** [stages] ticks since the guard started in which each stage of the safety chain changed the command, in their order. */
  stageTicks: doubles('stages'),
  /** [stages] room that each stage left in this tick to what it guards, as a share: 1 is far away, 0 at the limit. */
  stageMargins: doubles('stages', 1),
  ...measured,
  /** [6] the driver's `meanWrench` of that reading (N, N·m, base frame); NaN where it gives none. */
  meanWrench: doubles(6, Number.NaN),
  signals,
  /** [n] what the joints were asked to reach. */
  referenceRad: doubles('joints'),
  /** [7] tool point of the reference: x, y, z (m), quaternion w, x, y, z; base frame. */
  referenceTcp: doubles(7),
  /** [7] tool point of the measurement. */
  measuredTcp: doubles(7),
  /**
   * [A] where the reference is, less where the newest action wanted it, in action units: 0 once it has arrived, all
   * zeros while no command is followed.
   */
  shortfall: doubles('actions'),
  /** The driver's `busCounters` after this tick, in the order of `BUS_COUNTERS`; all NaN where no bus counts. */
  busCounters: doubles(BUS_COUNTERS.length, Number.NaN),
};

/** What the guard publishes every tick. All arrays are reused: copy what you keep. */
export interface GuardFrame extends RowOf<typeof FRAME> {}

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

/** A shape to draw: half-sizes as MuJoCo defines them for its type, m. */
export interface GeomShape {
  readonly type: 'box' | 'capsule' | 'cylinder' | 'sphere' | 'plane' | 'mesh';
  readonly sizeM: readonly [number, number, number];
  readonly rgba: readonly [number, number, number, number];
  readonly name: string;
}
