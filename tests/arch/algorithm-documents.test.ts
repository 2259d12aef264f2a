/** The pages of the algorithms say what the code does: settings as in their files, tests that there are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadLearnerFile } from '../../src/config/index.ts';
import { ALGORITHMS } from '../../src/learner/options/algorithms.ts';
import { criticOnlyUpdates } from '../../src/learner/options/learner-config.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig, updatesPerCall } from '../../src/learner/options.ts';
import { PACKAGE_SOURCES } from '../support/package-sources.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'docs', 'algorithms');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const cells = (row: string): string[] =>
  row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

/** All that tests say, with numbers and placeholders alike, so that "at 4 updates" is found as "at %d updates". */
const alike = (text: string): string => text.replaceAll('\\', '').replace(/%[ds]|\d+(\.\d+)?/g, '#');
const testFiles = ['src', ...PACKAGE_SOURCES, 'tests'].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `/${top}/${name}`),
);
const tests = testFiles.map((name) => alike(readFileSync(join(root, name), 'utf8'))).join('\n');

/** The cells of the last column of every table whose last column is of tests. */
function testCells(page: string): string[] {
  const found: string[] = [];
  let isTestColumn = false;
  for (const line of read(page).split('\n')) {
    const last = line.startsWith('|') ? cells(line).at(-1)! : undefined;
    if (last === undefined) isTestColumn = false;
    else if (last.startsWith('Test')) isTestColumn = true;
    else if (isTestColumn && !last.startsWith('---')) found.push(last);
  }
  return found;
}

describe.each(pages)('%s', (page) => {
  it('names tests that there are', () => {
    const quoted = (pattern: RegExp) =>
      testCells(page).flatMap((cell) => [...cell.matchAll(pattern)].map((m) => m[1]!));
    const titles = quoted(/"([^"]+)"/g).flatMap((title) => title.split('…'));
    expect(titles.filter((part) => !tests.includes(alike(part.trim())))).toEqual([]);
    const files = quoted(/`([^`]+\.test\.ts)`/g);
    expect(files.filter((file) => !testFiles.some((name) => name.endsWith(`/${file}`)))).toEqual([]);
  });

  it('says of every pitfall which test catches it, or why none can', () => {
    expect(testCells(page).filter((cell) => !/"[^"]+"|`[^`]+\.test\.ts`|^–: ./.test(cell))).toEqual([]);
  });
});

describe.each(ALGORITHMS)('the page of %s', (name) => {
  it('says what came out, and leads to the curves', () => {
    const [, outcome = ''] = read(`${name}.md`).split('## What came out\n');
    expect(outcome.split('\n## ')[0]).toMatch(/\]\(\.\.\/results\.md#[\w-]+\)/);
  });
});

/** What deterministic policies do not have, and what an imitator does not. */
const ofEntropy = ({ algorithm }: LearnerConfig, value: string): string =>
  ['td3', 'residual', 'bc'].includes(algorithm) ? '–' : value;
const ofValues = ({ algorithm }: LearnerConfig, value: string): string => (algorithm === 'bc' ? '–' : value);
const power = (rate: number): string => rate.toExponential();
const ENTROPY: Readonly<Record<number, string>> = { [-1]: '−A', [-0.5]: '−A/2' };
/** What each row of the table of our settings is made from. */
const ROWS: Readonly<Record<string, (config: LearnerConfig) => string>> = {
  batch: ({ batchSize }) => String(batchSize),
  UTD: ({ utd }) => String(utd),
  'critic : actor updates': (config) => ofValues(config, `${updatesPerCall(config)} : 1`),
  'share of demonstrations': ({ demoFraction }) => (demoFraction === 0.5 ? '½' : String(demoFraction)),
  'critics / subset': (config) => ofValues(config, `${config.critics} / ${config.criticSubset}`),
  'LayerNorm in critics': (config) => ofValues(config, config.layerNorm ? 'yes' : 'no'),
  hidden: ({ actorHidden }) => `${actorHidden.length} × ${actorHidden[0]}`,
  γ: (config) => ofValues(config, String(config.discount)),
  τ: (config) => ofValues(config, String(config.targetRate)),
  'rate actor / critic': ratesOf,
  'α at the start': (config) => ofEntropy(config, String(config.initialTemperature)),
  'entropy aimed at': (config) => ofEntropy(config, ENTROPY[config.targetEntropyPerDimension]!),
  'entropy in the target': (config) => ofEntropy(config, config.entropyInTarget ? 'yes' : 'no'),
  'starts learning after': (config) => {
    const waits = criticOnlyUpdates(config);
    return waits === 0 ? String(config.warmupSteps) : `${config.warmupSteps}, then ${waits / config.utd} critics only`;
  },
};

function ratesOf({ algorithm, learningRateActor, learningRateBc, learningRateCritic }: LearnerConfig): string {
  if (algorithm === 'bc') return power(learningRateBc);
  if (learningRateActor === learningRateCritic) return power(learningRateActor);
  return `${power(learningRateActor)} / ${power(learningRateCritic)}`;
}

describe('README.md', () => {
  it('shows the settings as they are in the files', () => {
    const lines = read('README.md').split('\n');
    const header = lines.findIndex((line) => line.startsWith('| here'));
    const names = [...lines[header]!.matchAll(/config\/learner\/([\w-]+)\.yaml/g)].map((match) => match[1]!);
    expect(names).toEqual([...ALGORITHMS]);
    const configs = names.map((name) => loadLearnerFile(name));
    const expected = Object.entries(ROWS).map(([title, value]) => [title, ...configs.map(value)]);
    expect(lines.slice(header + 2, header + 2 + expected.length).map(cells)).toEqual(expected);
  });

  it('names every algorithm', () => {
    const text = read('README.md').toLowerCase();
    const shown = {
      dsact: 'dsac-t',
      bc: 'behaviour cloning',
      passive: 'passivity-aware',
      'hil-serl-gripper': 'hil-serl',
    } as Record<string, string>;
    const files = readdirSync(join(root, 'config', 'learner')).map((name) => name.replace('.yaml', ''));
    expect(files.filter((name) => !text.includes(shown[name] ?? name))).toEqual([]);
    expect(files).toContain(DEFAULT_LEARNER_CONFIG.algorithm);
  });
});
