/** Body of `rein relabel`. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { interventionRule } from '../../learner/options.ts';
import { journalFolderIn, readJournal } from '../../link/index.ts';
import { ReinError } from '../../model/index.ts';
import {
  appendRelabels,
  type EpisodePlace,
  type Relabel,
  Relabelling,
  readRelabelling,
  relabelOf,
  relabelText,
  undoOf,
} from '../../record/index.ts';
import type { RelabelOptions } from '../relabel.ts';

/** A single error refuses the whole call: then nothing is written. */
export async function relabelBody(options: RelabelOptions): Promise<number> {
  const { run, undo } = options;
  const journal = journalFolderIn(run);
  if (journal === undefined || journal === run) {
    const message = existsSync(run) ? `There is no journal in a folder of ${run}.` : `There is no folder ${run}.`;
    throw new ReinError('storage', message, {
      remedy: 'Give the folder of a rein run, sim or train, such as runs/a1.',
    });
  }
  const folder = dirname(journal);
  const said = readRelabelling(folder);
  const undone = undo === undefined ? [] : [undoOf(said, undo)];
  appendRelabels(folder, [...undone, ...ruleOf(said, options), ...ofEpisode(journal, options)]);
  const { all } = readRelabelling(folder);
  const lines = all.map((each) => `${String(each.id).padStart(4)}  ${relabelText(each)}`);
  process.stdout.write(`${lines.length === 0 ? 'This run has no relabel entries.' : lines.join('\n')}\n`);
  return 0;
}

function ruleOf(said: Relabelling, { rule, undo }: RelabelOptions): Relabel[] {
  if (Object.keys(rule).length === 0) return [];
  const held = new Relabelling(said.all.filter(({ id }) => id !== undo));
  interventionRule({ ...held.rule, ...rule });
  return [{ kind: 'rule', rule }];
}

function ofEpisode(journal: string, { episode, as, steps }: RelabelOptions): Relabel[] {
  if (episode === undefined || as === undefined) return [];
  const place = placeOf(episode);
  const recorded = [...readJournal(journal)].filter((t) => t.epoch === place.epoch && t.episode === place.episode);
  if (recorded.length === 0) {
    throw new ReinError('config', `The journal has no episode ${place.episode} of start ${place.epoch}.`);
  }
  return [relabelOf({ ...place, as, steps }, recorded)];
}

function placeOf(episode: string): EpisodePlace {
  const [, epoch = '1', number] = /^(?:(\d+):)?(\d+)$/.exec(episode) ?? [];
  if (number === undefined) {
    throw new ReinError('config', `"${episode}" is no episode: write 12, or 2:12 of the second start.`);
  }
  return { epoch: Number(epoch), episode: Number(number) };
}
