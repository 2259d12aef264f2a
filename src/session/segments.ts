/** Interventions as segments: operator, cause, device, first and last step. One record each in the run's metrics. */

import type { OnsetCause, SegmentRecord } from '../record/index.ts';
import { isIntervention, type Transition } from '../rows/index.ts';

/** A segment without its writer's stamps. */
export type Segment = Omit<SegmentRecord, 'tS' | 'envStep'>;

export interface SegmentOptions {
  readonly policyHz: number;
  /** Epoch of the journal. */
  readonly epoch: number;
  readonly write: (segment: Segment) => void;
}

/** Operator of a step that the policy does not decide. */
export interface StepOperator {
  readonly operator: string;
  readonly device: string;
  /** The person's name; empty if unknown. */
  readonly person: string;
  /** The robot is stopped, by this person or another. */
  readonly isStopped: boolean;
}

interface Presence extends Pick<StepOperator, 'operator' | 'person'> {
  readonly cause: OnsetCause;
}

/** Time before an onset that is marked, s: what the person saw when deciding to take over. */
const BEFORE_ONSET_S = 1;

/** Follows recorded steps; a segment is written when it is over. */
export class SegmentWatch {
  readonly #options: SegmentOptions;
  #open: { segment: Segment; phases: { phase: 'recover' | 'correct'; fromStep: number }[] } | undefined;
  /** Position of the newest step. */
  #episode = -1;
  #step = -1;
  /** First policy step since another decider, within the episode. */
  #policyFrom = 0;
  /** Operator in control, and the cause, until the policy is in control again. */
  #present: Presence | undefined;
  #wasStopped = false;
  #wasAsked = false;

  constructor(options: SegmentOptions) {
    this.#options = options;
  }

  /** Called when the robot was stopped: the first person in control before the policy comes after a stop. */
  stopped(): void {
    this.#wasStopped = true;
    this.#present = undefined;
  }

  /** Called when a person was asked for help: the first person in control before the policy was asked. */
  asked(): void {
    this.#wasAsked = true;
  }

  /** Takes a recorded step; `who` was in control, unless the policy was. */
  see({ source, episode, step }: Transition, who: StepOperator): void {
    if (episode !== this.#episode) {
      this.end();
      this.#episode = episode;
      this.#policyFrom = 0;
    }
    this.#step = step;
    if (!isIntervention(source)) {
      if (this.#open !== undefined) this.#policyFrom = step;
      this.end(step - 1);
      this.#present = undefined;
      this.#wasStopped = false;
      this.#wasAsked = false;
      return;
    }
    const { operator, person } = who;
    const isOther = this.#present?.operator !== operator || this.#present.person !== person;
    if (isOther) this.#present = { operator, person, cause: this.#takeCause(source, who) };
    if (isOther || this.#open === undefined) this.#begin(this.#present!, episode, step, who.device);
    const phases = this.#open!.phases;
    const phase = source.endsWith('recover') ? 'recover' : 'correct';
    if (phases.at(-1)?.phase !== phase) phases.push({ phase, fromStep: step });
  }

  /** Called when control has gone back, or the episode is over; `lastStep` if that is not the newest. */
  end(lastStep: number = this.#step): void {
    if (this.#open === undefined) return;
    const { segment, phases } = this.#open;
    this.#open = undefined;
    this.#options.write({ ...segment, lastStep, phases });
  }

  #begin({ operator, person, cause }: Presence, episode: number, step: number, device: string): void {
    const wasOther = this.#open !== undefined;
    this.end(step - 1);
    const { policyHz, epoch } = this.#options;
    const before = Math.max(this.#policyFrom, step - Math.round(BEFORE_ONSET_S * policyHz));
    this.#open = {
      segment: {
        kind: 'segment',
        epoch,
        episode,
        cause,
        operator,
        device,
        ...(person === '' ? {} : { person }),
        beforeFromStep: wasOther ? step : before,
        firstStep: step,
        lastStep: step,
        phases: [],
      },
      phases: [],
    };
  }

  /** A noted cause belongs to one person: neither to a script before, nor to a person who takes over from the first. */
  #takeCause(source: string, { isStopped }: StepOperator): OnsetCause {
    if (source.startsWith('scripted')) return 'scripted';
    const [wasAsked, wasStopped] = [this.#wasAsked, this.#wasStopped || isStopped];
    this.#wasAsked = false;
    this.#wasStopped = false;
    if (wasAsked) return 'askedForHelp';
    return wasStopped ? 'afterStop' : 'tookOver';
  }
}
