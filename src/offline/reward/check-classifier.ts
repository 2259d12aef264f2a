/** `rein reward check`: compares a classifier on unseen runs with the verdicts of the task or the operators. */
import { observationSize } from '../../model/index.ts';
import { appendLabels, checkSameLabels, episodeText, type LabelledState, type LabelPlace } from '../../record/index.ts';
import { loadRewardClassifier, type RewardClassifier, readRewardManifest } from '../../tasks/index.ts';
import { GUARD_STEPS } from './collect-labels.ts';
import { labelOf, type RunEpisode, readRunStates } from './run-states.ts';
import { countAt, type Scored, type ThresholdCounts } from './threshold.ts';

export interface CheckOptions {
  readonly classifier: string;
  readonly runs: readonly string[];
  /** Absent: the threshold of the manifest. */
  readonly threshold?: number | undefined;
  readonly guardSteps?: number | undefined;
  /** Label file to which misclassified states are appended. */
  readonly mine?: string | undefined;
}

/** A state that was classified as a success but is none. */
export interface FalsePositive extends LabelPlace {
  readonly probability: number;
  /** Steps until the episode's success; null if it has none. */
  readonly stepsToSuccess: number | null;
}

/** Verdict of the task or the operators on this state, for display. */
export function truthOf({ stepsToSuccess }: FalsePositive): string {
  if (stepsToSuccess === null) return 'this episode has no success';
  return `the success came ${stepsToSuccess} ${stepsToSuccess === 1 ? 'step' : 'steps'} later`;
}

/** Outcome of the episodes if the classifier had decided them. */
export interface EpisodeCounts {
  readonly forSteps: number;
  /** Episodes in which it fires before the success, or without one. */
  readonly falselyEnded: number;
}

export interface ClassifierCheck {
  readonly threshold: number;
  readonly states: ThresholdCounts;
  readonly episodes: number;
  readonly successes: number;
  /** By the number of consecutive steps that must count as a success. */
  readonly byForSteps: readonly EpisodeCounts[];
  /** In order of decreasing probability. */
  readonly falsePositives: readonly FalsePositive[];
  /** Number of states appended to the label file. */
  readonly mined: { readonly negatives: number; readonly positives: number };
}

const FOR_STEPS = [1, 2, 3];

interface Judged {
  readonly state: LabelledState;
  readonly probability: number;
}

/** Runs the classifier over all states of the runs. Throws `ReinError`. */
export function checkClassifier(options: CheckOptions, say: (message: string) => void): ClassifierCheck {
  const { classifier: path, runs: folders, mine } = options;
  const manifest = readRewardManifest(path);
  const runs = folders.map((folder) => readRunStates(folder, say));
  const headers = runs.map(({ header }) => header);
  for (const [i, header] of headers.entries()) checkSameLabels(folders[i]!, header, manifest);
  const size = observationSize(headers[0]!.observation);
  const classifier = loadRewardClassifier(path, { schemaHash: manifest.schemaHash, observationSize: size });
  const threshold = options.threshold ?? manifest.threshold;
  const judged = runs.flatMap(({ sources, episodes }) => {
    // If an operator may have marked the success, the mark may be late.
    const by = sources.includes('mark') ? 'mark' : 'task';
    return episodes.flatMap((each) => judgedStates(each, by, options.guardSteps ?? GUARD_STEPS[by], classifier));
  });
  const wrong = judged.filter(({ state, probability }) => probability >= threshold !== state.success);
  const mined = wrong.map(({ state }) => (state.success ? state : { ...state, by: 'mined' as const }));
  if (mine !== undefined && mined.length > 0) appendLabels(mine, headers[0]!, mined);
  const episodes = runs.flatMap((run) => run.episodes);
  const falseOnes = wrong.filter(({ state }) => !state.success);
  return {
    threshold,
    states: countAt(judged.map(scoredOf), threshold),
    episodes: episodes.length,
    successes: episodes.filter(({ firstSuccess }) => firstSuccess !== null).length,
    byForSteps: FOR_STEPS.map((forSteps) => episodeCounts(episodes, classifier, threshold, forSteps)),
    falsePositives: falseOnes
      .map(({ state, probability }) => falsePositiveOf(state, probability, episodes))
      .sort((a, b) => b.probability - a.probability),
    mined: mine === undefined ? { negatives: 0, positives: 0 } : minedOf(falseOnes.length, wrong.length),
  };
}

function minedOf(negatives: number, wrong: number): ClassifierCheck['mined'] {
  return { negatives, positives: wrong - negatives };
}

function scoredOf({ state, probability }: Judged): Scored {
  return { probability, success: state.success };
}

function judgedStates(
  each: RunEpisode,
  by: LabelledState['by'],
  guardSteps: number,
  classifier: RewardClassifier,
): Judged[] {
  const { run, epoch, episode } = each;
  return each.states.flatMap((observation, step) => {
    const success = labelOf(each, step, guardSteps);
    if (success === undefined) return [];
    const state = { success, by, run, epoch, episode, step, observation };
    return [{ state, probability: classifier.probability(observation) }];
  });
}

function falsePositiveOf(
  { run, epoch, episode, step }: LabelledState,
  probability: number,
  episodes: readonly RunEpisode[],
): FalsePositive {
  const own = episodes.find((each) => episodeText(each) === episodeText({ run, epoch, episode }));
  const success = own?.firstSuccess ?? null;
  return { run, epoch, episode, step, probability, stepsToSuccess: success === null ? null : success - step };
}

function episodeCounts(
  episodes: readonly RunEpisode[],
  classifier: RewardClassifier,
  threshold: number,
  forSteps: number,
): EpisodeCounts {
  let falselyEnded = 0;
  for (const { states, firstSuccess } of episodes) {
    let counted = 0;
    const end = states.findIndex((observation) => {
      counted = classifier.probability(observation) >= threshold ? counted + 1 : 0;
      return counted >= forSteps;
    });
    if (end >= 0 && (firstSuccess === null || end < firstSuccess)) falselyEnded++;
  }
  return { forSteps, falselyEnded };
}
