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

interface Presence extends Pick<StepOperator, 'operator' | 'person'> {
  readonly cause: OnsetCause;
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
  /** Who has the robot, and why, while the policy has not had it since. */
  #present: Presence | undefined;
  #wasStopped = false;
  #wasAsked = false;

  constructor(options: SegmentOptions) {
    this.#options = options;
  }

  /** The robot was stopped: the first person who has it before the policy does comes after a stop. */
  stopped(): void {
    this.#wasStopped = true;
    this.#present = undefined;
  }

  /** A person was asked for help: the first who has the robot before the policy does was asked. */
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

  /** Control has gone back, or the episode is over; `lastStep` where that is not the newest. */
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

  /** What was noted is of one person: neither of a script that comes before, nor of who takes over from that person. */
  #takeCause(source: string, { isStopped }: StepOperator): OnsetCause {
    if (source.startsWith('scripted')) return 'scripted';
    const [wasAsked, wasStopped] = [this.#wasAsked, this.#wasStopped || isStopped];
    this.#wasAsked = false;
    this.#wasStopped = false;
    if (wasAsked) return 'askedForHelp';
    return wasStopped ? 'afterStop' : 'tookOver';
  }
}
