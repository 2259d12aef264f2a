/**
 * Makes docs/results.md: trains every task with ten seeds, 0 to 4 and five that nothing was chosen on, and, with seeds 0 to 4 and on the
 * same evaluation episodes, an untrained policy, behaviour cloning alone, and training without interventions. Times are only of use where
 * nothing else runs meanwhile; policies are the same anyway, which `--busy` shows: it trains all ten seeds again beside so many loops that
 * do nothing but take a core each, and compares policies and metrics bit by bit.
 *
 *   npm run results                       what is missing in docs/results/runs.jsonl, then the page: some 35 minutes on two quiet cores
 *   npm run results -- --busy 2           what is missing of the ten seeds beside two busy loops, then the page: some 45 minutes
 *   npm run results -- --fresh            forgets the runs that are there and begins anew
 *   npm run results -- --page             the page only, from the runs that are there
 *   npm run results -- --tasks insert --seeds 0,1 --methods trained
 *
 * It can be ended at any moment: each run is kept when it is done, and the same command goes on with the next. It ends with 1 where a
 * target was missed or two runs of one seed differ.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const runsFile = join(root, 'docs/results/runs.jsonl');
const pageFile = join(root, 'docs/results.md');

/** Seeds below this are trained with every method. */
const COMPARED_SEEDS = 5;

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
    seeds: { type: 'string', default: '0,1,2,3,4,11,23,47,101,271' },
    methods: { type: 'string', default: 'trained,no-interventions,cloning,untrained' },
    busy: { type: 'string', default: '0' },
    fresh: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
  },
});

function readRuns() {
  if (!existsSync(runsFile)) return [];
  const lines = readFileSync(runsFile, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

function isSame(run, task, method, seed, busy) {
  return run.task === task && run.method === method && run.seed === seed && (run.busy ?? 0) === busy;
}

const hash = (data) => createHash('sha256').update(data).digest('hex').slice(0, 16);

/** Of a run's policy, and of its metrics without times and without what is on its way between two processes. */
function digestsOf(folder) {
  // A learner that made no update wrote none.
  const files = ['metrics.jsonl', 'metrics-learner.jsonl'].filter((file) => existsSync(join(folder, file)));
  const metrics = files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind !== 'histogram' && kind !== 'link')
      .map(({ tS: _, updatesPerS: __, ...record }) => JSON.stringify(record)),
  );
  return { policy_sha256: hash(readFileSync(join(folder, 'policy.onnx'))), metrics_sha256: hash(metrics.join('\n')) };
}

/** Processes that do nothing but take a core each, and how to end them. */
function startLoops(count) {
  const loops = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  const end = () => {
    for (const loop of loops) loop.kill('SIGKILL');
  };
  process.once('exit', end);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
}

async function simulate({ task, method, seed }, busy) {
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
      ...digestsOf(join(folder, 'run')),
      busy,
      command_s: (performance.now() - startedMs) / 1e3,
      cpu: cpus()[0]?.model,
      cores: cpus().length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function train(tasks, seeds, busy) {
  mkdirSync(dirname(runsFile), { recursive: true });
  // Runs without digests are of a version that ended by the clock.
  const runs = values.fresh ? [] : readRuns().filter((run) => run.policy_sha256 !== undefined);
  writeFileSync(runsFile, runs.map((run) => `${JSON.stringify(run)}\n`).join(''));
  const methods = METHODS.filter(({ name }) => values.methods.split(',').includes(name));
  // What the comparisons are of, and what is compared with busy runs: training alone has all seeds.
  const wanted = tasks.flatMap((task) =>
    methods.flatMap((method) => {
      const all = method.name === 'trained' ? seeds : busy > 0 ? [] : seeds.filter((seed) => seed < COMPARED_SEEDS);
      return all.map((seed) => ({ task, method, seed }));
    }),
  );
  const missing = wanted.filter(({ task, method, seed }) => {
    return !runs.some((run) => isSame(run, task, method.name, seed, busy));
  });
  console.log(`${missing.length} of ${wanted.length} runs are to be made`);
  if (missing.length > 0) startLoops(busy);
  for (const [i, { task, method, seed }] of missing.entries()) {
    const run = await simulate({ task, method, seed }, busy);
    appendFileSync(runsFile, `${JSON.stringify(run)}\n`);
    console.log(
      `${i + 1} of ${missing.length}: ${task} ${method.name} seed ${seed}: ${percent(run.success_rate)} after ${run.env_steps} steps, training ${run.training_wall_s.toFixed(0)} s, in all ${run.command_s.toFixed(0)} s`,
    );
  }
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const mean = (numbers) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

/** Tasks that were trained on a quiet machine: what there are figures of. */
function tasksOf(runs) {
  return [...new Set(runs.filter((run) => run.method === 'trained' && (run.busy ?? 0) === 0).map(({ task }) => task))];
}

function page(runs) {
  const tasks = tasksOf(runs);
  const first = runs[0];
  const versions = Object.entries(first.versions).map(([name, version]) => `${name} ${version}`);
  return `# Results

Made by \`npm run results\` from [docs/results/runs.jsonl](results/runs.jsonl); one line there is the \`--json\` summary of one
run. How the learner's algorithms compare, over seeds and with intervals: [learning curves](results/curves.md). Machine: ${first.cores} cores, ${first.cpu}; no GPU. ${versions.join(', ')}.

Every figure of success is the share of ${first.eval_episodes} fresh evaluation episodes without help and without exploring. These
episodes are the same for all rows and seeds, and no policy was chosen on them: the one that is kept was chosen on
validation episodes. Training time counts demonstrations, cloning, training and validation; the whole command also start,
evaluation and report. A run ends by what it learned, never by the clock: time is beside what the task compares it with, and fails nothing.
Simulated, not tried on hardware.

${tasks
  .map((task) =>
    section(
      task,
      runs.filter((run) => run.task === task),
    ),
  )
  .join('\n')}`;
}

function section(task, all) {
  const runs = all.filter((run) => (run.busy ?? 0) === 0);
  const trained = runs.filter((run) => run.method === 'trained');
  const target = trained[0]?.target_success_rate ?? 0;
  const met = trained.filter((run) => run.success_rate >= target).length;
  const busyRuns = all.filter((run) => (run.busy ?? 0) > 0);
  const wantedS = trained[0]?.target_training_wall_s;
  const times = trained.map((run) => run.training_wall_s);
  const sum = (pick) => runs.reduce((total, run) => total + pick(run), 0);
  return `## ${task}

Target: ${percent(target)}. Reached by ${met} of ${trained.length} seeds. Over all ${runs.length} runs of this section: ${sum((r) => r.safety.violations)} limit
violations in ${sum((r) => r.safety.ticks).toLocaleString('en')} guard ticks, ${sum((r) => r.link.lost)} transitions lost and ${sum((r) => r.link.duplicated)} duplicated of ${sum((r) => r.link.sent).toLocaleString('en')}.

Training took ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} s, ${mean(times).toFixed(0)} s on average${wantedS === undefined ? '' : `; the task compares with ${wantedS} s`}. ${sameness(trained, busyRuns)}

| seed | success | steps on the robot | updates | UTD | interventions (steps) | training s | whole command s | updates/s | policy |
|---|---|---|---|---|---|---|---|---|---|
${trained.map(row).join('\n')}

| method | success, each seed | mean |
|---|---|---|
${METHODS.map((method) => comparison(method, runs)).join('\n')}
`;
}

/** Busy runs whose seed has a quiet run that they are not the same as, to the bit. */
function differences(quiet, busyRuns) {
  return paired(quiet, busyRuns).filter((run) => {
    const other = quiet.find(({ seed }) => seed === run.seed);
    return other.policy_sha256 !== run.policy_sha256 || other.metrics_sha256 !== run.metrics_sha256;
  });
}

/** Busy runs that there is a quiet one of the same seed to compare with. */
function paired(quiet, busyRuns) {
  return busyRuns.filter((run) => quiet.some(({ seed }) => seed === run.seed));
}

function sameness(quiet, busyRuns) {
  const compared = paired(quiet, busyRuns);
  if (compared.length === 0) return 'No run was repeated on a busy machine.';
  const different = differences(quiet, busyRuns).map(({ seed }) => seed);
  const times = compared.map((run) => run.training_wall_s);
  const beside = `beside ${busyRuns[0].busy} busy loops, where training took ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} s`;
  if (different.length === 0)
    return `${compared.length} of ${compared.length} seeds gave the same policy and the same metrics, to the bit, ${beside}.`;
  return `**Seeds ${different.join(', ')} gave another policy or other metrics** ${beside}.`;
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
    run.policy_sha256 === undefined ? '–' : `\`${run.policy_sha256.slice(0, 8)}\``,
  ];
  return `| ${cells.join(' | ')} |`;
}

function comparison(method, runs) {
  const mine = runs.filter((run) => run.method === method.name).sort((a, b) => a.seed - b.seed);
  const each = mine.map((run) => percent(run.success_rate)).join(', ');
  return `| ${method.title} | ${each} | ${percent(mean(mine.map((run) => run.success_rate)))} |`;
}

const seeds = values.seeds.split(',').map(Number);
const busy = Number(values.busy);
if (!Number.isInteger(busy) || busy < 0) throw new Error('--busy takes a number of loops, 0 or more');
if (!values.page) await train(values.tasks.split(','), seeds, busy);
const runs = readRuns();
if (runs.length === 0) throw new Error('there are no runs to make a page of');
if (tasksOf(runs).length > 0) {
  writeFileSync(pageFile, page(runs));
  console.log(`written: ${pageFile}`);
}
const quiet = (task) => runs.filter((run) => run.task === task && run.method === 'trained' && (run.busy ?? 0) === 0);
const missed = runs.filter((run) => run.method === 'trained' && run.success_rate < run.target_success_rate);
const different = [...new Set(runs.map(({ task }) => task))].flatMap((task) =>
  differences(
    quiet(task),
    runs.filter((run) => run.task === task && (run.busy ?? 0) > 0),
  ),
);
for (const { task, seed } of runs.filter((run) => (run.busy ?? 0) > 0)) {
  if (!quiet(task).some((run) => run.seed === seed))
    console.log(`nothing to compare with yet, no quiet run: ${task} seed ${seed}`);
}
for (const { task, seed } of missed) console.log(`target missed: ${task} seed ${seed}`);
for (const { task, seed } of different) console.log(`not the same on a busy machine: ${task} seed ${seed}`);
if (missed.length + different.length > 0) process.exitCode = 1;
// Busy loops and signal handlers are this process's own.
process.exit();
