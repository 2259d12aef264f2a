/**
 * How much newer the code is than a page of figures: the commits of `src/` and `config/` since the commit, or the day, of the figures.
 * `npm run docs` updates the counts.
 */
import { spawnSync } from 'node:child_process';

const SENTENCE =
  /((?:Of|The oldest part is of) (?:commit `([0-9a-f]{7,40})`|(\d{4}-\d\d-\d\d)): )(\d+)( or more later commits changed the code \(`src\/`, `config\/`\)\.)/g;
/** Number of commits by which a count on a page may be behind: otherwise each commit would change the page. */
const BEHIND = 25;

/** Returns a sentence for a page of figures; `of`: a commit, or a day as YYYY-MM-DD. `which`: all of the page, or its oldest part. */
export function ageSentence(of, which = 'all') {
  const what = /^\d{4}-\d\d-\d\d$/.test(of) ? of : `commit \`${of.slice(0, 8)}\``;
  return `${which === 'oldestPart' ? 'The oldest part is of' : 'Of'} ${what}: 0 or more later commits changed the code (\`src/\`, \`config/\`).`;
}

/** Returns `text` with all counts set to 0, for a comparison that ignores them. */
export function withoutAges(text) {
  return text.replace(SENTENCE, '$10$5');
}

/** Returns `text` with the counts of the repository at `root`; keeps those a few commits behind, and unknown ones (shallow clone). */
export function withAges(text, root) {
  return text.replace(SENTENCE, (sentence, before, commit, day, shown, after) => {
    const count = commitsSince(root, commit, day);
    return count === undefined || count - Number(shown) <= BEHIND ? sentence : `${before}${count}${after}`;
  });
}

/** Returns the README's `text` with each linked page of figures dated as that page itself is. `read` returns the text of a page. */
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
