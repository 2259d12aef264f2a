/** The pages of the algorithms say what the code does: settings as in their files, tests that there are. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALGORITHMS, DEFAULT_LEARNER_CONFIG, type LearnerConfig, updatesPerCall } from '../../src/learner/index.ts';
import { loadLearnerFile } from '../../src/runtime/config/index.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'docs', 'algorithms');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const cells = (row: string): string[] =>
  row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

/** All that the learner's tests say, with numbers and placeholders alike, so that "at 4 updates" is found as "at %d updates". */
const alike = (text: string): string => text.replaceAll('\\', '').replace(/%[ds]|\d+(\.\d+)?/g, '#');
const tests = readdirSync(join(root, 'src', 'learner'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => alike(readFileSync(join(root, 'src', 'learner', name), 'utf8')))
  .join('\n');

describe.each(pages)('%s', (page) => {
  it('names tests that there are', () => {
    let isTestColumn = false;
    const missing: string[] = [];
    for (const line of read(page).split('\n')) {
      if (!line.startsWith('|')) isTestColumn = false;
      else if (cells(line).at(-1)!.startsWith('Test')) isTestColumn = true;
      else if (isTestColumn) {
        const titles = [
          ...cells(line)
            .at(-1)!
            .matchAll(/"([^"]+)"/g),
        ].map((match) => match[1]!);
        missing.push(
          ...titles.flatMap((title) => title.split('…')).filter((part) => !tests.includes(alike(part.trim()))),
        );
      }
    }
    expect(missing).toEqual([]);
  });
});

describe.each(ALGORITHMS)('the page of %s', (name) => {
  it('shows learning curves that there are, and leads to their numbers', () => {
    const page = read(`${name}.md`);
    const plots = [...page.matchAll(/^!\[[^\]]+\]\(([^)]+\.svg)\)$/gm)].map((match) => match[1]!);
    expect(plots.length).toBeGreaterThan(0);
    for (const plot of plots) expect(existsSync(join(folder, plot)), plot).toBe(true);
    const headings = readFileSync(join(root, 'docs', 'results', 'curves.md'), 'utf8').match(/^## .*$/gm) ?? [];
    const anchors = headings.map((heading) => anchorOf(heading.slice(3)));
    for (const [, anchor] of page.matchAll(/curves\.md#([^)]+)\)/g)) expect(anchors).toContain(anchor);
  });
});

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

const dash = (config: LearnerConfig, value: string): string => (config.algorithm === 'td3' ? '–' : value);
const power = (rate: number): string => rate.toExponential();
const ENTROPY: Readonly<Record<number, string>> = { [-1]: '−A', [-0.5]: '−A/2' };
/** What each row of the table of our settings is made from. */
const ROWS: Readonly<Record<string, (config: LearnerConfig) => string>> = {
  batch: ({ batchSize }) => String(batchSize),
  UTD: ({ utd }) => String(utd),
  'critic : actor updates': (config) => `${updatesPerCall(config)} : 1`,
  'share of demonstrations': ({ demoFraction }) => (demoFraction === 0.5 ? '½' : String(demoFraction)),
  'critics / subset': ({ critics, criticSubset }) => `${critics} / ${criticSubset}`,
  'LayerNorm in critics': ({ layerNorm }) => (layerNorm ? 'yes' : 'no'),
  hidden: ({ actorHidden }) => `${actorHidden.length} × ${actorHidden[0]}`,
  γ: ({ discount }) => String(discount),
  τ: ({ targetRate }) => String(targetRate),
  'rate actor / critic': ({ learningRateActor, learningRateCritic }) =>
    learningRateActor === learningRateCritic
      ? power(learningRateActor)
      : `${power(learningRateActor)} / ${power(learningRateCritic)}`,
  'α at the start': (config) => dash(config, String(config.initialTemperature)),
  'entropy aimed at': (config) => dash(config, ENTROPY[config.targetEntropyPerDimension]!),
  'entropy in the target': (config) => dash(config, config.entropyInTarget ? 'yes' : 'no'),
  'starts learning after': ({ warmupSteps }) => String(warmupSteps),
};

describe('README.md', () => {
  it('shows the settings as they are in the files', () => {
    const lines = read('README.md').split('\n');
    const header = lines.findIndex((line) => line.startsWith('| here'));
    const names = [...lines[header]!.matchAll(/config\/learner\/([\w-]+)\.yaml/g)].map((match) => match[1]!);
    expect(names.length).toBeGreaterThan(5);
    const configs = names.map((name) => loadLearnerFile(name));
    const expected = Object.entries(ROWS).map(([title, value]) => [title, ...configs.map(value)]);
    expect(lines.slice(header + 2, header + 2 + expected.length).map(cells)).toEqual(expected);
  });

  it('names every algorithm', () => {
    const text = read('README.md').toLowerCase();
    const shown = { dsact: 'dsac-t', bc: 'behaviour cloning', passive: 'passivity-aware' } as Record<string, string>;
    const files = readdirSync(join(root, 'config', 'learner')).map((name) => name.replace('.yaml', ''));
    expect(files.filter((name) => !text.includes(shown[name] ?? name))).toEqual([]);
    expect(files).toContain(DEFAULT_LEARNER_CONFIG.algorithm);
  });
});
