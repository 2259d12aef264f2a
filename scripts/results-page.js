/** The tasks' part of docs/results.md, from the runs made by `npm run results`. */

import { markdownTable, percent } from '../src/model/text.ts';
import { ageSentence } from './page-age.js';

/** Compared methods: their changes, and whether they train at all. */
export const METHODS = [
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

/** Runs from before this was recorded have no value. */
const perHour = (value) => (value === undefined ? '–' : value.toFixed(value < 10 ? 1 : 0));
const meanOf = (runs, key) =>
  runs.every((run) => run[key] !== undefined) ? mean(runs.map((run) => run[key])) : undefined;
const mean = (numbers) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

/** True for a run trained with everything, without busy loops beside it: shown by seed, and the reference for busy runs. */
export function isQuiet(run) {
  return run.method === 'trained' && (run.busy ?? 0) === 0;
}

/** Tasks that were trained on a quiet machine, for which there are figures. */
export function tasksOf(runs) {
  return [...new Set(runs.filter((run) => isQuiet(run) && !run.failed).map(({ task }) => task))];
}

/** Day of the oldest run; today if no run has a day. */
function oldestOf(runs) {
  const days = runs.flatMap(({ started_at }) => started_at?.slice(0, 10) ?? []);
  return days.sort()[0] ?? new Date().toISOString().slice(0, 10);
}

function machineOf({ cores, cpu }) {
  return `${cores} cores, ${cpu}`;
}

/** The part in Markdown, for runs as in docs/results/runs.jsonl. */
export function page(runs) {
  const tasks = tasksOf(runs);
  const first = runs.find((run) => !run.failed);
  const machines = [...new Set(runs.filter((run) => !run.failed).map(machineOf))];
  const versions = Object.entries(first.versions).map(([name, version]) => `${name} ${version}`);
  return `# Results

How well the tasks of the demo are learned, and [how the learner's algorithms compare](#learning-curves), over seeds and with intervals.

Made by \`npm run results\` from [results/runs.jsonl](results/runs.jsonl); one line there is the \`--json\` summary of one
run. Machine of the rows by seed: ${machineOf(first)}; no GPU.${
    machines.length > 1 ? ` Repetitions and other methods also on: ${machines.slice(1).join('; ')}.` : ''
  } ${versions.join(', ')}.

Every figure of success is the share of ${first.eval_episodes} fresh evaluation episodes without help and without exploring. These
episodes are the same for all rows and seeds, and no policy was chosen on them: the one that is kept was chosen on
validation episodes. Training time counts demonstrations, cloning, training and validation; the whole command also start,
evaluation and report; times with a load in brackets were taken beside other programs, and are in no average. A run ends by what it learned, never by the clock: time is beside what the task compares it with, and fails nothing.
Successes per hour are of the robot's own (simulated) time, resets included, which take next to no time in simulation;
human steps are the share of training steps that the scripted operator decided in a person's place. Simulated, not tried on hardware.

${ageSentence(oldestOf(runs))}

${tasks
  .map((task) =>
    section(
      task,
      runs.filter((run) => run.task === task),
    ),
  )
  .join('\n')}`;
}

function section(task, made) {
  const all = made.filter((run) => !run.failed);
  const runs = all.filter((run) => (run.busy ?? 0) === 0);
  const trained = runs.filter(isQuiet);
  const broken = made.filter((run) => run.failed && isQuiet(run));
  const target = trained[0]?.target_success_rate ?? 0;
  const met = trained.filter((run) => run.success_rate >= target).length;
  const busyRuns = all.filter((run) => (run.busy ?? 0) > 0);
  const wantedS = trained[0]?.target_training_wall_s;
  const alone = trained.filter((run) => !isDisturbed(run));
  const times = (alone.length > 0 ? alone : trained).map((run) => run.training_wall_s);
  const sum = (pick) => runs.reduce((total, run) => total + pick(run), 0);
  return `## ${task}

Target: ${percent(target)}. Reached by ${met} of ${trained.length + broken.length} seeds.${brokenOff(made)} Over all ${runs.length} runs of this section: ${sum((r) => r.safety.violations)} limit
violations in ${sum((r) => r.safety.ticks).toLocaleString('en')} guard ticks, ${sum((r) => r.safety.restarts ?? 0)} restarts of the simulated robot after a stop of category 1, ${sum((r) => r.link.lost)} transitions lost and ${sum((r) => r.link.duplicated)} duplicated of ${sum((r) => r.link.sent).toLocaleString('en')}.

Training took ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} s, ${mean(times).toFixed(0)} s on average${wantedS === undefined ? '' : `; the task compares with ${wantedS} s`}. ${sameness(trained, busyRuns)}

${markdownTable(SEED_HEADS, trained.map(row))}
${markdownTable(
  METHOD_HEADS,
  METHODS.filter(({ name }) => runs.some(({ method }) => method === name)).map((method) => comparison(method, runs)),
)}`;
}

const SEED_HEADS = [
  'seed',
  'success',
  'successes/h evaluated, in training',
  'human steps',
  'steps on the robot',
  'updates',
  'UTD',
  'interventions (steps)',
  'training s',
  'whole command s',
  'updates/s',
  'policy',
];
const METHOD_HEADS = ['method', 'success, each seed', 'mean', 'successes/h evaluated, mean', 'human steps, mean'];

/** Last messages of runs that left no policy. */
function brokenOff(runs) {
  const words = runs
    .filter((run) => run.failed)
    .map(({ method, seed, failed }) => `${method}, seed ${seed}: ${failed}`);
  return words.length === 0 ? '' : ` **Broke off, without a policy: ${words.join('; ')}.**`;
}

/** Busy runs that differ, bit by bit, from the quiet run of their seed. */
export function differences(quiet, busyRuns) {
  return paired(quiet, busyRuns).filter((run) => {
    const other = quiet.find(({ seed }) => seed === run.seed);
    return other.policy_sha256 !== run.policy_sha256 || other.metrics_sha256 !== run.metrics_sha256;
  });
}

/** Busy runs with a quiet one of the same seed for comparison. */
function paired(quiet, busyRuns) {
  return busyRuns.filter((run) => quiet.some(({ seed }) => seed === run.seed));
}

function sameness(quiet, busyRuns) {
  const compared = paired(quiet, busyRuns);
  if (compared.length === 0) return 'No run was repeated on a busy machine.';
  const different = differences(quiet, busyRuns).map(({ seed }) => seed);
  const times = compared.map((run) => run.training_wall_s);
  const beside = `beside ${busyRuns[0].busy} busy loops, where training took ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} s`;
  if (different.length === 0) {
    const others = compared.filter((run) => quiet.find(({ seed }) => seed === run.seed).cpu !== run.cpu);
    const where = others.length === 0 ? '' : `; ${others.length} of them on another processor, ${others[0].cpu}`;
    return `${compared.length} of ${quiet.length} seeds gave the same policy and the same metrics, to the bit, ${beside}${where}.`;
  }
  return `**Seeds ${different.join(', ')} gave another policy or other metrics** ${beside}.`;
}

/** Maximum load average at the end of a run that had the machine to itself: its own threads, two or three. */
const MOST_OWN_LOAD = 3.5;

/** True if other programs ran beside it: its result is the same, its times are not. */
function isDisturbed({ load = 0 }) {
  return load > MOST_OWN_LOAD;
}

function row(run) {
  return [
    run.seed,
    percent(run.success_rate),
    `${perHour(run.successes_per_hour)}, ${perHour(run.training_successes_per_hour)}`,
    run.human_step_share === undefined ? '–' : percent(run.human_step_share),
    run.env_steps,
    run.updates,
    run.utd.toFixed(2),
    `${run.interventions} (${run.intervention_steps})`,
    `${run.training_wall_s.toFixed(1)}${isDisturbed(run) ? ` (load ${run.load.toFixed(0)})` : ''}`,
    run.command_s.toFixed(1),
    run.updates_per_s.toFixed(0),
    run.policy_sha256 === undefined ? '–' : `\`${run.policy_sha256.slice(0, 8)}\``,
  ];
}

function comparison(method, runs) {
  const mine = runs.filter((run) => run.method === method.name).sort((a, b) => a.seed - b.seed);
  const each = mine.map((run) => percent(run.success_rate)).join(', ');
  const rate = perHour(meanOf(mine, 'successes_per_hour'));
  const share = meanOf(mine, 'human_step_share');
  const success = percent(mean(mine.map((run) => run.success_rate)));
  return [method.title, each, success, rate, share === undefined ? '–' : percent(share)];
}
