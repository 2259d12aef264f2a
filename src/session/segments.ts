/** Interventions as segments: who took over, why, with what, from which step to which. One record each in the run's metrics. */
import { isIntervention, type Transition } from '../core/index.ts';
import type { OnsetCause, SegmentRecord } from '../record/index.ts';

/** What a segment says beside what its writer stamps. */
export type Segment = Omit<SegmentRecord, 'tS' | 'envStep'>;

export interface SegmentOptions {
  readonly policyHz: number;
  /** Of the journal. */
  readonly epoch: number;
  readonly write: (segment: Segment) => void;
}

/** Who decides a step that the policy does not. */
export interface StepOperator {
  readonly operator: string;
  readonly device: string;
  /** Their name; empty where none is known. */
  readonly person: string;
  /** They, or somebody else, have the robot stopped. */
  readonly isStopped: boolean;
}

/** Seconds before an onset that are marked: what the person saw when they decided to take over. */
const BEFORE_ONSET_S = 1;

/** Follows recorded steps; a segment is written when it is over. */
export class SegmentWatch {
  readonly #options: SegmentOptions;
  #open: { segment: Segment; phases: { phase: 'recover' | 'correct'; fromStep: number }[] } | undefined;
  /** Of the newest step. */
  #episode = -1;
  #step = -1;
  /** The first of the policy's steps since anybody else decided, within the episode. */
  #policyFrom = 0;
  /** Why the present operator has the robot, while the policy has not had it since. */
  #cause: OnsetCause | undefined;
  #wasStopped = false;
  #wasAsked = false;

  constructor(options: SegmentOptions) {
    this.#options = options;
  }

  /** The robot was stopped: whoever has it before the policy does comes after a stop. */
  stopped(): void {
    this.#wasStopped = true;
    this.#cause = undefined;
  }

  /** A person was asked for help: whoever has the robot before the policy does was asked. */
  asked(): void {
    this.#wasAsked = true;
  }

  /** Takes a recorded step; `who` had the robot, unless the policy did. */
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
      this.#cause = undefined;
      this.#wasStopped = false;
      this.#wasAsked = false;
      return;
    }
    const { operator, person } = this.#open?.segment ?? {};
    if (operator !== who.operator || (person ?? '') !== who.person) this.#begin(source, episode, step, who);
    const phases = this.#open!.phases;
    const phase = source.endsWith('recover') ? 'recover' : 'correct';
    if (phases.at(-1)?.phase !== phase) phases.push({ phase, fromStep: step });
  }

  /** Control has gone back, or the episode is over; `lastStep` where that is not the newest. */
  end(lastStep: number = this.#step): void {
    if (this.#open === undefined) return;
    const { segment, phases } = this.#open;
    this.#open = undefined;
    this.#options.write({ ...segment, lastStep, phases });
  }

  #begin(source: string, episode: number, step: number, { operator, device, person, isStopped }: StepOperator): void {
    const wasOther = this.#open !== undefined;
    this.end(step - 1);
    const { policyHz, epoch } = this.#options;
    if (wasOther) this.#cause = undefined;
    this.#cause ??= this.#causeOf(source, isStopped);
    const before = Math.max(this.#policyFrom, step - Math.round(BEFORE_ONSET_S * policyHz));
    this.#open = {
      segment: {
        kind: 'segment',
        epoch,
        episode,
        cause: this.#cause,
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

  #causeOf(source: string, isStopped: boolean): OnsetCause {
    if (source.startsWith('scripted')) return 'scripted';
    if (this.#wasAsked) return 'askedForHelp';
    return this.#wasStopped || isStopped ? 'afterStop' : 'tookOver';
  }
}
