/**
 * The whole workflow on an emulated SO-101 in real time: policy, guard, serial bytes, emulated servos, MuJoCo. Starts `rein emulate`,
 * `rein learn` and `rein run` as on a bench, where it learns to press a button; then the learned policy acts alone, and its successes are
 * counted and printed in the last line. Takes the minutes of learning and six seconds an episode after that: with its defaults a quarter
 * of an hour.
 *
 *   npm run live:serial -- [--minutes 8] [--evaluate 60] [--seed 1] [--task press] [--out runs/live-serial] [--json FILE]
 *
 * If the robot requires an operator, c is pressed, and counted. Needs a build, `script` (util-linux), and no hardware.
 * Ends with code 1 if a run ended before its time, less than half of the episodes took place or succeeded, transitions were lost, limits
 * violated, or no record proves that they were not.
 */
import './node-version.js';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadRobotFile } from '../dist/config/index.js';
import { calibrationText, feetechFamily } from '../dist/drivers/serial.js';
import { wilsonInterval } from '../dist/model/statistics.js';
import { scriptArguments } from './arguments.js';

const { values } = scriptArguments(import.meta.url, {
  options: {
    minutes: { type: 'string', default: '8' },
    evaluate: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    task: { type: 'string', default: 'press' },
    bind: { type: 'string', default: 'tcp://127.0.0.1:7360' },
    out: { type: 'string', default: join('runs', 'live-serial') },
    json: { type: 'string' },
  },
});
const bin = fileURLToPath(new URL('../bin/rein.js', import.meta.url));
const { task, seed, bind } = values;
const out = resolve(values.out);
const serialNumber = 'LIVE01';
const link = join(out, `usb-Emulated_so101_${serialNumber}-if00`);
const overlay = join(out, 'bench.yaml');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
writeFileSync(overlay, benchYaml());
const env = { ...process.env, REIN_CONFIG: join(out, 'settings'), REIN_STATE: join(out, 'state') };
writeCalibration();

const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const emulator = start('emulate', 'feetech', '--task', task, '--config', overlay, '--link', link, '--seed', seed);
while (!existsSync(link)) await delay(50);
const learner = start(
  'learn',
  '--task',
  task,
  '--config',
  overlay,
  '--seed',
  seed,
  '--bind',
  bind,
  '--out',
  join(out, 'learner'),
);
await said(learner, 'robots connect with');
console.log(`learning for ${values.minutes} min`);
const robot = join(out, 'robot');
const learnt = await runRobot(robot, 60 * Number(values.minutes), ['--learner', bind, '--operator', 'scripted']);
await ended(learner, 'SIGINT');
const policy = join(out, 'policy.onnx');
exportPolicy();
const perEpisodeS = 6;
console.log(`the policy alone, for ${values.evaluate} episodes`);
const alone = join(out, 'alone');
const tried = await runRobot(alone, Number(values.evaluate) * perEpisodeS, ['--policy', policy]);
await ended(emulator, 'SIGINT');

const figures = { task, seed: Number(seed), minutes: Number(values.minutes), learning: learnt, alone: tried };
console.log(JSON.stringify(figures, undefined, 2));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
const [low, high] = tried.success_95.map((ratio) => Math.round(100 * ratio));
console.log(
  tried.episodes === 0
    ? 'The policy alone finished no episode.'
    : `The policy alone succeeded in ${tried.successes} of ${tried.without_help} episodes: ${Math.round(100 * tried.success_rate)} %, and with 95 % confidence ${low} to ${high} %.`,
);
// If most of the requested episodes did not take place, nothing was shown.
const wasRun = learnt.code === 0 && tried.code === 0 && tried.without_help >= Number(values.evaluate) / 2;
process.exit(wasRun && tried.success_rate >= 0.5 && learnt.lost === 0 && tried.violations === 0 ? 0 : 1);

function start(...args) {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env });
  children.add(child);
  child.once('exit', () => children.delete(child));
  child.stdout.resume();
  return child;
}

/** Its own error message is sufficient. */
function exportPolicy() {
  const args = [bin, 'export', 'policy', join(out, 'learner'), '--out', policy];
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) fail(`No policy was learned to be tried alone: ${stderr.trim()}`);
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

function said(child, text) {
  return new Promise((done) => {
    const end = (code) => fail(`It ended with ${code} before it printed "${text}": see above.`);
    child.once('exit', end);
    child.stdout.on('data', (data) => {
      if (!String(data).includes(text)) return;
      child.off('exit', end);
      done();
    });
  });
}

function ended(child, signal) {
  return new Promise((done) => {
    child.once('exit', done);
    child.kill(signal);
  });
}

/** Runs the robot at a terminal, like an operator, who presses c on request. */
async function runRobot(folder, seconds, more) {
  const args = ['run', '--task', task, '--config', overlay, '--seed', seed, '--start', 'now', '--out', folder];
  const line = [process.execPath, bin, ...args, '--duration', String(seconds), ...more].join(' ');
  const child = spawn('script', ['-qfec', line, `${folder}.log`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  children.add(child);
  let looks = 0;
  // Reports begin a line; the question below them is redrawn repeatedly.
  child.stdout.on('data', (data) => {
    looks += String(data).match(/^[^›\n]*The robot stands\./gm)?.length ?? 0;
  });
  // Repeated as often as necessary: a robot that is coming to rest, or not read yet, refuses. An arm without torque is brought home before.
  const person = setInterval(() => {
    emulator.stdin.write('hold\n');
    setTimeout(() => child.stdin.write('c'), 2000);
  }, 3000);
  child.once('exit', () => clearInterval(person));
  const code = await new Promise((done) => child.once('exit', done));
  children.delete(child);
  // A run that ends before its time reports the reason there.
  if (code !== 0) console.log(`rein run ended with ${code}: see ${folder}.log`);
  return { ...figuresOf(folder, looks), code };
}

function figuresOf(folder, looks) {
  const metrics = join(folder, 'metrics.jsonl');
  if (!existsSync(metrics)) fail(`The run left no ${metrics}: see ${folder}.log.`);
  const records = readFileSync(metrics, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const episodes = records.filter(({ kind }) => kind === 'episode');
  const alone = episodes.filter(({ interventions }) => interventions === 0);
  const half = alone.slice(Math.floor(alone.length / 2));
  const wins = (list) => list.filter(({ success }) => success).length;
  // A missing record is no proof that there was nothing: null, which is not 0.
  const last = records.findLast(({ kind }) => kind === 'link') ?? { lost: null, duplicated: null };
  const safety = records.findLast(({ kind }) => kind === 'safety') ?? { violations: null, ticks: 0 };
  const { low, high } = wilsonInterval(wins(alone), alone.length);
  return {
    episodes: episodes.length,
    without_help: alone.length,
    successes: wins(alone),
    success_rate: wins(alone) / Math.max(1, alone.length),
    success_95: [low, high],
    last_half: `${wins(half)} of ${half.length}`,
    lost: last.lost,
    duplicated: last.duplicated,
    violations: safety.violations,
    ticks: safety.ticks,
    looks,
  };
}

/** Position of the button, and the encoder that measures its travel: 5 hundredths of a millimetre a count. */
function benchYaml() {
  return `robot:
  driver:
    port: ${link}
    signals:
      - { name: buttonXM, value: 0.24 }
      - { name: buttonYM, value: 0 }
      - { name: buttonZM, id: 7, model: sts3215, perCount: 0.00005 }
      - { name: buttonYawRad, value: 0 }
`;
}

/** Calibration as `rein calibrate` would find it for this arm: each servo in the middle of its turn at its joint's zero. */
function writeCalibration() {
  const { robot } = loadRobotFile('so101');
  const joints = robot.joints.map(({ name }) => {
    const { id, model } = robot.driver.motors[name];
    const { modelNumber } = feetechFamily.models[model];
    const middle = { zeroCounts: 2048, minCounts: 0, maxCounts: 4095, homingOffsetCounts: 0 };
    return [name, { id, model, modelNumber, firmware: '3.10', direction: 1, ...middle }];
  });
  const folder = join(env.REIN_CONFIG, 'calibration');
  mkdirSync(folder, { recursive: true });
  const rest = { kind: 'rein-calibration', version: 1, robot: 'so101', family: 'feetech', adapter: serialNumber };
  const text = calibrationText({
    ...rest,
    calibratedAt: new Date(0).toISOString(),
    joints: Object.fromEntries(joints),
  });
  writeFileSync(join(folder, 'so101.json'), text);
}
