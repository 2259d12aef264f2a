/** Log of motions for incident analysis: when and by which decider the arm was moved, when it was braked and when it came to rest. */
import { type MachineLoad, machineLoad } from '../host/index.ts';
import type { JointModel } from '../model/index.ts';
import { BUS, type Decider, type GuardFrame, type SafetyStateName } from '../rows/index.ts';
import { faultsOf, messageOf, TIMING_FAULTS } from '../safety/index.ts';

/** One change. Times are s of the machine's monotonic clock. */
export interface MotionEntry {
  readonly event: 'changed' | 'stands';
  readonly tick: number;
  readonly atS: number;
  readonly state: SafetyStateName;
  readonly decider: Decider;
  /** Messages of the faults present at the change; absent if there were none. */
  readonly why?: string;
  /** Rows of the fault table of these faults. */
  readonly rows?: readonly number[];
  /** Present with faults that a busy machine may have caused. */
  readonly timing?: TimingFigures;
  /** `changed` to decider `hold`: since the last command was first followed. `stands`: since braking began. s. */
  readonly sinceS: number;
}

/** Figures that distinguish a busy machine from a broken robot. Counts are since the guard started. */
export interface TimingFigures extends MachineLoad, Pick<GuardFrame, 'overruns' | 'lateReadings' | 'lostReadings'> {
  /** Largest lateness of a tick in the last one to two seconds, or since the last reading. */
  readonly tickLateMs: number;
  /** Bus time of the last tick, and requests without a reply in time; null without a bus. */
  readonly busyMs: number | null;
  readonly timeouts: number | null;
}

/** Window over which the largest lateness is kept; reported for up to twice as long, s. */
const LATE_WINDOW_S = 1;

/** Watches frames and writes an entry for each change. For the guard's main thread, not for the tick. */
export class MotionLog {
  readonly #write: (entry: MotionEntry) => void;
  readonly #joints: readonly JointModel[];
  readonly #load: () => MachineLoad;
  readonly #referenceRad: Float64Array;
  #state: SafetyStateName = 'disconnected';
  #decider: Decider = 'hold';
  #commandSeq = -1;
  #commandAtS = 0;
  #heldAtS = 0;
  #hasStood = true;
  /** Largest lateness of a tick since `#windowFromS`, and in the window before, s. */
  #tickLateS = 0;
  #lateBeforeS = 0;
  #windowFromS = 0;

  constructor(
    joints: readonly JointModel[],
    write: (entry: MotionEntry) => void,
    load: () => MachineLoad = machineLoad,
  ) {
    this.#joints = joints;
    this.#load = load;
    this.#referenceRad = new Float64Array(joints.length);
    this.#write = write;
  }

  /** Takes a frame; must see every tick's, or braking seems longer than it was. */
  see(frame: GuardFrame): void {
    const { state, decider, commandSeq, referenceRad } = frame;
    const atS = frame.robot.measuredAtS;
    if (atS >= this.#windowFromS + LATE_WINDOW_S) {
      this.#lateBeforeS = atS < this.#windowFromS + 2 * LATE_WINDOW_S ? this.#tickLateS : 0;
      this.#tickLateS = 0;
      this.#windowFromS = atS;
    }
    this.#tickLateS = Math.max(this.#tickLateS, frame.tickLateS);
    if (commandSeq >= 0 && commandSeq !== this.#commandSeq) {
      this.#commandSeq = commandSeq;
      this.#commandAtS = atS;
    }
    if (state !== this.#state || decider !== this.#decider) {
      if (decider === 'hold' && this.#decider !== 'hold') {
        this.#heldAtS = atS;
        this.#hasStood = false;
      }
      this.#state = state;
      this.#decider = decider;
      const sinceS = decider === 'hold' ? atS - this.#commandAtS : 0;
      const faults = faultsOf(frame.faultFlags);
      const messages = faults.map((fault) => messageOf(fault, frame, this.#joints));
      const why = faults.length === 0 ? {} : { why: messages.join(' '), rows: faults.map(({ row }) => row) };
      const lateS = Math.max(this.#tickLateS, this.#lateBeforeS);
      const timing = (frame.faultFlags & TIMING_FAULTS) === 0 ? {} : { timing: timingOf(frame, lateS, this.#load()) };
      this.#write({ event: 'changed', tick: frame.tick, atS, state, decider, sinceS, ...why, ...timing });
    }
    const isStanding = decider === 'hold' && referenceRad.every((angle, i) => angle === this.#referenceRad[i]);
    if (isStanding && !this.#hasStood) {
      this.#hasStood = true;
      this.#write({ event: 'stands', tick: frame.tick, atS, state, decider, sinceS: atS - this.#heldAtS });
    }
    this.#referenceRad.set(referenceRad);
  }
}

function timingOf(frame: GuardFrame, tickLateS: number, load: MachineLoad): TimingFigures {
  const { overruns, lateReadings, lostReadings, busCounters } = frame;
  const ms = (seconds: number): number => Math.round(1e4 * seconds) / 10;
  const [busyS, timeouts] = [busCounters[BUS.busyS]!, busCounters[BUS.timeouts]!];
  const bus = Number.isNaN(timeouts) ? { busyMs: null, timeouts: null } : { busyMs: ms(busyS), timeouts };
  return { tickLateMs: ms(tickLateS), overruns, lateReadings, lostReadings, ...bus, ...load };
}
