/** The two buffers of RLPD and what goes where. */
import { isIntervention, type Transition } from '../../core/index.ts';
import { type RowRange, TransitionRing } from './ring.ts';

/** How far ahead of the updates transitions may arrive before the oldest sampled ones are overwritten early. */
const ARRIVAL_SLACK = 4096;
/** Rounding that an executed action may exceed ±1 by; beyond it the record is wrong. */
const ACTION_TOLERANCE = 0.01;

/** Why a record was not taken. */
export type DropReason = 'wrongSize' | 'notFinite' | 'actionOutOfRange';

export interface ReplayCounts {
  /** Transitions offered, taken or not. */
  readonly received: number;
  /** Online transitions taken: the N of the update contract. */
  readonly online: number;
  /** Rows of the demonstration buffer: demonstrations and interventions. */
  readonly demonstrations: number;
  readonly interventions: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
}

/**
 * Online transitions (R) and demonstrations (D). Every online step goes to R; steps that a person decided go to D as
 * well; demonstrations go to D only. What an update sees depends on how many online transitions count for it and on
 * nothing else, so training repeats exactly however fast transitions arrive.
 */
export class Replay {
  readonly online: TransitionRing;
  readonly demonstrations: TransitionRing;
  readonly #window: number;
  readonly #dropped: Record<DropReason, number> = { wrongSize: 0, notFinite: 0, actionOutOfRange: 0 };
  #received = 0;
  #interventions = 0;

  /** `capacity`: the newest online transitions that are sampled from; as many demonstrations are kept. */
  constructor(observationSize: number, actionSize: number, capacity: number) {
    this.#window = capacity;
    this.online = new TransitionRing(observationSize, actionSize, capacity + ARRIVAL_SLACK);
    this.demonstrations = new TransitionRing(observationSize, actionSize, capacity + ARRIVAL_SLACK);
  }

  /** Copies `transition` to where it belongs. Says why where it is not fit to learn from; then nothing is kept but a count. */
  add(transition: Transition): 'accepted' | DropReason {
    this.#received++;
    const reason = this.#unfit(transition);
    if (reason !== undefined) {
      this.#dropped[reason]++;
      return reason;
    }
    if (transition.source === 'demo') {
      // Demonstrations from before the training are visible from the start, later ones from the next online step on.
      this.demonstrations.push(transition, this.online.count === 0 ? 0 : this.online.count + 1);
      return 'accepted';
    }
    const number = this.online.count + 1;
    this.online.push(transition, number);
    if (isIntervention(transition.source)) {
      this.#interventions++;
      this.demonstrations.push(transition, number);
    }
    return 'accepted';
  }

  /** The rows of both buffers that an update may draw from once `visibleCount` online transitions count. */
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
      dropped: { ...this.#dropped },
    };
  }

  #unfit(t: Transition): DropReason | undefined {
    const { observationSize, actionSize } = this.online;
    const sizes = [t.observation.length, t.nextObservation.length, t.executed.length];
    if (sizes[0] !== observationSize || sizes[1] !== observationSize || sizes[2] !== actionSize) return 'wrongSize';
    const hasFiniteScalars = Number.isFinite(t.reward) && Number.isFinite(t.cost) && Number.isFinite(t.tankDrainJ);
    if (!hasFiniteScalars || !finite(t.observation) || !finite(t.nextObservation) || !finite(t.executed)) {
      return 'notFinite';
    }
    return t.executed.some((a) => Math.abs(a) > 1 + ACTION_TOLERANCE) ? 'actionOutOfRange' : undefined;
  }
}

function finite(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}
