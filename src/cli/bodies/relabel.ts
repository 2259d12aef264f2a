/** What `rein relabel` does. */
import { dirname } from 'node:path';
import { isIntervention, ReinError, type Transition } from '../../core/index.ts';
import { interventionRule } from '../../learner/options.ts';
import { journalFolderIn, readJournal } from '../../link/index.ts';
import { appendRelabel, type EpisodePlace, type Relabel, readRelabelling, relabelText } from '../../record/index.ts';
import type { RelabelOptions } from '../relabel.ts';

export async function relabelBody({ run, rule, episode, as, steps, undo }: RelabelOptions): Promise<number> {
  const journal = journalFolderIn(run);
  if (journal === undefined || journal === run) {
    throw new ReinError('storage', `There is no journal in a folder of ${run}.`, {
      remedy: 'Give the folder of a rein run, sim or train, such as runs/a1.',
    });
  }
  const folder = dirname(journal);
  const said = readRelabelling(folder);
  if (undo !== undefined) {
    if (said.all.every(({ id }) => id !== undo)) throw refused(`There is no number ${undo} that holds.`);
    appendRelabel(folder, { kind: 'undo', of: undo });
  }
  if (Object.keys(rule).length > 0) {
    interventionRule({ ...said.rule, ...rule });
    appendRelabel(folder, { kind: 'rule', rule });
  }
  if (episode !== undefined && as !== undefined) appendRelabel(folder, relabelOf(journal, episode, as, steps));
  const { all } = readRelabelling(folder);
  const lines = all.map((each) => `${String(each.id).padStart(4)}  ${relabelText(each)}`);
  process.stdout.write(`${lines.length === 0 ? 'Nothing is said of this run.' : lines.join('\n')}\n`);
  return 0;
}

function relabelOf(
  journal: string,
  episode: string,
  as: NonNullable<RelabelOptions['as']>,
  steps: string | undefined,
): Relabel {
  const place = placeOf(episode);
  const recorded = [...readJournal(journal)].filter((t) => t.epoch === place.epoch && t.episode === place.episode);
  if (recorded.length === 0) {
    throw refused(`The journal has no episode ${place.episode} of start ${place.epoch}.`);
  }
  if (as === 'drop') return { kind: 'drop', ...place };
  if (as === 'success' || as === 'failure') return { kind: 'outcome', ...place, success: as === 'success' };
  return { kind: 'phase', ...place, phase: as === 'recovery' ? 'recover' : 'correct', ...stepsOf(recorded, steps) };
}

function placeOf(episode: string): EpisodePlace {
  const [, epoch = '1', number] = /^(?:(\d+):)?(\d+)$/.exec(episode) ?? [];
  if (number === undefined) throw refused(`"${episode}" is no episode: write 12, or 2:12 of the second start.`);
  return { epoch: Number(epoch), episode: Number(number) };
}

/** Only what a person decided is a recovery or a correction. */
function stepsOf(
  recorded: readonly Transition[],
  written: string | undefined,
): { readonly fromStep: number; readonly toStep: number } {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(written ?? `0-${recorded.at(-1)!.step}`) ?? [];
  if (from === undefined || to === undefined) throw refused(`"${written}" are no steps: write 31-38.`);
  const [fromStep, toStep] = [Number(from), Number(to)];
  const isAny = recorded.some(({ source, step }) => isIntervention(source) && step >= fromStep && step <= toStep);
  if (!isAny) throw refused(`Nobody but the policy decided any of the steps ${from} to ${to}.`);
  return { fromStep, toStep };
}

function refused(message: string): ReinError {
  return new ReinError('config', message, {
    remedy: 'Nothing was written; rein relabel <run> --list shows what holds.',
  });
}
