/** Transitions for a pre-training: of a robot run, of a training, or of an environment's expert. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadResolvedConfig } from '../../config/index.ts';
import { createSetup } from '../../config/setup.ts';
import { routedOffline } from '../../learner/index.ts';
import { type InterventionRule, interventionRule } from '../../learner/options.ts';
import { type JournalLoss, readJournal } from '../../link/index.ts';
import { ReinError } from '../../model/index.ts';
import { RUN_FILES, readRelabelling } from '../../record/index.ts';
import type { Transition } from '../../rows/index.ts';
import type { CollectedData, ExpertData, LoadLab } from '../lab.ts';
import { readTrialSpec, TRIAL_FILES } from '../trial-spec.ts';

/** Source of the transitions. */
export type PretrainingData =
  /** Transitions of a run: of `rein train`, or the journal of a robot. */
  { readonly kind: 'run'; readonly folder: string } | ExpertData;

/**
 * Collects the transitions with their relabelling applied and drops those excluded by the intervention rule: `rule`, overridden
 * by the keys of the relabelling. Damaged records are skipped and reported to `say`. Rejects with `ReinError` if a run cannot
 * be read, or nothing of its journal can be.
 */
export async function collectData(
  data: PretrainingData,
  seed: number,
  say: (message: string) => void,
  loadLab: LoadLab,
  rule: InterventionRule = interventionRule({}),
): Promise<CollectedData> {
  if (data.kind === 'environment') return (await loadLab()).shown(data, seed);
  const { folder } = data;
  const isTrial = existsSync(join(folder, TRIAL_FILES.spec));
  const { parts, actionSize } = isTrial
    ? await trialSizes(folder, loadLab)
    : createSetup(loadResolvedConfig(join(folder, RUN_FILES.config)));
  const relabelled = readRelabelling(folder);
  const kept = journalOf(join(folder, TRIAL_FILES.transitions), say).filter((each) => !relabelled.apply(each));
  return { name: folder, parts, actionSize, transitions: routedOffline(kept, interventionRule(relabelled.rule, rule)) };
}

function journalOf(journal: string, say: (message: string) => void): Transition[] {
  const losses: JournalLoss[] = [];
  const reasons: string[] = [];
  const onFault = ({ message }: { readonly message: string }, loss: JournalLoss): void => {
    reasons.push(message);
    losses.push(loss);
  };
  const transitions = [...readJournal(journal, { onFault })];
  const [first] = losses;
  if (first === undefined) return transitions;
  const where = `${first.record === 0 ? 'the header' : `record ${first.record}`} of ${basename(first.path)}: ${reasons[0]}`;
  const damage = `The journal ${journal} is damaged, first in ${where}; ${lostOf(losses)}`;
  if (transitions.length === 0) {
    throw new ReinError('storage', `${damage}, and nothing is left to learn from.`, {
      remedy: 'Restore the journal from a copy, or give another run.',
    });
  }
  say(`${damage}; ${transitions.length} are left to learn from.`);
  return transitions;
}

function lostOf(losses: readonly JournalLoss[]): string {
  const records = losses.reduce((sum, loss) => sum + (loss.records ?? 0), 0);
  const files = losses.filter((loss) => loss.records === undefined).length;
  const inFiles = files === 0 ? [] : [`the transitions of ${files} ${files === 1 ? 'file' : 'files'}`];
  const single = records === 0 ? [] : [`${records} ${records === 1 ? 'transition' : 'transitions'}`];
  return `lost are ${[...single, ...inFiles].join(' and ')}`;
}

async function trialSizes(folder: string, loadLab: LoadLab): Promise<Pick<CollectedData, 'parts' | 'actionSize'>> {
  const spec = readTrialSpec(folder);
  const environment = await (await loadLab()).environmentOf(spec);
  const { parts, actionSize } = environment;
  environment.close();
  return { parts, actionSize };
}
