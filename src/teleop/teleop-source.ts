/** The contract of everything that lets a person (or the scripted stand-in for one) decide. */

/** Where an absolute source (a leader arm, a tracker) is. `Clutch` makes an action of it: poses never reach a robot as they are. */
export interface SourcePose {
  /** Name of the source. */
  readonly source: string;
  /** Number of the closing of its clutch, the enabling switch: another at each, 0 while it is open. */
  readonly closing: number;
  /** [A] m or rad, in the action's dimensions; where its zero is does not matter. */
  readonly pose: ArrayLike<number>;
}

/** What the operator wants for one policy step. */
export interface TeleopCommand {
  /** True while the operator has taken over. False: the other fields mean nothing. */
  active: boolean;
  /** [A] normalised action, as a policy's: how far to go from where the robot is. Means nothing where `absolute` is given. */
  readonly action: Float32Array;
  /** Given by sources with a pose of their own; `undefined` by those that give rates. */
  absolute?: SourcePose | undefined;
  /** Recovering to a known state, or correcting the sub-task itself. */
  phase: 'recover' | 'correct';
}

/** What a display shows of a person at keys: what was heard of them last, whether or not it counts yet. */
export interface OperatorEcho {
  readonly isInControl: boolean;
  readonly isStopped: boolean;
  /** Action for a held key, (0, 1]. */
  readonly stepScale: number;
  /** Name of the last key, empty before the first. */
  readonly lastKey: string;
}

/** Told of what a person says besides motion: how the episode ended, and that what they are asked for is skipped. */
export interface OperatorHeard {
  /** They mark the episode. Absent: nothing is judged. */
  readonly onMark?: (outcome: 'success' | 'failure') => void;
  readonly onSkip: () => void;
  /** Take back the last demonstration, or do the present one again. Absent: nobody records. */
  readonly onRedo?: () => void;
  /** They want the robot to go back the way it came. */
  readonly onRewind?: () => void;
  /** They begin the critical phase of the episode. Absent: the task has none that people begin. */
  readonly onCritical?: () => void;
  /** They let the robot go on (`c` at the terminal). */
  readonly onGoOn?: () => void;
  /** They give back, whether or not they have control themselves. */
  readonly onGiveBack?: () => void;
}

/** A device or script that may take over. One person holds the lease at a time. */
export interface TeleopSource {
  readonly name: string;
  /** What they drive with, where that is not their name; recorded with what they do. */
  readonly device?: string;
  /** Whose hands they are in, where that is known; recorded with what they do. */
  readonly person?: string;
  /** Whether a person decides or a script that stands in for one; recorded with every step. */
  readonly decidedBy: 'human' | 'scripted';
  /** True while the operator asks for a stop; it counts whoever has control. Absent: cannot ask. */
  readonly isStopRequested?: boolean;
  /** What stopped it while `isStopRequested`, for people: `Ada at the page`. Absent: their name. */
  readonly stoppedBy?: string | undefined;
  /** Whether they have taken over, at once and not only at the next poll: a hand needs real time. Absent: as last polled. */
  readonly isInControl?: boolean;
  /** Takes control from people too: only they ask it to. Absent: a script takes it from nobody. */
  readonly mayTakeFromPeople?: boolean;
  /** How old what they were shown was when they were heard last, ms, and how old it may be. Absent: they are at the robot. */
  readonly network?: { readonly ageMs: number; readonly leaseMs: number } | undefined;
  /** They are gone for good: nothing will be heard of them in this process again. Absent: never. */
  readonly isLost?: boolean;
  /** For displays: one line on what to press. Absent: nothing is said. */
  readonly hint?: string;
  /** For displays. Absent: there are no keys. */
  readonly echo?: OperatorEcho | undefined;
  /** Called once per policy step with what the policy sees; fills `out`. Never blocks. */
  poll(observation: Float32Array, nowS: number, out: TeleopCommand): void;
  /** In real time, every 20 ms or so between polls: sees a dropout at once. Absent: nothing to see. */
  watch?(): void;
  /** Ends this operator's control and stop, as somebody who may do so has asked for: a resume or a reset. */
  giveBack?(): void;
  /** Ends their stop alone, as somebody who may do so has asked for. Absent: as `giveBack`. */
  liftStop?(): void;
  /** Another operator, named `by`, took control. */
  onControlLost?(by: string): void;
  /** A new episode begins. */
  reset(): void;
  close(): void;
}

/** Ends a stop of `source`, where it asks for one. */
export function liftStopOf(source: TeleopSource): void {
  if (source.isStopRequested !== true) return;
  if (source.liftStop === undefined) source.giveBack?.();
  else source.liftStop();
}
