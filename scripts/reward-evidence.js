/**
 * Value of a reward classifier of 200 labelled states on the insertion: precision and recall on a fresh run, before and after its
 * false positives were mined, and policies that learn from it alone beside policies that learn from the true reward, seed by seed.
 * Writes docs/results/reward.json and, from it, the figures of docs/reward-classifier.md.
 *
 *   npm run evidence -- --only reward      some eight minutes on two cores
 *   node scripts/reward-evidence.js --page the page only, from stored figures
 */
import './node-version.js';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from './arguments.js';
import { ageSentence } from './page-age.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = scriptArguments(import.meta.url, {
  options: {
    seeds: { type: 'string', default: '0,1,2' },
    work: { type: 'string', default: join(root, 'runs/evidence/reward') },
    page: { type: 'boolean', default: false },
  },
});
const { work } = values;
const figuresFile = join(root, 'docs/results/reward.json');
const pageFile = join(root, 'docs/reward-classifier.md');
const { markdownTable, percent, wilsonInterval } = await import('../dist/model/index.js');

/** Seeds of the runs whose states are labelled, mined and checked: none is used for a compared policy. */
const LABELS = { seed: 102, steps: 1500 };
const MINED = { seed: 150, steps: 2000 };
const FRESH = { seed: 200, steps: 3000 };
const FOR_STEPS = 2;
const EPISODES = 200;

if (!values.page) await measure();
if (existsSync(figuresFile)) writePage(JSON.parse(readFileSync(figuresFile, 'utf8')));

async function measure() {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const runs = { labels: LABELS, mined: MINED, fresh: FRESH };
  for (const [name, { seed, steps }] of Object.entries(runs)) {
    await rein('sim', '--seed', seed, '--steps', steps, '--eval-episodes', 2, '--out', name, '--quiet');
  }
  await rein('reward', 'collect', 'labels', '--by', 'task', '--count', 200);
  const first = await trained('first.onnx');
  await rein('reward', 'check', 'first.onnx', 'mined', '--mine', 'labels.jsonl', '--json', 'mining.json');
  const { mined } = read('mining.json');
  const second = mined.negatives + mined.positives === 0 ? first : await trained('second.onnx');
  const chosen = second === first ? 'first.onnx' : 'second.onnx';
  const overlay = `task:\n  rewardClassifier: { file: ./${chosen}, forSteps: ${FOR_STEPS} }\n`;
  writeFileSync(join(work, 'classifier.yaml'), overlay);
  const { stdout } = await run('git', ['rev-parse', 'HEAD'], root);
  const policies = [];
  for (const seed of values.seeds.split(',').map(Number)) {
    policies.push({
      seed,
      classifier: await policy(`classifier-${seed}`, seed, ['--config', 'classifier.yaml']),
      truth: await policy(`truth-${seed}`, seed, []),
    });
    // Stored seed by seed, so that completed work survives an interruption.
    const figures = { formatVersion: 1, commit: stdout.trim(), forSteps: FOR_STEPS, first, mined, second, policies };
    writeFileSync(figuresFile, `${JSON.stringify(figures, undefined, 1)}\n`);
  }
}

/** Trains a classifier on the present labels, and evaluates it on the fresh run. */
async function trained(name) {
  await rein('reward', 'train', 'labels.jsonl', '--out', name);
  await rein('reward', 'check', name, 'fresh', '--json', 'check.json');
  const { labels, fields, threshold, heldOut } = read(name.replace('.onnx', '.json'));
  const { states, episodes, successes, byForSteps } = read('check.json');
  return { labels, fields, threshold, heldOut, fresh: { states, episodes, successes, byForSteps } };
}

/** Learns with `seed`, and is then measured by the true verdict, on the episodes of every evaluation. */
async function policy(name, seed, more) {
  await rein('sim', '--seed', seed, '--out', name, '--quiet', '--eval-episodes', 50, ...more);
  await rein('eval', '--policy', name, '--task', 'insert', '--episodes', EPISODES, '--json', `${name}.json`);
  const summary = read(join(name, 'summary.json'));
  const { successes, mean_steps: meanSteps } = read(`${name}.json`);
  return { successes, episodes: EPISODES, meanSteps, steps: summary.env_steps };
}

function read(name) {
  return JSON.parse(readFileSync(join(work, name), 'utf8'));
}

/** Runs one command; a missed target is a figure like others. */
async function rein(...args) {
  const words = args.map(String);
  const begun = performance.now();
  const { code, stdout, stderr } = await run(process.execPath, [join(root, 'bin/rein.js'), ...words], work);
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`rein ${words.join(' ')}: ${seconds} s${stdout === '' ? '' : `\n${stdout.trimEnd()}`}`);
  if (code === 0 || (code === 1 && stderr.includes('target missed'))) return;
  throw new Error(`rein ${words.join(' ')} ended with ${code}: ${stderr}`);
}

function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (bytes) => {
      stdout += bytes;
    });
    child.stderr.on('data', (bytes) => {
      stderr += bytes;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

function writePage(figures) {
  const [from, to] = ['<!-- figures: npm run evidence -- --only reward -->', '<!-- /figures -->'];
  const page = readFileSync(pageFile, 'utf8');
  const [start, end] = [page.indexOf(from), page.indexOf(to)];
  if (start < 0 || end < start) throw new Error(`${pageFile} has no place for figures: ${from} … ${to}`);
  writeFileSync(pageFile, `${page.slice(0, start)}${from}\n\n${sectionOf(figures)}\n\n${page.slice(end)}`);
  console.log(`written: ${pageFile}`);
}

function sectionOf({ first, second, mined, policies, forSteps, commit }) {
  const isMined = mined.negatives + mined.positives > 0;
  const rows = [['200 labels', first], ...(isMined ? [['and what was mined', second]] : [])];
  const { episodes, successes } = first.fresh;
  return [
    `${ageSentence(commit)} Fresh: a run of another seed, ${episodes} episodes, ${successes} of them with a success; every state of it counts.`,
    markdownTable(
      [
        'labels',
        'successes, others',
        'looks at',
        'threshold',
        'held-out precision',
        'held-out recall',
        'fresh precision',
        'fresh recall',
        'false positives',
      ],
      rows.map(([name, { labels, fields, threshold, heldOut, fresh }]) => [
        name,
        `${labels.positives}, ${labels.negatives}`,
        fields.map((field) => `\`${field}\``).join(', '),
        threshold.toFixed(2),
        shareText(heldOut.precision),
        shareText(heldOut.recall),
        shareText(fresh.states.precision),
        shareText(fresh.states.recall),
        `${fresh.states.falsePositives} of ${fresh.states.falsePositives + fresh.states.trueNegatives}`,
      ]),
    ),
    isMined
      ? `Mining one further run gave ${mined.negatives} false positives and ${mined.positives} missed successes.`
      : 'In one further run there was nothing to mine.',
    `Policies, each by the **true** verdict on ${EPISODES} fresh episodes; the classifier counts after ${forSteps} steps. Demonstrations, rewards and the choice of the policy that is kept are all by the classifier.`,
    markdownTable(
      [
        'seed',
        'learned from the classifier alone',
        'learned from the true reward',
        'steps to learn',
        'the same seed by the true reward',
        'steps of an episode',
        'by the true reward',
      ],
      policies.map(({ seed, classifier, truth }) => [
        String(seed),
        rateText(classifier),
        rateText(truth),
        String(classifier.steps),
        String(truth.steps),
        classifier.meanSteps.toFixed(1),
        truth.meanSteps.toFixed(1),
      ]),
    ),
    `All seeds: ${rateText(sumOf(policies, 'classifier'))} from the classifier, ${rateText(sumOf(policies, 'truth'))} from the true reward.`,
  ]
    .map((part) => part.trimEnd())
    .join('\n\n');
}

function sumOf(policies, kind) {
  const sum = (key) => policies.reduce((total, each) => total + each[kind][key], 0);
  return { successes: sum('successes'), episodes: sum('episodes') };
}

function rateText({ successes, episodes }) {
  return shareText({ rate: successes / episodes, ...wilsonInterval(successes, episodes) });
}

function shareText({ rate, low, high }) {
  return `${percent(rate)} (${percent(low)} to ${percent(high)})`;
}
