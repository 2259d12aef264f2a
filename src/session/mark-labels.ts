/** A person's marks as labels of states: each labels the last steps of the current episode, for `rein reward train`. */
import type { RunSetup } from '../config/setup.ts';
import { ReinError } from '../model/index.ts';
import { type LabelHeader, type LabelledState, openLabels } from '../record/index.ts';
import type { Transition } from '../rows/index.ts';
import { LABEL_STEPS, type RunRequest } from './run-request.ts';
import type { Mark } from './session-types.ts';

interface MarkLabelsOptions extends Partial<Pick<RunRequest, 'labels' | 'labelSteps'>> {
  readonly setup: RunSetup;
  readonly runId: string;
}

/** Opens the label file if `labels` names one. Throws `ReinError` if it is of another task, or cannot be written. */
export function openMarkLabels({ labels, labelSteps, setup, runId }: MarkLabelsOptions): MarkLabels | undefined {
  if (labels === undefined) return undefined;
  const { config, task, schemaHash } = setup;
  const { observation, action } = task;
  const header: LabelHeader = { task: config.task.name, robot: config.robot.name, schemaHash, observation, action };
  return new MarkLabels(labels, runId, labelSteps ?? LABEL_STEPS, openLabels(labels, header));
}

export class MarkLabels {
  readonly #path: string;
  readonly #run: string;
  readonly #steps: number;
  readonly #append: (states: readonly LabelledState[]) => void;
  /** Last steps of the current episode, the newest last, at most `#steps`. */
  #last: Omit<LabelledState, 'success' | 'by'>[] = [];
  readonly #given = { successes: 0, others: 0 };

  constructor(path: string, run: string, steps: number, append: (states: readonly LabelledState[]) => void) {
    this.#path = path;
    this.#run = run;
    this.#steps = steps;
    this.#append = append;
  }

  /** Takes a finished step, in the robot's start `epoch`. */
  step({ episode, step, nextObservation }: Transition, epoch: number): void {
    if (step === 0) this.#last = [];
    this.#last.push({ run: this.#run, epoch, episode, step, observation: nextObservation.slice() });
    if (this.#last.length > this.#steps) this.#last.shift();
  }

  /** Appends the last steps, labelled by `mark`. Returns a message for people; never throws for lack of disk space. */
  mark(mark: Mark): string {
    if (this.#last.length === 0) return 'Nothing is labelled: no step has been done yet.';
    const success = mark === 'success';
    const states = this.#last.map((state) => ({ ...state, success, by: 'mark' as const }));
    try {
      this.#append(states);
    } catch (error) {
      if (!(error instanceof ReinError)) throw error;
      return `Nothing is labelled: ${error.message}`;
    }
    this.#given[success ? 'successes' : 'others'] += states.length;
    const { successes, others } = this.#given;
    const as = success ? 'successes' : 'no successes';
    return `${states.length} states are labelled as ${as}; ${successes} successes and ${others} others so far, in ${this.#path}.`;
  }
}
