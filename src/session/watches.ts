/** Turns conditions in a session into events for people: one when a condition begins, one when it is over. */
import { busyText, type MachineLoad, machineLoad } from '../host/index.ts';
import type { JournalStatus } from '../link/index.ts';
import { counted, type JointModel } from '../model/index.ts';
import { type GuardFrame, isIntervention, type Transition } from '../rows/index.ts';
import {
  type Fault,
  type FaultFigures,
  faultsOf,
  isAtLeast,
  messageOf,
  OTHER_FAULTS,
  TIMING_FAULTS,
} from '../safety/index.ts';
import type { ObservationProblem, ObservationSource } from '../tasks/index.ts';
import type { InterventionReport, SessionEvent } from './session-types.ts';

type Emit = (event: SessionEvent) => void;

/** A recurring warning is reported again after this, and then after twice as long each time, s. */
const FIRST_PAUSE_S = 5;
const LONGEST_PAUSE_S = 300;

/** Last report of a warning. */
interface Reported {
  readonly atS: number;
  readonly pauseS: number;
  /** Occurrences since then. */
  count: number;
}

/** Reports the fault flags of guard frames: when a fault appears, and when it is cleared. */
export class FaultWatch {
  readonly #emit: Emit;
  readonly #joints: readonly JointModel[];
  readonly #reported = new Map<number, Reported>();
  readonly #load: () => MachineLoad;
  #flags = 0;

  constructor(joints: readonly JointModel[], emit: Emit, load: () => MachineLoad = machineLoad) {
    this.#joints = joints;
    this.#emit = emit;
    this.#load = load;
  }

  /** Takes a frame. Cheap while its flags do not change. */
  see(frame: FaultFigures & Pick<GuardFrame, 'faultFlags'>, nowS: number): void {
    const flags = frame.faultFlags;
    if (flags === this.#flags) return;
    const before = this.#flags;
    this.#flags = flags;
    for (const fault of faultsOf(flags & ~before)) this.#appeared(fault, frame, nowS);
    for (const fault of faultsOf(before & ~flags)) this.#cleared(fault);
  }

  #appeared(fault: Fault, figures: FaultFigures, nowS: number): void {
    const { row, flag, remedy } = fault;
    const message = isStop(fault) ? messageOf(fault, figures, this.#joints) : this.#warning(fault, nowS);
    if (message === undefined) return;
    this.#emit({
      level: isStop(fault) ? 'error' : 'warn',
      name: flag,
      row,
      message,
      remedy: this.#remedyOf(fault, remedy),
    });
  }

  /**
   * On a busy machine the load comes first: checks that compare readings with commands notice lateness by the guard's own ticks only. A
   * possible push against the arm comes before the load, or the arm would be driven into it again.
   */
  #remedyOf({ bit, flag }: Fault, remedy: string): string {
    const busy = (bit & TIMING_FAULTS) === 0 ? undefined : busyText(this.#load());
    if (busy === undefined) return remedy;
    const load = `${busy} The load may be the cause: end other programs, and see whether the fault recurs.`;
    return flag === 'torqueResidual' ? `${remedy} ${load}` : `${load} ${remedy}`;
  }

  /** A constant warning warns of nothing: it is reported ever less often, with its count; `undefined`: not now. */
  #warning({ bit, message }: Fault, nowS: number): string | undefined {
    const reported = this.#reported.get(bit);
    if (reported === undefined || nowS - reported.atS > 2 * reported.pauseS) {
      this.#reported.set(bit, { atS: nowS, pauseS: FIRST_PAUSE_S, count: 0 });
      return message;
    }
    reported.count++;
    if (nowS - reported.atS < reported.pauseS) return undefined;
    this.#reported.set(bit, { atS: nowS, pauseS: Math.min(2 * reported.pauseS, LONGEST_PAUSE_S), count: 0 });
    if (reported.count === 1) return message;
    return `${message} ${reported.count} times in the last ${Math.round(nowS - reported.atS)} s.`;
  }

  /** Only the end of a stop is reported; warnings end silently. */
  #cleared(fault: Fault): void {
    if (!isStop(fault)) return;
    const { row, flag, message } = fault;
    this.#emit({ level: 'info', name: `${flag}Cleared`, row, message: `No more: ${message}`, remedy: '' });
  }
}

function isStop(fault: Fault): boolean {
  return isAtLeast(fault.action, 'cat2');
}

/** Reports take-overs, and when control goes back. */
export class InterventionWatch {
  readonly #emit: (report: InterventionReport) => void;
  #current:
    | { readonly operator: string; readonly decidedBy: 'human' | 'scripted'; readonly sinceS: number }
    | undefined;
  #episode = 0;
  #step = 0;

  constructor(emit: (report: InterventionReport) => void) {
    this.#emit = emit;
  }

  /** Takes a finished step; `operator` is in control. */
  see({ source, episode, step }: Transition, operator: string, nowS: number): void {
    this.#episode = episode;
    this.#step = step;
    if (!isIntervention(source)) {
      this.end(nowS);
      return;
    }
    if (this.#current?.operator === operator) return;
    this.end(nowS);
    this.#current = { operator, decidedBy: source.startsWith('human') ? 'human' : 'scripted', sinceS: nowS };
    this.#report(true, 0);
  }

  /** Called when control has gone back, or the episode is over. */
  end(nowS: number): void {
    if (this.#current === undefined) return;
    this.#report(false, nowS - this.#current.sinceS);
    this.#current = undefined;
  }

  #report(isActive: boolean, durationS: number): void {
    if (this.#current === undefined) return;
    const { operator, decidedBy } = this.#current;
    this.#emit({ isActive, operator, decidedBy, episode: this.#episode, step: this.#step, durationS });
  }
}

/** Watches observations received by topic: an outdated or frozen one is reported once, and nothing acts on it. */
export class ObservationWatch {
  readonly #sources: readonly ObservationSource[];
  readonly #emit: Emit;
  readonly #reported = new Set<string>();

  constructor(sources: readonly ObservationSource[], emit: Emit) {
    this.#sources = sources;
    this.#emit = emit;
  }

  /** First problem that keeps the policy from acting at `nowS`; `undefined` if there is none. */
  problem(nowS: number): ObservationProblem | undefined {
    for (const source of this.#sources) {
      const [problem] = source.problems(nowS);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** Reports new problems since the last call, and resolved ones. Returns the result of `problem`. */
  see(nowS: number): ObservationProblem | undefined {
    let first: ObservationProblem | undefined;
    for (const source of this.#sources) {
      const [problem] = source.problems(nowS);
      first ??= problem;
      if (problem === undefined) this.#well(source.name);
      else this.#bad(source.name, problem);
    }
    return first;
  }

  #bad(name: string, { row, message, remedy }: ObservationProblem): void {
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    this.#emit({ level: 'error', name: 'observationLost', row, message, remedy });
  }

  #well(name: string): void {
    if (!this.#reported.delete(name)) return;
    const message = `The observation "${name}" comes again.`;
    this.#emit({ level: 'info', name: 'observationBack', row: 0, message, remedy: '' });
  }
}

const STALE = OTHER_FAULTS.find(({ name }) => name === 'weightsStale')!;
/** Time after which newer weights that do not arrive are reported, s: the number of row 53. */
const REPORTED_AFTER_S = 15;

/** A robot's knowledge of its learner's weights. */
export interface WeightsSeen {
  /** Newest version at the learner, as last reported; 0 before any. */
  readonly learnerVersion: number;
  /** Newest version received here. */
  readonly arrivedVersion: number;
}

/** Reports when the learner has weights that do not arrive, and when they do again (row 53 of the fault table). */
export class WeightsWatch {
  readonly #emit: Emit;
  #arrivedVersion = -1;
  /** Time since which nothing has arrived although the learner has newer weights; `undefined` while all is well. */
  #behindSinceS: number | undefined;
  #isReported = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Takes the state at `nowS`. To be called several times a second. */
  see({ learnerVersion, arrivedVersion }: WeightsSeen, nowS: number): void {
    const isBehind = learnerVersion > arrivedVersion;
    // A learner that publishes several a second is always a little ahead: time counts from the last arrival.
    if (arrivedVersion !== this.#arrivedVersion || !isBehind) this.#behindSinceS = undefined;
    this.#arrivedVersion = arrivedVersion;
    if (isBehind) this.#behindSinceS ??= nowS;
    if (this.#behindSinceS === undefined) this.#well(arrivedVersion);
    else if (nowS - this.#behindSinceS >= REPORTED_AFTER_S) this.#bad(learnerVersion, arrivedVersion);
  }

  #bad(learnerVersion: number, arrivedVersion: number): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { row, name, remedy } = STALE;
    const message = `${STALE.message} It has version ${learnerVersion}, here is ${arrivedVersion}.`;
    this.#emit({ level: 'warn', name, row, message, remedy });
  }

  #well(version: number): void {
    if (!this.#isReported) return;
    this.#isReported = false;
    const message = `Weights arrive again: version ${version}.`;
    this.#emit({ level: 'info', name: 'weightsBack', row: STALE.row, message, remedy: '' });
  }
}

const RECORDING_STOPPED = OTHER_FAULTS.find(({ name }) => name === 'recordingStopped')!;
/** Row of the fault table for a disk that is only slow. */
const SLOW_DISK_ROW = 28;

/** Reports when recording stops for lack of disk, and when it resumes (row 27 of the fault table). */
export class RecordingWatch {
  readonly #emit: Emit;
  /** Steps dropped before the present stop; `undefined` while there is none. */
  #droppedBefore: number | undefined;
  #hasDroppedInStop = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Takes the journal's status whenever it changes. */
  see(status: JournalStatus): void {
    const { row, name, message, remedy } = RECORDING_STOPPED;
    if (status.isStopped) {
      if (this.#droppedBefore !== undefined) return;
      this.#droppedBefore = status.dropped;
      this.#emit({ level: 'warn', name, row, message: `${message} Why: ${status.reason}.`, remedy });
      return;
    }
    if (this.#droppedBefore !== undefined) {
      this.#hasDroppedInStop ||= status.dropped > this.#droppedBefore;
      this.#droppedBefore = undefined;
      const message = `Recording goes on. ${lostOf(status)}`;
      this.#emit({ level: 'info', name: 'recordingBack', row, message, remedy: '' });
    }
    if (status.reason !== undefined) {
      this.#emit({ level: 'warn', name: 'recording', row: 0, message: status.reason, remedy: '' });
    }
  }

  /** Called at the end: reports the number of steps not recorded, by the row of a disk that stopped, or was only slow. */
  end(dropped: number): void {
    if (dropped === 0) return;
    const isStopped = this.#droppedBefore !== undefined && dropped > this.#droppedBefore;
    const row = isStopped || this.#hasDroppedInStop ? RECORDING_STOPPED.row : SLOW_DISK_ROW;
    const message = `Not recorded: ${counted(dropped, 'step')} that a full or slow disk did not take.`;
    this.#emit({ level: 'warn', name: 'notRecorded', row, message, remedy: '' });
  }
}

function lostOf({ dropped }: JournalStatus): string {
  return dropped === 0 ? 'Nothing is lost.' : `Steps that found no room in memory: ${dropped}.`;
}
