/**
 * Makes docs/results.md: trains every task with several seeds and beside it, on the same evaluation episodes, an
 * untrained policy, behaviour cloning alone, and training without interventions. Nothing else should run meanwhile.
 *
 *   npm run results                       what is missing in docs/results/runs.jsonl, then the page
 *   npm run results -- --fresh            all of it again: about 25 minutes on two cores
 *   npm run results -- --page             the page only, from the runs that are there
 *   npm run results -- --tasks insert --seeds 0,1
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const runsFile = join(root, 'docs/results/runs.jsonl');
const pageFile = join(root, 'docs/results.md');

/** The methods that are compared: what each changes, and whether it trains at all. */
const METHODS = [
  { name: 'trained', title: 'trained, with interventions', overlay: '', args: [] },
  {
    name: 'no-interventions',
    title: 'trained, without interventions',
    overlay: 'task:\n  operator: { initialRate: 0, finalRate: 0 }\n',
    args: [],
  },
  { name: 'cloning', title: 'behaviour cloning of the demonstrations only', overlay: '', args: ['--steps', '0'] },
  { name: 'untrained', title: 'untrained', overlay: 'learner:\n  bcInitSteps: 0\n', args: ['--steps', '0'] },
];

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: 'insert,insert-tight' },
    seeds: { type: 'string', default: '0,1,2,3,4' },
    fresh: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
  },
});

function readRuns() {
  if (!existsSync(runsFile)) return [];
  const lines = readFileSync(runsFile, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

function isSame(run, task, method, seed) {
  return run.task === task && run.method === method && run.seed === seed;
}

async function simulate(task, method, seed) {
  const folder = mkdtempSync(join(tmpdir(), 'rein-results-'));
  try {
    const json = join(folder, 'summary.json');
    const args = [
      'sim',
      '--quiet',
      '--task',
      task,
      '--seed',
      String(seed),
      '--json',
      json,
      '--out',
      join(folder, 'run'),
    ];
    if (method.overlay !== '') {
      writeFileSync(join(folder, 'overlay.yaml'), method.overlay);
      args.push('--config', join(folder, 'overlay.yaml'));
    }
    const startedMs = performance.now();
    const child = spawn(process.execPath, [join(root, 'bin/rein.js'), ...args, ...method.args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (bytes) => {
      complaint += bytes;
    });
    await new Promise((resolve) => child.once('exit', resolve));
    // A missed target is a result; no summary is none.
    if (!existsSync(json)) throw new Error(`${task} ${method.name} seed ${seed} left no summary: ${complaint}`);
    const summary = JSON.parse(readFileSync(json, 'utf8'));
    return {
      ...summary,
      method: method.name,
      command_s: (performance.now() - startedMs) / 1e3,
      cpu: cpus()[0]?.model,
      cores: cpus().length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function train(tasks, seeds) {
  mkdirSync(dirname(runsFile), { recursive: true });
  if (values.fresh) writeFileSync(runsFile, '');
  const runs = readRuns();
  for (const task of tasks) {
    for (const method of METHODS) {
      for (const seed of seeds) {
        if (runs.some((run) => isSame(run, task, method.name, seed))) continue;
        const run = await simulate(task, method, seed);
        appendFileSync(runsFile, `${JSON.stringify(run)}\n`);
        console.log(
          `${task} ${method.name} seed ${seed}: ${percent(run.success_rate)} after ${run.env_steps} steps, ${run.command_s.toFixed(0)} s`,
        );
      }
    }
  }
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const mean = (numbers) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

function page(runs) {
  const tasks = [...new Set(runs.map((run) => run.task))];
  const first = runs[0];
  const versions = Object.entries(first.versions).map(([name, version]) => `${name} ${version}`);
  return `# Results

Made by \`npm run results\` from [docs/results/runs.jsonl](results/runs.jsonl); one line there is the \`--json\` summary of one
run. How the learner's algorithms compare, over seeds and with intervals: [learning curves](results/curves.md). Machine: ${first.cores} cores, ${first.cpu}; no GPU. ${versions.join(', ')}.

Every figure of success is the share of ${first.eval_episodes} fresh evaluation episodes without help and without exploring. These
episodes are the same for all rows and seeds, and no policy was chosen on them: the one that is kept was chosen on
validation episodes. Training time counts demonstrations, cloning, training and validation; the whole command also start,
evaluation and report. Simulated, not tried on hardware.

${tasks
  .map((task) =>
    section(
      task,
      runs.filter((run) => run.task === task),
    ),
  )
  .join('\n')}`;
}

function section(task, runs) {
  const trained = runs.filter((run) => run.method === 'trained');
  const target = trained[0]?.target_success_rate ?? 0;
  const met = trained.filter((run) => run.success_rate >= target).length;
  const sum = (pick) => runs.reduce((total, run) => total + pick(run), 0);
  return `## ${task}

Target: ${percent(target)}. Reached by ${met} of ${trained.length} seeds. Over all ${runs.length} runs of this section: ${sum((r) => r.safety.violations)} limit
violations in ${sum((r) => r.safety.ticks).toLocaleString('en')} guard ticks, ${sum((r) => r.link.lost)} transitions lost and ${sum((r) => r.link.duplicated)} duplicated of ${sum((r) => r.link.sent).toLocaleString('en')}.

| seed | success | steps on the robot | updates | UTD | interventions (steps) | training s | whole command s | updates/s |
|---|---|---|---|---|---|---|---|---|
${trained.map(row).join('\n')}

| method | success, each seed | mean |
|---|---|---|
${METHODS.map((method) => comparison(method, runs)).join('\n')}
`;
}

function row(run) {
  const cells = [
    run.seed,
    percent(run.success_rate),
    run.env_steps,
    run.updates,
    run.utd.toFixed(2),
    `${run.interventions} (${run.intervention_steps})`,
    run.training_wall_s.toFixed(1),
    run.command_s.toFixed(1),
    run.updates_per_s.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

function comparison(method, runs) {
  const mine = runs.filter((run) => run.method === method.name).sort((a, b) => a.seed - b.seed);
  const each = mine.map((run) => percent(run.success_rate)).join(', ');
  return `| ${method.title} | ${each} | ${percent(mean(mine.map((run) => run.success_rate)))} |`;
}

const seeds = values.seeds.split(',').map(Number);
if (!values.page) await train(values.tasks.split(','), seeds);
const runs = readRuns();
if (runs.length === 0) throw new Error('there are no runs to make a page of');
writeFileSync(pageFile, page(runs));
console.log(`written: ${pageFile}`);
