/** A reward classifier from its labels to a run that it judges, by the command line. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig, resolvedConfigText } from '../../src/config/index.ts';
import { parseMetrics, type RunSummary, readLabels } from '../../src/record/index.ts';
import { IS_LONG } from '../support/long.ts';
import { endLeftovers, TINY, transitionsOf } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';
import { writeRun } from '../support/reward-run.ts';

/** Straight down is success: a wide hole below the tool, whose place is known, so that each demonstration is soon done. */
const EASY = TINY.replace(
  'task:',
  `task:
  rewardClassifier: { file: ./reward.onnx, forSteps: 2 }
  hole: { clearanceM: 0.003, spreadM: 0, yawSpreadRad: 0 }
  estimate: { errorM: 0, heightErrorM: 0, yawErrorRad: 0 }
  start: { spreadM: 0.002, heightM: 0.03, heightSpreadM: 0.01, yawSpreadRad: 0 }
  success: { depthM: 0.01 }
  target: { successRate: 0 }`,
).replace('minimumSteps: 150', 'minimumSteps: 0, steps: 1');

const HOW = ['--fields', 'hole_offset', '--precision', '0.8', '--folds', '2'];

let dir: string;
const said = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await reinHere(args, dir);
  expect(code, stderr).toBe(0);
  return stdout;
};
const refused = async (...args: string[]): Promise<string> => {
  const { code, stderr } = await reinHere(args, dir);
  expect(code, stderr).not.toBe(0);
  return stderr;
};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rein-reward-'));
  await writeRun(join(dir, 'shown'), resolveConfig({ task: 'insert', seed: 0 }), 32);
});
afterAll(() => {
  endLeftovers();
  rmSync(dir, { recursive: true, force: true });
});

describe('rein reward', () => {
  it('goes from the states of a run to a classifier, and to a run that it judges', async () => {
    const collected = await said('reward', 'collect', 'shown', '--by', 'task', '--count', '80');
    expect(collected).toContain('80 states appended to labels.jsonl: 20 successes, 60 others');
    const { header, states } = readLabels(join(dir, 'labels.jsonl'));
    expect(header).toMatchObject({ task: 'insert', robot: 'arm6' });
    const ends = transitionsOf(join(dir, 'shown')).filter(({ terminated }) => terminated);
    const successes = states.filter(({ success }) => success);
    for (const { episode, observation } of successes) {
      const end = ends.find((each) => each.episode === episode)!;
      expect(Float32Array.from(observation)).toEqual(end.nextObservation);
    }

    const trained = await said('reward', 'train', 'labels.jsonl', ...HOW);
    expect(trained).toMatch(/precision {4}\d+\.\d %/);
    const manifest = JSON.parse(readFileSync(join(dir, 'reward.json'), 'utf8'));
    expect(manifest).toMatchObject({ format: 'rein-reward/1', fields: ['hole_offset'], labels: { mined: 0 } });
    const bytes = readFileSync(join(dir, 'reward.onnx'));
    await said('reward', 'train', 'labels.jsonl', ...HOW, '--out', 'again.onnx');
    expect(readFileSync(join(dir, 'again.onnx'))).toEqual(bytes);

    // At so low a threshold there is something to mine.
    const check = ['reward', 'check', 'reward.onnx', 'shown', '--json', 'c.json', '--page', 'c.html'];
    await said(...check, '--threshold', '0.01', '--mine', 'labels.jsonl');
    const { states: counts, falsePositives, mined } = JSON.parse(readFileSync(join(dir, 'c.json'), 'utf8'));
    expect(counts.falsePositives).toBeGreaterThan(0);
    expect(mined.negatives).toBe(counts.falsePositives);
    expect(falsePositives[0]).toMatchObject({ epoch: 1, stepsToSuccess: expect.any(Number) });
    const after = readLabels(join(dir, 'labels.jsonl')).states;
    expect(after.filter(({ by, success }) => by === 'mined' && !success)).toHaveLength(counts.falsePositives);
    expect(existsSync(join(dir, 'c.html'))).toBe(true);
  }, 30_000);

  it('collects nothing where nothing is judged', async () => {
    writeFileSync(join(dir, 'driven.yaml'), 'task: { isJudged: false }\n');
    const config = resolveConfig({ task: 'reach-judged', seed: 0, overlay: join(dir, 'driven.yaml') });
    mkdirSync(join(dir, 'driven'));
    writeFileSync(join(dir, 'driven', 'config.yaml'), resolvedConfigText(config));
    for (const by of ['mark', 'task'])
      expect(await refused('reward', 'collect', 'driven', '--by', by)).toMatch(
        /^rein: driven is of a task in which nothing is judged\.\n {2}→ Give a run of a task that rules or people judge\./,
      );
  });

  it.runIf(IS_LONG)(
    'judges a run by it, beside which stands what the task itself says',
    async () => {
      writeFileSync(join(dir, 'judged.yaml'), EASY);
      const words = await said('sim', '--config', 'judged.yaml', '--out', 'judged', '--eval-episodes', '2', '--quiet');
      expect(words).toContain('by rule');
      const summary: RunSummary = JSON.parse(readFileSync(join(dir, 'judged', 'summary.json'), 'utf8'));
      expect(summary.own_success_rate).toBeGreaterThanOrEqual(0);
      const { records } = parseMetrics(readFileSync(join(dir, 'judged', 'metrics.jsonl'), 'utf8'));
      const verdicts = records.filter(({ kind }) => kind === 'verdict');
      const told = new Set(verdicts.flatMap((v) => (v.kind === 'verdict' && v.success ? [v.episode] : [])));
      const rewarded = transitionsOf(join(dir, 'judged')).filter(({ reward }) => reward > 0);
      expect(rewarded.length).toBeGreaterThan(0);
      expect(rewarded.every(({ episode }) => told.has(episode))).toBe(true);
      // A second step that counts comes after the first: the peg is in by then.
      expect(verdicts.some((v) => v.kind === 'verdict' && v.success && v.ownFirstSuccess !== null)).toBe(true);
      expect(await said('reward', 'check', 'reward.onnx', 'judged')).toMatch(
        /forSteps 2 would end \d+ of \d+ episodes falsely/,
      );
    },
    120_000,
  );

  it('refuses in one sentence what it cannot learn from', async () => {
    expect(await refused('reward', 'collect', 'shown')).toContain('--by is missing');
    expect(await refused('reward', 'collect', '--by', 'task')).toContain('name the folder of a run');
    expect(await refused('reward', 'collect', 'shown', '--by', 'mark')).toContain('is judged by its own rules');
    expect(await refused('reward', 'collect', 'nowhere', '--by', 'task')).toContain('nowhere is no run of a robot');
    expect(await refused('reward', 'train', 'none.jsonl', '--out', 'other.onnx')).toContain(
      'none.jsonl cannot be read',
    );
    await said('reward', 'collect', 'shown', '--by', 'task', '--count', '12', '--out', 'few.jsonl');
    expect(await refused('reward', 'train', 'few.jsonl', '--out', 'other.onnx')).toMatch(
      /few.jsonl has 3 successes of 3 episodes/,
    );
    expect(await refused('reward', 'check', 'none.onnx', 'shown')).toContain('none.json cannot be read');
    writeFileSync(join(dir, 'missing.yaml'), EASY.replace('reward.onnx', 'none.onnx'));
    expect(await refused('sim', '--config', 'missing.yaml', '--out', 'x')).toContain('none.onnx cannot be read');
    expect(existsSync(join(dir, 'x'))).toBe(false);
  }, 60_000);
});
