import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configNames } from './names.ts';
import { loadStudyFile } from './study-file.ts';

describe.each(configNames('study'))('config/studies/%s.yaml', (name) => {
  it('loads with a learner for each variant, and checks that name variants which there are', () => {
    const { study, learners } = loadStudyFile(name);
    const variants = Object.keys(study.variants);
    expect(variants.length).toBeGreaterThan(0);
    expect(Object.keys(learners)).toEqual(study.kind === 'environment' ? variants : []);
    expect(study.checks.length).toBeGreaterThan(0);
  });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'study-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = `kind: environment
title: a
claim: b
source: c
environment: point
steps: 1000
evaluation: { everySteps: 500 }
`;

function load(text: string): unknown {
  const path = join(folder, 'mine.yaml');
  writeFileSync(path, HEAD + text);
  return loadStudyFile(path);
}

describe('a study', () => {
  it("lays a variant's learner over the study's, and both over the file", () => {
    const text =
      'learner: { utd: 2, batchSize: 16 }\nvariants:\n  a: { title: A }\n  b: { title: B, learner: { utd: 3 } }\n';
    expect(load(text)).toMatchObject({
      name: 'mine',
      learners: { a: { algorithm: 'rlpd', utd: 2, batchSize: 16 }, b: { utd: 3, batchSize: 16 } },
    });
  });

  it('is refused where the policy of a variant would not move before it is over', () => {
    expect(() => load('variants:\n  a: { title: A }\n  b: { title: B, learner: { warmupSteps: 600 } }\n')).toThrow(
      /mine\.yaml:10:\d+: The policy does not move in 1000 steps: its first update comes after step 1100/,
    );
    expect(() => load('learner: { warmupSteps: 600, bcInitSteps: 0 }\nvariants: { a: { title: A } }\n')).not.toThrow();
  });

  it('is refused with the place of what is wrong', () => {
    expect(() => load('variants: { a: { title: A, learner: { utdd: 3 } } }\n')).toThrow(
      /mine\.yaml:8:39: unknown key "utdd" here, .*did you mean "utd"/,
    );
    expect(() => load('variants: { A b: { title: A } }\n')).toThrow(
      /a variant's name is small letters, digits and "-"/,
    );
    expect(() =>
      load(
        'variants: { a: { title: A } }\nchecks: [{ kind: order, better: a, worse: bb, measure: return, part: end }]\n',
      ),
    ).toThrow(/mine\.yaml:9:43: there is no variant "bb", there are a/);
    expect(() => loadStudyFile('nothing')).toThrow(/there is no study called "nothing", there are .*pendulum/);
  });
});
