/**
 * How much newer than a page of figures the code is: the commits of `src/` and `config/` since the commit, or the day, that the figures are of.
 * `npm run docs` counts them anew.
 */
import { spawnSync } from 'node:child_process';

const SENTENCE =
  /((?:Of|The oldest part is of) (?:commit `([0-9a-f]{7,40})`|(\d{4}-\d\d-\d\d)): )(\d+)( or more later commits changed the code \(`src\/`, `config\/`\)\.)/g;
/** A count on a page may be behind by so many commits: each commit would change the page otherwise. */
const BEHIND = 25;

/** A sentence for a page of figures; `of`: a commit, or a day as YYYY-MM-DD. `which`: all of the page, or the oldest part of several. */
export function ageSentence(of, which = 'all') {
  const what = /^\d{4}-\d\d-\d\d$/.test(of) ? of : `commit \`${of.slice(0, 8)}\``;
  return `${which === 'oldestPart' ? 'The oldest part is of' : 'Of'} ${what}: 0 or more later commits changed the code (\`src/\`, \`config/\`).`;
}

/** `text` as `npm run docs` found it, for a comparison that leaves the counts out. */
export function withoutAges(text) {
  return text.replace(SENTENCE, '$10$5');
}

/** `text` with the counts of the repository at `root`; those that are few commits behind stay, and those that it cannot give (a shallow clone, no Git). */
export function withAges(text, root) {
  return text.replace(SENTENCE, (sentence, before, commit, day, shown, after) => {
    const count = commitsSince(root, commit, day);
    return count === undefined || count - Number(shown) <= BEHIND ? sentence : `${before}${count}${after}`;
  });
}

/** `text` of the README, in which each page of figures that it links is of what that page says it is of. `read` gives the text of a page. */
export function withLinkedAges(text, read) {
  const linked = new RegExp(`(\\]\\((docs/[\\w-]+\\.md)\\): )${SENTENCE.source}`, 'g');
  return text.replace(linked, (sentence, link, page) => {
    const [own] = read(page).match(SENTENCE) ?? [];
    return own === undefined ? sentence : link + own;
  });
}

function commitsSince(root, commit, day) {
  const range = commit === undefined ? [`--since=${day}T23:59:59Z`, 'HEAD'] : [`${commit}..HEAD`];
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (git('rev-parse', '--is-shallow-repository').stdout?.trim() !== 'false') return undefined;
  const { status, stdout } = git('rev-list', '--count', ...range, '--', 'src', 'config');
  return status === 0 ? Number(stdout) : undefined;
}
