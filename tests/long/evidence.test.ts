/** `npm run evidence -- --page`: a page from what is kept, which says what is missing, and of which commit and machine each part is. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const OTHER = '0123456789abcdef0123456789abcdef01234567';
const robot = { name: 'elbow', source: 'https://example.org/elbow', commit: 'feedfacefeedface', command: 'rein …' };
const result = {
  joints: 1,
  ticks: 700,
  verdict: 'The reference of elbow held.',
  stages: [{ stage: 'tank', share: 0.25 }],
};
const kept = { ok: true, createdAt: '2026-01-02T03:04:05.000Z', wallS: 9, foreign: [{ ...robot, result }] };
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-evidence-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function page(
  commit: string | null,
  more: object = {},
): { status: number | null; stderr: string; text: string; json: string } {
  writeFileSync(join(dir, 'kept.json'), JSON.stringify({ ...kept, commit, ...more }));
  const script = ['scripts/evidence.js', '--page', '--parts', join(dir, 'parts'), '--out', dir];
  const ended = spawnSync(process.execPath, [...script, '--keep', `foreign=${join(dir, 'kept.json')}`], {
    cwd: root,
    encoding: 'utf8',
  });
  if (ended.status === 2) return { status: 2, stderr: ended.stderr, text: '', json: '' };
  const [text, json] = ['safety-check.md', 'evidence.json'].map((name) => readFileSync(join(dir, name), 'utf8'));
  return { status: ended.status, stderr: ended.stderr, text: text!, json: json! };
}

describe('npm run evidence -- --page', { timeout: 60_000 }, () => {
  it('writes what is kept into both files, with its commit, and says that nobody knows the machine', () => {
    const { status, text, json } = page(OTHER);
    // Parts are missing: the page is not as promised.
    expect(status).toBe(1);
    expect(text).toContain(
      '| foreign | 0123456789ab, **which is not in the history of this page** | 2026-01-02 03:04 | not known |',
    );
    expect(text).toContain(
      '| elbow | [feedfacefeed](https://example.org/elbow) | – | 1 | 700 | The reference of elbow held. |',
    );
    expect(text).toContain('| elbow | 25 |');
    expect(text).toContain('**Missing**: not run (`node scripts/safety-million.js`)');
    expect(JSON.parse(json).parts.foreign.result.foreign[0].name).toBe('elbow');
  });

  it('is as old as its oldest part, and keeps the machine of each that is not made anew', () => {
    const [head, old] = ['HEAD', 'HEAD~1'].map((of) =>
      execFileSync('git', ['rev-parse', of], { cwd: root, encoding: 'utf8' }).trim(),
    );
    const quick = { cpu: 'Quick', cores: 8, memoryGiB: 31.4, kernel: '6.1', node: 'v20.0.0' };
    page(old!, { machine: quick });
    // The other part alone is here anew: the first is taken from evidence.json.
    rmSync(join(dir, 'parts'), { recursive: true });
    mkdirSync(join(dir, 'parts'));
    const bench = { machine: { cpu: 'Slow', cores: 1, node: 'v22.0.0', loadBefore: 0 }, failures: [] };
    const made = { commit: head, exitCode: 0, seconds: 1, madeAt: '2026-03-04T05:06:07.000Z', lines: [] };
    writeFileSync(join(dir, 'parts', 'benchTick.json'), JSON.stringify({ ...made, result: { ...bench, phases: [] } }));
    const script = ['scripts/evidence.js', '--page', '--parts', join(dir, 'parts'), '--out', dir];
    spawnSync(process.execPath, script, { cwd: root });
    const [text, json] = ['safety-check.md', 'evidence.json'].map((name) => readFileSync(join(dir, name), 'utf8'));
    expect(text).toContain(`The oldest part is of commit \`${old!.slice(0, 8)}\`: 0 or more later commits`);
    expect(text).toMatch(/\| foreign \| \w{12} \| .* \| 8 × Quick, 31 GiB, Linux 6\.1, Node v20\.0\.0 \|/);
    expect(text).toMatch(/\| benchTick \| \w{12} \| .* \| 1 × Slow, Node v22\.0\.0 \|/);
    expect(JSON.parse(json!).parts.foreign.machine).toEqual(quick);
  });

  it('makes the page from evidence.json where no part is kept, and keeps what is written by hand', () => {
    const { json } = page(OTHER);
    const elsewhere = join(dir, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'evidence.json'), json);
    writeFileSync(
      join(elsewhere, 'safety-check.md'),
      'By hand.\n<!-- What follows is written by npm run evidence. -->\nOld.\n',
    );
    const script = ['scripts/evidence.js', '--page', '--parts', join(elsewhere, 'none'), '--out', elsewhere];
    expect(spawnSync(process.execPath, script, { cwd: root }).status).toBe(0);
    const made = readFileSync(join(elsewhere, 'safety-check.md'), 'utf8');
    expect(made).toMatch(/^By hand\.\n<!-- .*-->\n\n## What was tried\n/);
    expect(made).not.toContain('Old.');
    expect(readFileSync(join(elsewhere, 'evidence.json'), 'utf8')).toBe(json);
  });

  it('refuses a result that does not say of which commit it is', () => {
    const { status, stderr } = page(null);
    expect(status).toBe(2);
    expect(stderr).toContain('does not say of which commit it is');
  });
});

describe('npm run evidence', { timeout: 60_000 }, () => {
  let clone: string;

  /** A repository with the scripts and one file more, all committed; nothing to build with, so that nothing runs. */
  beforeAll(() => {
    clone = join(dir, 'clone');
    mkdirSync(join(clone, 'scripts'), { recursive: true });
    for (const name of readdirSync(join(root, 'scripts')).filter((each) => each.endsWith('.js')))
      cpSync(join(root, 'scripts', name), join(clone, 'scripts', name));
    cpSync(join(root, 'src', 'model', 'text.ts'), join(clone, 'src', 'model', 'text.ts'));
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    cpSync(join(root, 'package.json'), join(clone, 'package.json'));
    writeFileSync(join(clone, 'limits.yaml'), 'speed: 1\n');
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: clone, stdio: 'ignore' });
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'first');
  });

  function run(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    const ended = spawnSync(process.execPath, ['scripts/evidence.js', ...args], { cwd: clone, encoding: 'utf8' });
    return { status: ended.status, stdout: ended.stdout, stderr: ended.stderr };
  }

  it('refuses files that are changed and not committed, before anything runs, unless it is told to', () => {
    writeFileSync(join(clone, 'limits.yaml'), 'speed: 2\n');
    const { status, stdout, stderr } = run();
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Files are changed and not committed: .*\n {2}→ commit or stash them; --dirty /);
    expect(run('--dirty').stdout).toMatch(/ parts, about /);
    execFileSync('git', ['checkout', '-q', 'limits.yaml'], { cwd: clone });
    expect(run().stderr).not.toContain('not committed');
  });

  it('says first how many parts there are and how long they take', () => {
    const whole = /^(\d+) parts, about (\d+) min in all; nothing else should run meanwhile\n/.exec(run().stdout)!;
    expect(Number(whole[1])).toBeGreaterThan(8);
    expect(run('--quick').stdout).toMatch(/^\d+ parts, about \d+ (s|min) in all/);
    expect(run('--only', 'nothing').stderr).toMatch(/^There is no part nothing\. Parts: million, /);
  });
});
