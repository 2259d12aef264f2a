/** What `rein relabel` does. */
import { dirname } from 'node:path';
import { ReinError } from '../../core/index.ts';
import { interventionRule } from '../../learner/options.ts';
import { journalFolderIn, readJournal } from '../../link/index.ts';
import {
  appendRelabel,
  type EpisodePlace,
  readRelabelling,
  relabelEpisode,
  relabelText,
  undoRelabel,
} from '../../record/index.ts';
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
  if (undo !== undefined) undoRelabel(folder, undo);
  if (Object.keys(rule).length > 0) {
    interventionRule({ ...said.rule, ...rule });
    appendRelabel(folder, { kind: 'rule', rule });
  }
  if (episode !== undefined && as !== undefined) {
    const place = placeOf(episode);
    const recorded = [...readJournal(journal)].filter((t) => t.epoch === place.epoch && t.episode === place.episode);
    if (recorded.length === 0) {
      throw new ReinError('config', `The journal has no episode ${place.episode} of start ${place.epoch}.`);
    }
    relabelEpisode(folder, { ...place, as, steps }, recorded);
  }
  const { all } = readRelabelling(folder);
  const lines = all.map((each) => `${String(each.id).padStart(4)}  ${relabelText(each)}`);
  process.stdout.write(`${lines.length === 0 ? 'Nothing is said of this run.' : lines.join('\n')}\n`);
  return 0;
}

function placeOf(episode: string): EpisodePlace {
  const [, epoch = '1', number] = /^(?:(\d+):)?(\d+)$/.exec(episode) ?? [];
  if (number === undefined) {
    throw new ReinError('config', `"${episode}" is no episode: write 12, or 2:12 of the second start.`);
  }
  return { epoch: Number(epoch), episode: Number(number) };
}
