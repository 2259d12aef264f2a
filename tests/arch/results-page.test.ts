/** Pages of figures: parts from a few runs, and the whole from what is kept. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SeedCurve } from '../../packages/lab/src/curves/samples.ts';
import { curvesPart } from '../../scripts/curves-page.ts';
import { withEvidence } from '../../scripts/evidence-page.js';
import { ageSentence, withAges, withLinkedAges, withoutAges } from '../../scripts/page-age.js';
import { page, type ResultsRun } from '../../scripts/results-page.js';
import { resultsPage } from '../../scripts/write-results.js';
import type { StudyFile } from '../../src/config/study-file.ts';

const root = join(import.meta.dirname, '..', '..');

describe('docs/safety-check.md', () => {
  const evidence = JSON.parse(readFileSync(join(root, 'docs', 'evidence.json'), 'utf8'));

  it('ends with what docs/evidence.json gives (else: npm run evidence -- --page)', () => {
    const shown = readFileSync(join(root, 'docs', 'safety-check.md'), 'utf8');
    expect(withoutAges(withEvidence(shown, evidence))).toBe(withoutAges(shown));
  });

  it('is as old in the README as its oldest part', () => {
    const parts = Object.values<{ madeAt: string; commit: string }>(evidence.parts);
    const oldest = parts.toSorted((a, b) => a.madeAt.localeCompare(b.madeAt))[0]!;
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(readme).toContain(`(docs/safety-check.md): The oldest part is of commit \`${oldest.commit.slice(0, 8)}\`: `);
  });
});

describe('docs/results.md', () => {
  const { text, plots } = resultsPage();

  it('is what runs and curves that are kept give (else: npm run curves -- --page)', () => {
    expect(withoutAges(readFileSync(join(root, 'docs', 'results.md'), 'utf8'))).toBe(withoutAges(text));
  });

  it('shows plots that are what the curves give', () => {
    expect(plots.size).toBeGreaterThan(10);
    for (const [path, svg] of plots) expect(readFileSync(path, 'utf8'), path).toBe(svg);
  });
});

describe('the age of figures', () => {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

  it.skipIf(git('rev-parse', '--is-shallow-repository') === 'true')(
    'is counted in commits of the code since a commit or a day',
    () => {
      for (const of of [git('rev-list', '--max-parents=0', 'HEAD'), '2020-01-01']) {
        const counted = Number(/: (\d+) or more/.exec(withAges(ageSentence(of), root))?.[1]);
        expect(counted).toBeGreaterThan(100);
        // Few commits more change no page.
        const before = ageSentence(of).replace(': 0', `: ${counted - 3}`);
        expect(withAges(before, root)).toBe(before);
      }
    },
  );

  it('stays as it is where the commit is none of this history', () => {
    expect(withAges(ageSentence('0123456789'), root)).toBe(ageSentence('0123456789'));
  });

  it('of a page is the same in the README, which links it', () => {
    const read = (path: string): string => readFileSync(join(root, path), 'utf8');
    const linked = `[Results](docs/results.md): ${ageSentence('0123456789')}`;
    const own = /Of .+ or more later commits .+?\./.exec(read('docs/results.md'))![0];
    expect(withLinkedAges(linked, read)).toBe(`[Results](docs/results.md): ${own}`);
    expect(withLinkedAges(read('README.md'), read)).toBe(read('README.md'));
  });

  it.each(['README.md', 'docs/safety-check.md', 'docs/results.md', 'docs/reward-classifier.md'])(
    'stands in %s',
    (path) => {
      // Just made anew, a page says 0.
      expect(readFileSync(join(root, path), 'utf8')).toMatch(/[Oo]f .+: \d+ or more later commits changed the code/);
    },
  );
});

function run(fields: ResultsRun = {}): ResultsRun {
  return {
    task: 'insert',
    method: 'trained',
    seed: 0,
    busy: 0,
    success_rate: 0.995,
    eval_episodes: 200,
    env_steps: 2045,
    updates: 8000,
    utd: 4,
    updates_per_s: 300,
    interventions: 4,
    intervention_steps: 80,
    training_wall_s: 30,
    target_training_wall_s: 26,
    command_s: 33,
    target_success_rate: 0.97,
    versions: {},
    safety: { violations: 0, ticks: 60_000 },
    link: { sent: 2500, lost: 0, duplicated: 0 },
    successes_per_hour: 812.4,
    training_successes_per_hour: 7.26,
    human_step_share: 0.0391,
    cpu: 'a CPU',
    cores: 2,
    ...fields,
  };
}

describe('the page of results', () => {
  it('has successes per hour and the human share of steps beside every success', () => {
    const rows = page([run()]).split('\n');
    expect(rows.find((row) => row.startsWith('| 0 |'))).toContain('| 0 | 99.5 % | 812, 7.3 | 3.9 % |');
    const compared = rows.find((row) => row.startsWith('| trained, with interventions |'));
    expect(compared).toBe('| trained, with interventions | 99.5 % | 99.5 % | 812 | 3.9 % |');
  });

  it('has as many cells in each row as its head', () => {
    const cells = (row: string): number => row.split('|').length;
    const rows = page([run(), run({ seed: 1 })]).split('\n');
    for (const [i, row] of rows.entries())
      if (row.startsWith('|---')) expect(cells(rows[i + 1]!)).toBe(cells(rows[i - 1]!));
  });

  it('counts a run that broke off as missed, and says why', () => {
    const failed = { task: 'insert', method: 'trained', seed: 1, busy: 0, failed: 'rein: the disk is full' };
    const made = page([failed, run()]);
    expect(made).toContain(
      'Reached by 1 of 2 seeds. **Broke off, without a policy: trained, seed 1: rein: the disk is full.**',
    );
    expect(made.split('\n').some((row) => row.startsWith('| 1 |'))).toBe(false);
  });

  it('counts restarts after a stop of category 1', () => {
    const made = page([run({ safety: { violations: 0, ticks: 60_000, restarts: 2 } }), run({ seed: 1 })]);
    expect(made).toContain('guard ticks, 2 restarts of the simulated robot after a stop of category 1,');
  });

  it('compares busy runs with quiet ones to the bit, and names another processor', () => {
    const same = { policy_sha256: 'a', metrics_sha256: 'b' };
    const quiet = [run(same), run({ ...same, seed: 1 })];
    const made = page([...quiet, run({ ...same, busy: 2, cpu: 'another' })]);
    expect(made).toContain('1 of 2 seeds gave the same policy and the same metrics, to the bit, beside 2 busy loops');
    expect(made).toContain('; 1 of them on another processor, another.');
    expect(made).toContain('Repetitions and other methods also on: 2 cores, another.');
    expect(page([...quiet, run({ ...same, busy: 2, policy_sha256: 'c' })])).toContain(
      '**Seeds 0 gave another policy or other metrics** beside 2 busy loops',
    );
  });

  it('marks times beside other programs, and leaves them out of averages', () => {
    const made = page([run(), run({ seed: 1, training_wall_s: 90, load: 8.2 })]);
    expect(made).toContain('Training took 30 to 30 s, 30 s on average');
    expect(made).toContain('| 90.0 (load 8) |');
  });

  it('has a dash where runs from before had no such figure', () => {
    const { successes_per_hour: _, training_successes_per_hour: __, human_step_share: ___, ...old } = run();
    expect(page([old])).toContain('| 0 | 99.5 % | –, – | – |');
  });
});

describe('the part of all studies', () => {
  const file = {
    name: 'mine',
    learners: {},
    study: {
      kind: 'environment',
      title: 'Mine & yours',
      claim: 'A beats B.',
      source: 'https://example.org',
      notes: '',
      variants: { a: { title: 'the one <A>' }, b: { title: 'the other' } },
      checks: [{ kind: 'order', better: 'a', worse: 'b', measure: 'success', part: 'end' }],
    },
  } as unknown as StudyFile;
  const curve = (seed: number, ...successes: number[]): SeedCurve => ({
    seed,
    samples: successes.map((success, i) => ({
      step: 100 * i,
      updates: 400 * i,
      return: success - 1,
      success,
      cost: 0,
    })),
  });
  const curves = { a: [curve(0, 0, 0.5, 1), curve(1, 0, 0.7, 0.9)], b: [curve(0, 0, 0.1, 0.2), curve(1, 0, 0.1, 0.1)] };
  const part = curvesPart([
    { file, curves },
    { file: { ...file, name: 'later' }, curves: {} },
  ]);

  it('says of each study what is claimed and what came out', () => {
    expect(part).toContain('| [Mine & yours](#mine--yours) | 4 | 1 | 0 | 0 |');
    expect(part).toContain('### Mine & yours\n\nA beats B. (https://example.org)');
    expect(part).toMatch(/\*\*Shown\.\*\* the one <A> has 0\.8 more success .* than the other\./);
    expect(part).toContain('![Mine & yours](results/curves/mine.svg)');
  });

  it('says of a study without runs how to make them', () => {
    expect(part).toContain('### Not run yet\n\n- Mine & yours (`npm run curves -- --only later`): A beats B.');
    expect(part).not.toContain('curves/later.svg');
  });
});
