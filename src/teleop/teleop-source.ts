/** Contract of all sources by which an operator, or a script in their place, can decide. */

/** Pose of an absolute source (a leader arm, a tracker). `Clutch` converts it into an action: poses never reach a robot directly. */
export interface SourcePose {
  /** Name of the source. */
  readonly source: string;
  /** Number of the closing of its clutch, the enabling switch: incremented at each, 0 while it is open. */
  readonly closing: number;
  /** [A] m or rad, in the action's dimensions; the origin is arbitrary. */
  readonly pose: ArrayLike<number>;
}

/** The operator's request for one policy step. */
export interface TeleopCommand {
  /** True while the operator has taken over. False: the other fields are undefined. */
  active: boolean;
  /** [A] normalised action, like a policy's: motion relative to the robot's pose. Undefined if `absolute` is given. */
  readonly action: Float32Array;
  /** Given by sources with an absolute pose; `undefined` for those that give rates. */
  absolute?: SourcePose | undefined;
  /** Recovering to a known state, or correcting the sub-task itself. */
  phase: 'recover' | 'correct';
}

/** Echo of an operator's keys for displays: the last input, whether or not it counts yet. */
export interface OperatorEcho {
  readonly isInControl: boolean;
  readonly isStopped: boolean;
  /** Action for a held key, (0, 1]. */
  readonly stepScale: number;
  /** Name of the last key, empty before the first. */
  readonly lastKey: string;
}

/** Receives an operator's inputs besides motion, such as the episode's outcome, or skipping a requested demonstration. */
export interface OperatorHeard {
  /** Called when they mark the episode. Absent: marks are not used. */
  readonly onMark?: (outcome: 'success' | 'failure') => void;
  readonly onSkip: () => void;
  /** Called to discard the last demonstration, or repeat the present one. Absent: nothing is recorded. */
  readonly onRedo?: () => void;
  /** Called to rewind the robot's path. */
  readonly onRewind?: () => void;
  /** Called to begin the critical phase of the episode. Absent: the task has none that operators begin. */
  readonly onCritical?: () => void;
  /** Called to let the robot continue (`c` at the terminal). */
  readonly onGoOn?: () => void;
  /** Called to give back, whether or not they are in control themselves. */
  readonly onGiveBack?: () => void;
}

/** A device or script that may take over. One operator holds the lease at a time. */
export interface TeleopSource {
  readonly name: string;
  /** Input device, if other than their name; recorded with their actions. */
  readonly device?: string;
  /** Name of the person at the device, if known; recorded with their actions. */
  readonly person?: string;
  /** Whether a human decides or a script in their place; recorded with every step. */
  readonly decidedBy: 'human' | 'scripted';
  /** True while the operator requests a stop, which counts regardless of the holder of control. Absent: cannot request one. */
  readonly isStopRequested?: boolean;
  /** Cause of the stop while `isStopRequested`, for display: `Ada at the page`. Absent: their name. */
  readonly stoppedBy?: string | undefined;
  /** True if they have taken over, at once and not only at the next poll: a hand needs real time. Absent: as last polled. */
  readonly isInControl?: boolean;
  /** True if it may take control from humans too, only at their request. Absent: a script never does. */
  readonly mayTakeFromPeople?: boolean;
  /** Age of the frame shown to them when they were last heard, ms, and its limit. Absent: they are at the robot. */
  readonly network?: { readonly ageMs: number; readonly leaseMs: number } | undefined;
  /** True if they are gone for good in this process. Absent: never. */
  readonly isLost?: boolean;
  /** For displays: one line on what to press. Absent: nothing is shown. */
  readonly hint?: string;
  /** For displays. Absent: there are no keys. */
  readonly echo?: OperatorEcho | undefined;
  /** Called once per policy step with the policy's observation; fills `out`. Never blocks. */
  poll(observation: Float32Array, nowS: number, out: TeleopCommand): void;
  /** Called in real time, about every 20 ms between polls: detects a dropout at once. Absent: nothing to detect. */
  watch?(): void;
  /** Ends this operator's control and stop, at an authorised request: a resume or a reset. */
  giveBack?(): void;
  /** Ends their stop only, at an authorised request. Absent: as `giveBack`. */
  liftStop?(): void;
  /** Called when another operator, named `by`, took control. */
  onControlLost?(by: string): void;
  /** Called when a new episode begins. */
  reset(): void;
  close(): void;
}

/** Ends a stop of `source`, if it requests one. */
export function liftStopOf(source: TeleopSource): void {
  if (source.isStopRequested !== true) return;
  if (source.liftStop === undefined) source.giveBack?.();
  else source.liftStop();
}
