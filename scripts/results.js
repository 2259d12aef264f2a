/**
 * Makes the tasks' part of docs/results.md: trains every task with ten seeds, 0 to 4 and five that were not used for any choice, and, with
 * seeds 0 to 4 and on the same evaluation episodes, an untrained policy, behaviour cloning alone, and training without interventions.
 * Times are only meaningful if nothing else runs meanwhile; policies are the same anyway, which `--busy` shows: it trains all ten seeds
 * again beside so many loops that each only occupy a core, and compares policies and metrics bit by bit.
 *
 *   npm run results                       what is missing in docs/results/runs.jsonl, then the page: some 35 minutes on two quiet cores
 *   npm run results -- --busy 2           what is missing of the ten seeds beside two busy loops, then the page: some 45 minutes
 *   npm run results -- --fresh            discards existing runs and begins anew
 *   npm run results -- --page             the page only, from existing runs
 *   npm run results -- --tasks insert --seeds 0,1 --methods trained
 *
 * It can be interrupted at any time: each run is stored when it is done, and the same command continues with the next. It ends with 1 if
 * a target was missed or two runs of one seed differ.
 */
import './read-typescript.js';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { percent } = await import('../src/model/text.ts');
const { differences, isQuiet, METHODS } = await import('./results-page.js');
const { readRuns, runsFile, writeResults } = await import('./write-results.js');

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Seeds below this are trained with every method. */
const COMPARED_SEEDS = 5;

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

function isSame(run, task, method, seed, busy) {
  return run.task === task && run.method === method && run.seed === seed && (run.busy ?? 0) === busy;
}

const hash = (data) => createHash('sha256').update(data).digest('hex').slice(0, 16);

/** Digests of a run's policy, and of its metrics without times and without data in transit between two processes. */
function digestsOf(folder) {
  // A learner without updates wrote none.
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

/** Starts processes that each only occupy a core, and that end with this one. */
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
    const how = await new Promise((resolve) =>
      child.once('exit', (code, killer) => resolve(killer ?? `exit code ${code}`)),
    );
    // A missed target is a result, and so is a run that broke off: it is recorded, and repeated by the next command.
    if (!existsSync(json)) {
      const failed = complaint.trim().split('\n').at(-1) || `ended by ${how}`;
      return { task, method: method.name, seed, busy, failed };
    }
    const summary = JSON.parse(readFileSync(json, 'utf8'));
    return {
      ...summary,
      method: method.name,
      ...digestsOf(join(folder, 'run')),
      busy,
      command_s: (performance.now() - startedMs) / 1e3,
      cpu: cpus()[0]?.model,
      cores: availableParallelism(),
      load: loadavg()[0],
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
  // Runs of the comparisons, and those compared with busy runs: training alone has all seeds.
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
    const outcome =
      run.failed ??
      `${percent(run.success_rate)} after ${run.env_steps} steps, training ${run.training_wall_s.toFixed(0)} s, in all ${run.command_s.toFixed(0)} s`;
    console.log(`${i + 1} of ${missing.length}: ${task} ${method.name} seed ${seed}: ${outcome}`);
  }
}

const seeds = values.seeds.split(',').map(Number);
const busy = Number(values.busy);
if (!Number.isInteger(busy) || busy < 0) throw new Error('--busy takes a number of loops, 0 or more');
if (!values.page) await train(values.tasks.split(','), seeds, busy);
const runs = readRuns();
if (runs.length === 0) throw new Error('there are no runs to make a page of');
writeResults();
const quiet = (task) => runs.filter((run) => run.task === task && isQuiet(run) && !run.failed);
const missed = runs.filter(
  (run) => run.failed || (run.method === 'trained' && !(run.success_rate >= run.target_success_rate)),
);
const different = [...new Set(runs.map(({ task }) => task))].flatMap((task) =>
  differences(
    quiet(task),
    runs.filter((run) => run.task === task && (run.busy ?? 0) > 0 && !run.failed),
  ),
);
for (const { task, seed } of runs.filter((run) => (run.busy ?? 0) > 0)) {
  if (!quiet(task).some((run) => run.seed === seed))
    console.log(`nothing to compare with yet, no quiet run: ${task} seed ${seed}`);
}
for (const { task, seed } of missed) console.log(`target missed: ${task} seed ${seed}`);
for (const { task, seed } of different) console.log(`not the same on a busy machine: ${task} seed ${seed}`);
if (missed.length + different.length > 0) process.exitCode = 1;
// Busy loops and signal handlers belong to this process.
process.exit();
