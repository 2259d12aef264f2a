/** Collects labelled states from finished runs, for `rein reward train`. */
import { ReinError, Rng } from '../../model/index.ts';
import {
  appendLabels,
  checkSameLabels,
  episodeText,
  type LabelHeader,
  type LabelledState,
  type LabelSource,
} from '../../record/index.ts';
import { labelOf, type RunStates, readRunStates } from './run-states.ts';

/** Fraction of the negatives drawn from the last steps before a success, where they resemble it most; and that window, steps. */
const NEAR_SHARE = 0.3;
const NEAR_STEPS = 5;

/** Steps before a success that are not used as negatives: the task's rules are exact to the step, an operator's mark is not. */
export const GUARD_STEPS: Readonly<Record<'task' | 'mark', number>> = { task: 0, mark: 3 };

export interface CollectOptions {
  readonly runs: readonly string[];
  /** Label source that is used. */
  readonly by: 'task' | 'mark';
  /** File to which the states are appended. */
  readonly out: string;
  /** Maximum number of states, positives and negatives together; absent: all successes. */
  readonly count?: number | undefined;
  /** Maximum number of negatives per success. */
  readonly negatives: number;
  /** Absent: `GUARD_STEPS`. */
  readonly guardSteps?: number | undefined;
  readonly seed: number;
}

export interface Collected {
  readonly positives: number;
  readonly negatives: number;
  readonly episodes: number;
  /** Episodes of the runs, and the number of successful ones. */
  readonly seen: { readonly episodes: number; readonly successes: number };
}

/** Samples states and appends them to `out`. The same runs and seed give the same states. Throws `ReinError`. */
export function collectLabels(options: CollectOptions, say: (message: string) => void): Collected {
  const runs = options.runs.map((folder) => checked(readRunStates(folder, say), folder, options.by));
  const header = oneHeader(runs, options.runs);
  const { by, negatives: ratio, count, guardSteps = GUARD_STEPS[by] } = options;
  const states = runs.flatMap((run) => statesOf(run, guardSteps, by));
  const rng = new Rng(options.seed).fork('labels');
  const successes = states.filter(({ success }) => success);
  const wanted = count === undefined ? successes.length : Math.max(1, Math.round(count / (1 + ratio)));
  const positives = drawn(successes, wanted, rng);
  const left = count === undefined ? Math.round(ratio * positives.length) : count - positives.length;
  const others = [true, false].map((isNear) => states.filter((state) => !state.success && state.isNear === isNear));
  const nearCount = Math.max(Math.round(NEAR_SHARE * left), left - others[1]!.length);
  const near = drawn(others[0]!, nearCount, rng);
  const far = drawn(others[1]!, left - near.length, rng);
  const negatives = [...near, ...far];
  const episodes = runs.flatMap((run) => run.episodes);
  const seen = { episodes: episodes.length, successes: episodes.filter((each) => each.firstSuccess !== null).length };
  if (positives.length === 0) {
    throw new ReinError('config', `None of the ${seen.episodes} episodes is a success: there is nothing to show.`, {
      remedy: 'Give runs in which the task succeeded, demonstrations for instance.',
    });
  }
  const chosen = [...positives, ...negatives].map(({ isNear: _, ...state }) => state);
  appendLabels(options.out, header, chosen);
  const from = new Set(chosen.map(episodeText));
  return { positives: positives.length, negatives: negatives.length, episodes: from.size, seen };
}

function checked(states: RunStates, folder: string, by: 'task' | 'mark'): RunStates {
  if (states.sources.includes(by)) return states;
  const [who, wanted] = by === 'task' ? ['people, without rules', 'mark'] : ['its own rules, without marks', 'task'];
  throw new ReinError('config', `${folder} is of a task that is judged by ${who}.`, { remedy: `Give --by ${wanted}.` });
}

function oneHeader(runs: readonly RunStates[], folders: readonly string[]): LabelHeader {
  const [first, ...others] = runs;
  if (first === undefined) throw new RangeError('states are collected from one run at least');
  for (const [i, { header }] of others.entries()) checkSameLabels(folders[i + 1]!, header, first.header);
  return first.header;
}

interface Candidate extends LabelledState {
  /** A negative from shortly before a success. */
  readonly isNear: boolean;
}

function statesOf({ episodes }: RunStates, guardSteps: number, by: LabelSource): Candidate[] {
  return episodes.flatMap((each) =>
    each.states.flatMap((observation, step) => {
      const success = labelOf(each, step, guardSteps);
      const { run, epoch, episode, firstSuccess } = each;
      const isNear = success === false && firstSuccess !== null && step >= firstSuccess - guardSteps - NEAR_STEPS;
      return success === undefined ? [] : [{ success, by, run, epoch, episode, step, observation, isNear }];
    }),
  );
}

/** Draws `count` of `states` without replacement, in their original order. */
function drawn<T>(states: readonly T[], count: number, rng: Rng): T[] {
  const places = states.map((_, i) => i);
  for (let i = 0; i < Math.min(count, places.length); i++) {
    const other = i + rng.int(places.length - i);
    [places[i], places[other]] = [places[other]!, places[i]!];
  }
  return places
    .slice(0, count)
    .sort((a, b) => a - b)
    .map((i) => states[i]!);
}
