/** What keeps a run from learning, as a page for people: `docs/why-not-learning.md`. */
import { markdownTable } from '../src/core/text.ts';
import { type Check, type Limit, quantityText } from '../src/record/diagnosis/check.ts';
import { CHECKS } from '../src/record/diagnosis/checks.ts';

const HEAD = `# Why is it not learning?

Written by \`npm run docs\` from the checks in \`src/record/diagnosis/\`; change those, not this page.

A run that does not learn says why: \`rein why RUN\` looks at what it has recorded, while it goes on, after it was stopped, or when it is
over; \`--json\` gives the same to programs, and the exit code is 1 where a row is bad. The run's report has the rows as a table, and the
screen of a live run says once when one turns bad.

Each row is **ok**, **doubtful**, **bad** or **unknown**: not recorded, or too little of it yet. The numbers come from the run's metrics
(\`metrics.jsonl\` of the robot, \`metrics-learner.jsonl\` of the learner: put both into one folder where they were written on two machines).
Recent means the last blocks of 500 steps.

Thresholds were set with margin on runs that learn as they should: a point on a line, an insertion, a pendulum and a reacher, with RLPD,
HIL-SERL, WSRL, SAC and TD3, the demo (\`rein sim\`), and described tasks: a penalty for failing, a reward for the way, an arm moved by its seven joints.
\`npm run evidence -- --only diagnosis\` trains them again, checks that no row of theirs is ever bad and that nothing is worse than what stands here as theirs, and
breaks training on purpose in more than thirty ways, each of which has to light its row. What a configuration refuses (a learning rate of 1, a \`utd\` below 1,
a place that is not there) is refused before a run begins.
Where a number is from elsewhere, its source stands beside it. A threshold says where to look; it does not prove that a run is sound.

`;

/** The text of the page. */
export function whyReference(): string {
  const overview = markdownTable(
    ['check', 'bad where'],
    CHECKS.map(({ id, title, limits }) => [`[${title}](#${slug(title)}) (\`${id}\`)`, limits.map(badText).join('; ')]),
  );
  return [HEAD, overview, ...CHECKS.map(chapter)].join('');
}

function chapter({ id, title, about, limits, remedy }: Check): string {
  const rows = limits.map((limit) => [
    limit.what,
    ends(limit, limit.warn),
    ends(limit, limit.bad),
    limit.healthy === undefined ? '–' : quantityText(limit.healthy, limit.unit),
    limit.source ?? 'those runs',
  ]);
  const table = markdownTable(['looked at', 'doubtful', 'bad', 'worst of the healthy runs', 'from'], rows);
  return `\n## ${title}\n\n\`${id}\`. ${about}\n\n${table}\n**What to do.** ${remedy}\n`;
}

function badText(limit: Limit): string {
  const end = limit.bad ?? limit.warn;
  return `${limit.what} ${ends(limit, end)}${limit.bad === undefined ? ' (doubtful)' : ''}`;
}

function ends({ side, unit }: Limit, end: number | undefined): string {
  return end === undefined ? '–' : `${side} ${quantityText(end, unit)}`;
}

/** Of a heading, as Markdown readers make links to it. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
