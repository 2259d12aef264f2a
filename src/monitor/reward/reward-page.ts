/** Page on a reward classifier's check: the states checked and its verdicts, self-contained. */
import { replaceFile } from '../../host/index.ts';
import { percent, ReinError } from '../../model/index.ts';
import { type ClassifierCheck, type FalsePositive, truthOf } from '../../offline/index.ts';
import type { Share } from '../../tasks/index.ts';
import { cards, type Html, html, meter, meters, numbers, renderPage, section, table, words } from '../page/html.ts';

/** Longest table. */
const MOST_ROWS = 200;

/** Writes the page; returns its path. Rejects with `ReinError('storage')`. */
export async function writeRewardPage(path: string, check: ClassifierCheck): Promise<string> {
  try {
    await replaceFile(path, rewardPage(check));
  } catch (cause) {
    throw new ReinError('storage', `The page ${path} cannot be written: ${(cause as Error).message}.`, {
      remedy: 'Choose another path for --page.',
      cause,
    });
  }
  return path;
}

function rewardPage(check: ClassifierCheck): string {
  const { threshold, states, episodes, successes, byForSteps, falsePositives } = check;
  return renderPage({
    title: 'Reward classifier, checked',
    kind: 'reward classifier',
    header: html`<h1>What the classifier takes for a success</h1><p>A state counts from a probability of ${threshold.toFixed(3)} on. Checked on ${episodes} episodes, ${successes} of them with a success.</p>`,
    sections: [
      section('Figures', figureCards(states)),
      section(
        'Episodes',
        table(
          ['states one after another', numbers('ended falsely')],
          byForSteps.map(({ forSteps, falselyEnded }) => [forSteps, `${falselyEnded} of ${episodes}`]),
        ),
        'Episodes that the classifier would have ended falsely (forSteps).',
      ),
      section(
        'False positives',
        falsePositives.length === 0 ? html`<p>None.</p>` : rowsOf(falsePositives),
        'States without success that it takes for one, the most certain first. Append them to the labels with --mine, and train again.',
      ),
    ],
    footer: html`Written by rein reward check.`,
  });
}

function figureCards({ precision, recall, falsePositives, falseNegatives }: ClassifierCheck['states']): Html {
  return cards([
    ['Precision', percent(precision.rate), intervalText(precision), falsePositives === 0 ? 'good' : 'plain'],
    ['Recall', percent(recall.rate), intervalText(recall), 'plain'],
    ['False positives', String(falsePositives), 'states', falsePositives === 0 ? 'good' : 'bad'],
    ['Missed successes', String(falseNegatives), 'states', falseNegatives === 0 ? 'good' : 'plain'],
  ]);
}

function rowsOf(falsePositives: readonly FalsePositive[]): Html {
  const columns = ['run', numbers('episode'), numbers('step'), numbers('probability'), meters(''), words('truth')];
  const rows = falsePositives.slice(0, MOST_ROWS).map((found) => {
    const { run, episode, step, probability } = found;
    return [run, episode, step, probability.toFixed(3), meter(probability, 'red'), truthOf(found)];
  });
  return table(columns, rows);
}

function intervalText({ low, high }: Share): string {
  return `95 % interval ${percent(low)} to ${percent(high)}`;
}
