/** States of finished runs by episode, with their success labels: by the task's own rules, or by operators' marks. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadResolvedConfig } from '../../config/index.ts';
import { createSetup, type RunSetup } from '../../config/setup.ts';
import { readJournal } from '../../link/index.ts';
import { ReinError } from '../../model/index.ts';
import { type LabelHeader, parseMetrics, RUN_FILES } from '../../record/index.ts';
import type { Transition } from '../../rows/index.ts';
import { runIdOf } from '../../session/index.ts';
import { hasRules } from '../../tasks/index.ts';
import { TRIAL_FILES } from '../trial-spec.ts';

/** One episode of a run. */
export interface RunEpisode {
  readonly run: string;
  readonly epoch: number;
  readonly episode: number;
  /** The observation after each step, from step 0 on. */
  readonly states: readonly Float32Array[];
  /** Index of the first successful state; null if there is none. Later states are unlabelled. */
  readonly firstSuccess: number | null;
}

export interface RunStates {
  readonly header: LabelHeader;
  /** Possible sources of the success labels. */
  readonly sources: readonly ('task' | 'mark')[];
  readonly episodes: readonly RunEpisode[];
}

/**
 * Reads the run in `folder`. Unreadable records and unjudged episodes are skipped and reported to `say`. Throws `ReinError` if
 * the folder is no run of a robot, or its journal is empty.
 */
export function readRunStates(folder: string, say: (message: string) => void): RunStates {
  const file = join(folder, RUN_FILES.config);
  if (!existsSync(file)) {
    throw new ReinError('config', `${folder} is no run of a robot: it has no ${RUN_FILES.config}.`, {
      remedy: 'Give the folder of a run of rein sim or rein run, such as runs/a1.',
    });
  }
  const config = loadResolvedConfig(file);
  const setup = createSetup(config);
  const { task, schemaHash } = setup;
  const sources = sourcesOf(folder, setup);
  const { observation, action } = task;
  const header = { task: config.task.name, robot: config.robot.name, schemaHash, observation, action };
  const own = task.ownVerdict === undefined ? undefined : ownVerdicts(folder);
  const run = runIdOf(folder, config);
  const episodes: RunEpisode[] = [];
  let unjudged = 0;
  let damaged = 0;
  for (const steps of episodesOf(folder, () => damaged++)) {
    const { epoch, episode } = steps[0]!;
    const firstSuccess = own === undefined ? successIn(steps) : own.get(`${epoch} ${episode}`);
    if (firstSuccess === undefined) unjudged++;
    else episodes.push({ run, epoch, episode, states: steps.map((step) => step.nextObservation), firstSuccess });
  }
  if (damaged > 0) say(`${damaged} records of ${folder} are damaged and left out.`);
  if (unjudged > 0)
    say(`${unjudged} episodes of ${folder} were cut before the task's own verdict was written: left out.`);
  if (episodes.length === 0) {
    throw new ReinError('storage', `${folder} has no episodes in its journal.`, {
      remedy: 'Give a run that recorded transitions: rein sim, or rein run.',
    });
  }
  return { header, sources, episodes };
}

/** Label sources of the run other than a classifier. Throws `ReinError` if there are none. */
function sourcesOf(folder: string, { config, task }: RunSetup): RunStates['sources'] {
  if (task.ownVerdict !== undefined) return ['task'];
  if (task.isJudged === false) {
    throw new ReinError('config', `${folder} is of a task in which nothing is judged.`, {
      remedy: 'Give a run of a task that rules or people judge.',
    });
  }
  if (config.task.rewardClassifier === undefined) {
    return [...(hasRules(task) ? (['task'] as const) : []), ...(task.takesMarks === true ? (['mark'] as const) : [])];
  }
  throw new ReinError('config', `In ${folder} a classifier decided success, and there are no rules beside it.`, {
    remedy: 'Label states at the robot, rein reward collect --task T, or give a run that people judged.',
  });
}

/** Yields the gap-free beginning of each episode; steps from a gap on are dropped. */
function* episodesOf(folder: string, onDamage: () => void): Generator<readonly Transition[]> {
  let steps: Transition[] = [];
  for (const transition of readJournal(join(folder, TRIAL_FILES.transitions), { onFault: onDamage })) {
    const [first] = steps;
    const goesOn = first !== undefined && first.epoch === transition.epoch && first.episode === transition.episode;
    if (!goesOn) {
      if (first !== undefined) yield steps;
      steps = [];
    }
    if (transition.step === steps.length) steps.push(transition);
  }
  if (steps.length > 0) yield steps;
}

/** A task that ends with a reward has succeeded; an operator's mark counts the same. */
function successIn(steps: readonly Transition[]): number | null {
  const last = steps.at(-1)!;
  return last.terminated && last.reward > 0 ? last.step : null;
}

/** First successes by the task's own rules, in a run whose successes were decided by a classifier. */
function ownVerdicts(folder: string): ReadonlyMap<string, number | null> {
  const file = join(folder, RUN_FILES.metrics);
  const { records } = parseMetrics(existsSync(file) ? readFileSync(file, 'utf8') : '');
  return new Map(
    records.flatMap((record) =>
      record.kind === 'verdict' ? [[`${record.epoch} ${record.episode}`, record.ownFirstSuccess] as const] : [],
    ),
  );
}

/** Label of a state; `undefined` (not used) in the guard steps before a success, where rules or marks may lag, and after it. */
export function labelOf({ firstSuccess }: RunEpisode, step: number, guardSteps: number): boolean | undefined {
  if (firstSuccess === null || step < firstSuccess - guardSteps) return false;
  return step === firstSuccess ? true : undefined;
}
