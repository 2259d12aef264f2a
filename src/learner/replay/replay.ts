/** The two replay buffers of RLPD, and the routing of transitions. */
import { allFinite } from '../../model/index.ts';
import { isIntervention, type Transition } from '../../rows/index.ts';
import { DEFAULT_INTERVENTION_RULE, type InterventionRule } from '../options/interventions.ts';
import type { FrameStorage } from './observation-store.ts';
import { isDemonstrated, Onsets } from './onsets.ts';
import { NO_ROW, type RowFrames, type RowRange, TransitionRing } from './ring.ts';
import { type Placed, type ReturnRule, Trajectories } from './trajectories.ts';

/** Number of transitions by which arrivals may be ahead of updates before the oldest sampled ones are overwritten early. */
const ARRIVAL_SLACK = 4096;
/** Tolerance for rounding of an executed action beyond ±1; a larger excess means a wrong record. */
const ACTION_TOLERANCE = 0.01;

/** Reason why a transition was dropped. */
export type DropReason = 'wrongSize' | 'notFinite' | 'actionOutOfRange' | 'frameOutOfRange';

/** Options of a replay. */
export interface ReplayOptions {
  /** The part of the observation stored in several variants, or in bytes; absent: none. */
  readonly frame?: FrameStorage;
  /** Stores the return of each row, for the column `monteCarloReturn`; absent: not stored. */
  readonly returns?: ReturnRule;
  /** Use of interventions; absent: all count as demonstrations. */
  readonly interventions?: InterventionRule;
  /** Steps of the base phase are sampled like others; absent: they count, but are not sampled. */
  readonly learnsFromBasePhase?: boolean;
}

/** Origin of a transition, and its additional data. */
export interface Arrival {
  /** Robot that recorded it, if known: transitions of different robots never continue each other. */
  readonly robot?: string;
  /** Variants of its frames; absent: its own frame is every variant. */
  readonly frames?: RowFrames;
  /** The transition counts but is never sampled: its episode was dropped by relabelling. */
  readonly isLeftOut?: boolean;
}

/** Numbers of transitions received, stored and dropped. */
export interface ReplayCounts {
  /** Transitions offered, accepted or not. */
  readonly received: number;
  /** Online transitions accepted: the N of the update contract. */
  readonly online: number;
  /** Rows of the demonstration buffer: demonstrations and interventions. */
  readonly demonstrations: number;
  readonly interventions: number;
  /** Online transitions that continue the previous one: those over which multi-step windows extend. */
  readonly continued: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
}

/**
 * Online transitions (R) and demonstrations (D). Every online step goes to R; intervention steps selected by the intervention rule
 * go to D as well; demonstrations go to D only. The data visible to an update depends only on the number of online transitions
 * that count for it, so training is reproducible however fast transitions arrive.
 */
export class Replay {
  readonly online: TransitionRing;
  readonly demonstrations: TransitionRing;
  readonly #window: number;
  readonly #dropped: Record<DropReason, number> = {
    wrongSize: 0,
    notFinite: 0,
    actionOutOfRange: 0,
    frameOutOfRange: 0,
  };
  readonly #trajectories: Trajectories;
  readonly #rule: InterventionRule;
  readonly #onsets: Onsets;
  readonly #learnsFromBasePhase: boolean;
  #received = 0;
  #interventions = 0;
  #continued = 0;

  /** `capacity`: number of newest online transitions that are sampled from; the same number of demonstrations is kept. */
  constructor(observationSize: number, actionSize: number, capacity: number, options: ReplayOptions = {}) {
    const { frame, returns, interventions = DEFAULT_INTERVENTION_RULE, learnsFromBasePhase = false } = options;
    const rows = capacity + ARRIVAL_SLACK;
    this.#window = capacity;
    this.online = new TransitionRing(observationSize, actionSize, rows, frame);
    this.demonstrations = new TransitionRing(observationSize, actionSize, rows, frame);
    this.#trajectories = new Trajectories(this.online, this.demonstrations, returns);
    this.#rule = interventions;
    this.#learnsFromBasePhase = learnsFromBasePhase;
    this.#onsets = new Onsets(this.online, interventions);
  }

  /** Copies `transition` to its buffers. Returns a reason if it is unfit to learn from; then only a count is kept. */
  add(transition: Transition, { robot = '', frames, isLeftOut }: Arrival = {}): 'accepted' | DropReason {
    this.#received++;
    const reason = this.#unfit(transition) ?? (frames === undefined ? undefined : this.#unfitFrames(frames));
    if (reason !== undefined) {
      this.#dropped[reason]++;
      return reason;
    }
    this.#trajectories.add(robot, transition, (before) => {
      const placed = this.#put(transition, before, frames);
      this.#onsets.see(robot, transition, placed.online, placed.visibleFrom);
      if (isLeftOut === true || (transition.isBasePhase && !this.#learnsFromBasePhase)) {
        this.online.leaveOut(placed.online, placed.visibleFrom);
        this.demonstrations.leaveOut(placed.demonstration, placed.visibleFrom);
      }
      return placed;
    });
    return 'accepted';
  }

  /** Rows of both buffers that an update may sample once `visibleCount` online transitions count. */
  visible(visibleCount: number): { readonly online: RowRange; readonly demonstrations: RowRange } {
    return {
      online: this.online.visible(visibleCount, this.#window),
      demonstrations: this.demonstrations.visible(visibleCount, this.#window),
    };
  }

  counts(): ReplayCounts {
    return {
      received: this.#received,
      online: this.online.count,
      demonstrations: this.demonstrations.count,
      interventions: this.#interventions,
      continued: this.#continued,
      dropped: { ...this.#dropped },
    };
  }

  #put(transition: Transition, before: Placed, frames: RowFrames | undefined): Placed {
    const isOnline = transition.source !== 'demo';
    const isHuman = isIntervention(transition.source);
    // Demonstrations from before the training are visible from the start, later ones from the next online step on.
    const visibleFrom = !isOnline && this.online.count === 0 ? 0 : this.online.count + 1;
    const online = isOnline ? this.online.push(transition, visibleFrom, before.online, frames) : NO_ROW;
    const demonstration = isDemonstrated(transition.source, this.#rule)
      ? this.demonstrations.push(transition, visibleFrom, before.demonstration, frames)
      : NO_ROW;
    if (isHuman) this.#interventions++;
    if (isOnline && before.online !== NO_ROW) this.#continued++;
    return { online, demonstration, visibleFrom };
  }

  #unfit(t: Transition): DropReason | undefined {
    const { observationSize, actionSize } = this.online;
    const sizes = [t.observation.length, t.nextObservation.length, t.executed.length];
    if (sizes[0] !== observationSize || sizes[1] !== observationSize || sizes[2] !== actionSize) return 'wrongSize';
    const hasFiniteScalars = Number.isFinite(t.reward) && Number.isFinite(t.cost) && Number.isFinite(t.tankDrainJ);
    if (!hasFiniteScalars || !allFinite(t.observation) || !allFinite(t.nextObservation) || !allFinite(t.executed)) {
      return 'notFinite';
    }
    if (t.executed.some((a) => Math.abs(a) > 1 + ACTION_TOLERANCE)) return 'actionOutOfRange';
    const { frame } = this.online;
    if (frame?.storage !== 'uint8') return undefined;
    const { offset, size } = frame;
    const areBytes = isUnit(t.observation, offset, offset + size) && isUnit(t.nextObservation, offset, offset + size);
    return areBytes ? undefined : 'frameOutOfRange';
  }

  #unfitFrames({ observation, nextObservation }: RowFrames): DropReason | undefined {
    const { frame } = this.online;
    const size = frame === undefined ? 0 : frame.variants * frame.size;
    if (size === 0 || observation.length !== size || nextObservation.length !== size) return 'wrongSize';
    if (!allFinite(observation) || !allFinite(nextObservation)) return 'notFinite';
    const areBytes = frame?.storage !== 'uint8' || (isUnit(observation, 0, size) && isUnit(nextObservation, 0, size));
    return areBytes ? undefined : 'frameOutOfRange';
  }
}

/** True if numbers [from, to) are in [0, 1]. */
function isUnit(values: Float32Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!(values[i]! >= 0 && values[i]! <= 1)) return false;
  return true;
}
