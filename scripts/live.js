/**
 * Shows that a robot learns live: starts `rein learn` and `rein run` as two programs in real time (10 steps a second), and
 * prints how often the first and the last episodes succeeded without help. `npm run live -- --minutes 8 --task insert
 * --seed 0 --window 20 --out runs/live`. Ends with code 1 if it did not improve or transitions were lost.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const bin = fileURLToPath(new URL('../bin/rein.js', import.meta.url));
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '8' },
    task: { type: 'string', default: 'insert' },
    seed: { type: 'string', default: '0' },
    window: { type: 'string', default: '20' },
    bind: { type: 'string', default: 'tcp://127.0.0.1:7350' },
    out: {
      type: 'string',
      default: join('runs', `live-${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, '')}`),
    },
  },
});
const { task, seed, bind, out } = values;
const window = Number(values.window);
const folder = { learner: join(out, 'learner'), robot: join(out, 'robot') };
mkdirSync(out, { recursive: true });

const learner = spawn(
  process.execPath,
  [bin, 'learn', '--task', task, '--seed', seed, '--bind', bind, '--out', folder.learner],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
process.on('exit', () => learner.kill('SIGTERM'));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined); // the robot ends first, and then we do
await new Promise((resolve, reject) => {
  learner.once('exit', () => reject(new Error('the learner did not start: see above')));
  learner.stdout.on('data', (data) => String(data).includes('robots connect with') && resolve());
});
const duration = String(60 * Number(values.minutes));
const common = ['--task', task, '--seed', seed, '--learner', bind, '--out', folder.robot];
const robot = spawn(process.execPath, [bin, 'run', ...common, '--operator', 'scripted', '--duration', duration], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
await new Promise((resolve) => robot.once('exit', resolve));
const learned = new Promise((resolve) => learner.once('exit', resolve));
learner.kill('SIGINT');
await learned;
report();

function report() {
  const records = readFileSync(join(folder.robot, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const episodes = records.filter((r) => r.kind === 'episode' && r.purpose === 'training');
  const alone = episodes.map((e) => e.success && e.interventions === 0);
  const link = records.findLast((r) => r.kind === 'link') ?? { lost: 0, duplicated: 0 };
  const safety = records.findLast((r) => r.kind === 'safety') ?? { violations: 0, overruns: 0, ticks: 0 };
  console.log(
    `\nSuccess without help, ${window} episodes a line (exploring; of ${episodes.length} in ${values.minutes} min):`,
  );
  for (let i = 0; i < alone.length; i += window) {
    const part = alone.slice(i, i + window);
    const steps = episodes[Math.min(i + window, episodes.length) - 1].envStep;
    const rate = (100 * count(part)) / part.length;
    const length = episodes.slice(i, i + window).reduce((sum, e) => sum + e.steps, 0) / part.length;
    console.log(
      `  to step ${String(steps).padStart(6)}  ${rate.toFixed(0).padStart(3)} %  of ${part.length}, ${length.toFixed(1)} steps each`,
    );
  }
  const first = count(alone.slice(0, window)) / Math.min(window, alone.length);
  const last = count(alone.slice(-window)) / Math.min(window, alone.length);
  const lastWhole = episodes.at(-1);
  const figures = {
    task,
    seed: Number(seed),
    minutes: Number(values.minutes),
    episodes: episodes.length,
    first,
    last,
    env_steps: lastWhole?.envStep ?? 0,
    policy_version: lastWhole?.policyVersion ?? 0,
    lost: link.lost,
    duplicated: link.duplicated,
    violations: safety.violations,
    overruns: safety.overruns,
    ticks: safety.ticks,
  };
  console.log(JSON.stringify(figures));
  process.exitCode = last > first && link.lost === 0 && link.duplicated === 0 && safety.violations === 0 ? 0 : 1;
}

function count(flags) {
  return flags.filter(Boolean).length;
}
