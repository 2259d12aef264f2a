/**
 * A million adversarial ticks: the safety check on the bundled robots, and the violations without the chain or its stages.
 *
 *   npm run safety:million                          all of it into safety-million.json, and a table
 *   npm run safety:million -- --share 0.1           a tenth of it
 *   npm run safety:million -- --seed 7 --json f.json
 *   npm run safety:million -- --robot so101,koch --ticks 1000000
 *                                                   these alone, so many ticks each with the tank and as many without, and as
 *                                                   many again of each through the robot's own driver; no parts
 *   npm run safety:million -- --models ~/models     also third-party robots, from your own copies: missing ones are reported
 *   npm run safety:million -- --models ~/models --only ur5e,panda --ticks 1000000
 *
 * All of it takes about an hour on two cores: a million ticks with the energy tank, as many without it,
 * the same once more through the driver of each robot, the parts.
 *
 * Exit codes: 0 no violation of a reference, no surplus, and the expected violations without each part; 1 otherwise. How far the
 * simulated arms stray from their references is printed, with the margins that cover it, and is no violation.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadCheckSubject } from '../dist/robot-import/index.js';
import { ablationOf, evidenceOf } from '../dist/safety-check/evidence.js';
import { runSafetyCheck } from '../dist/safety-check/index.js';
import { scriptArguments } from './arguments.js';
import { thisMachine } from './machine.js';
import { throughDriver } from './own-driver.js';

/**
 * Third-party robots as shipped by their manufacturers, with the files laid beside them: a folder below --models, the tested commit,
 * and the check's arguments. Their files are not in this repository.
 */
const FOREIGN = [
  {
    name: 'ur5e',
    source: 'https://github.com/google-deepmind/mujoco_menagerie',
    commit: '990936d7cb4c0eb9c5843b0963633ea2d0b42b91',
    model: 'mujoco_menagerie/universal_robots_ur5e/ur5e.xml',
    limits: 'Universal_Robots_ROS2_Description/config/ur5e/joint_limits.yaml',
    limitsSource: 'https://github.com/UniversalRobots/Universal_Robots_ROS2_Description',
    limitsCommit: '2221ec0',
    payloadMaxKg: 5,
    fixed: [],
  },
  {
    name: 'panda',
    source: 'https://github.com/google-deepmind/mujoco_menagerie',
    commit: '990936d7cb4c0eb9c5843b0963633ea2d0b42b91',
    model: 'mujoco_menagerie/franka_emika_panda/panda.xml',
    limits: 'franka_ros/franka_description/robots/panda/joint_limits.yaml',
    limitsSource: 'https://github.com/frankaemika/franka_ros',
    limitsCommit: 'c11f000c2737acc22ed8dfeff40555b2644a4294',
    payloadMaxKg: 3,
    fixed: ['finger_joint1', 'finger_joint2'],
  },
  {
    name: 'so101',
    source: 'https://github.com/TheRobotStudio/SO-ARM100',
    commit: 'fda892cba81032c46c40976a48c9ceadbf40a9ca',
    model: 'SO-ARM100/Simulation/SO101/so101_new_calib.urdf',
    fixed: [],
  },
];
const FOREIGN_TICKS = 100_000;

/** Ticks of each robot: those of a car cost most, as its wheels touch the ground. */
const ROBOTS = [
  { name: 'arm6', ticks: 420_000 },
  { name: 'arm7', ticks: 420_000 },
  { name: 'so101', ticks: 200_000 },
  { name: 'koch', ticks: 200_000 },
  { name: 'viperx', ticks: 200_000 },
  { name: 'car', ticks: 170_000 },
  { name: 'race-car', ticks: 50_000 },
];
/** The same robot as one of these, with another driver. */
const OTHER_DRIVERS = [{ name: 'race-car-vesc', ticks: 50_000 }];

/**
 * Ablations: omitted parts of the chain, each with its substitute, and the violations that must then occur. The action map is trusted
 * with no limit at all: without it the attackers choose any velocity, and the stages behind it hold. The tank slows a robot down so much
 * that limits are rarely reached: it is omitted where another stage is to be shown.
 */
const ABLATIONS = [
  {
    robot: 'arm6',
    chain: 'off',
    without: [],
    expect: ['velocity', 'acceleration', 'workspace', 'selfCollision', 'keepOut', 'contact', 'disobedience'],
  },
  {
    robot: 'arm7',
    chain: 'off',
    without: [],
    expect: ['position', 'velocity', 'acceleration', 'workspace', 'selfCollision', 'keepOut', 'contact'],
  },
  {
    robot: 'car',
    chain: 'off',
    without: [],
    expect: ['position', 'velocity', 'acceleration', 'fence', 'disobedience'],
  },
  { robot: 'arm6', chain: 'on', without: ['sanitize'], expect: ['disobedience'] },
  { robot: 'arm6', chain: 'on', without: ['actionMap'], expect: [] },
  { robot: 'arm6', chain: 'on', without: ['startGuard'], expect: ['startJump'] },
  { robot: 'arm6', chain: 'on', without: ['limiter', 'barrier', 'tank'], expect: ['velocity', 'acceleration'] },
  { robot: 'arm7', chain: 'on', without: ['brakeBound', 'barrier', 'tank', 'shield'], expect: ['position'] },
  {
    robot: 'arm6',
    chain: 'on',
    without: ['barrier', 'tank', 'shield'],
    expect: ['workspace', 'selfCollision', 'keepOut', 'contact'],
  },
  { robot: 'arm6', chain: 'on', without: ['tank'], expect: ['energy'] },
  { robot: 'car', chain: 'on', without: ['shield'], expect: ['fence'] },
];
const ABLATION_TICKS = 14_000;
/** Rounding error of sums of energies, J. */
const SURPLUS_MAX_J = 1e-6;

const { values } = scriptArguments(import.meta.url, {
  options: {
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '1' },
    json: { type: 'string', default: 'safety-million.json' },
    models: { type: 'string' },
    only: { type: 'string', default: '' },
    robot: { type: 'string', default: '' },
    ticks: { type: 'string' },
  },
});
const only = values.only.split(',').filter(Boolean);
const unknown = only.filter((name) => !FOREIGN.some((robot) => robot.name === name));
if (unknown.length > 0 || (only.length > 0 && values.models === undefined)) {
  console.error(`--only goes with --models and takes ${FOREIGN.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const named = values.robot.split(',').filter(Boolean);
const strange = named.find((name) => !ROBOTS.some((robot) => robot.name === name));
if (strange !== undefined || (named.length > 0 && only.length > 0)) {
  console.error(`--robot takes ${ROBOTS.map(({ name }) => name).join(', ')}, and goes without --only.`);
  process.exit(2);
}
/** Ticks of each robot, if given. */
const ticksEach = values.ticks === undefined ? undefined : Number(values.ticks);
if (ticksEach !== undefined && !(Number.isInteger(ticksEach) && ticksEach > 0)) {
  console.error(`--ticks takes a whole number above 0, got ${values.ticks}.`);
  process.exit(2);
}
const seed = Number(values.seed);
const share = Number(values.share);
const machine = thisMachine();
const startedMs = performance.now();
const subjects = new Map();
// Only third-party robots, if only they are requested.
const chosen = named.length > 0 ? ROBOTS.filter(({ name }) => named.includes(name)) : ROBOTS;
const ours = (only.length > 0 ? [] : chosen).map(({ name, ticks }) => ({
  name,
  ticks: named.length > 0 ? (ticksEach ?? ticks) : ticks,
}));
for (const { name } of ours) subjects.set(name, await loadCheckSubject(name));
const planned = ours.reduce((sum, { ticks }) => sum + 2 * ticks * share, 0);
let doneBefore = 0;
let saidMs = performance.now();

/** Prints a line now and then: completed share of the ticks with and without the tank, and remaining time. */
function say({ ticks }) {
  if (performance.now() - saidMs < 30_000) return;
  saidMs = performance.now();
  const part = (doneBefore + ticks) / planned;
  const leftMin = ((performance.now() - startedMs) / 6e4) * (1 / Math.max(part, 1e-3) - 1);
  console.error(`  ${(100 * part).toFixed(1)} % of the ticks, about ${Math.ceil(leftMin)} min left`);
}

async function check(name, ticks, chain, without) {
  const command = `npm run safety:million -- --seed ${seed}${share === 1 ? '' : ` --share ${share}`}`;
  const onProgress = doneBefore < planned ? say : undefined;
  return runSafetyCheck({
    subject: subjects.get(name),
    shownAs: name,
    command,
    ticks,
    seed,
    chain,
    without,
    onProgress,
  });
}

const robots = [];
const withoutTank = [];
for (const without of [[], ['tank']]) {
  for (const { name, ticks } of ours) {
    const result = await check(name, Math.ceil(ticks * share), 'on', without);
    (without.length === 0 ? robots : withoutTank).push(result);
    doneBefore += result.ticks;
    console.log(`${result.verdict} (${result.wallS.toFixed(0)} s)`);
  }
}

const ownDrivers = [];
for (const without of [[], ['tank']]) {
  for (const { name, ticks } of [...ours, ...(named.length + only.length > 0 ? [] : OTHER_DRIVERS)]) {
    // For a robot without a tank, the run without it is the same.
    if (without.length > 0 && !ownDrivers.some(({ robot, hasTank }) => robot === name && hasTank)) continue;
    const result = await throughDriver(name, Math.ceil(ticks * share), seed, without);
    ownDrivers.push(result);
    const energy = result.surplusJ === undefined ? '' : `, surplus ${result.surplusJ.toExponential(1)} J`;
    const part = without.length === 0 ? '' : ' without tank';
    console.log(
      `${name}${part} through its own driver: ${result.ticks} ticks, ${result.followed} followed, ${result.violations} violations${energy}`,
    );
  }
}
const heldInDriver = ownDrivers.every(
  ({ ticks, followed, violations, hasTank, surplusJ }) =>
    violations === 0 && (!hasTank || surplusJ <= SURPLUS_MAX_J) && followed > ticks / 2,
);

const ablations = [];
let isBiting = true;
for (const { robot, chain, without, expect } of only.length > 0 || named.length > 0 ? [] : ABLATIONS) {
  const result = await check(robot, ABLATION_TICKS, chain, without);
  const ablation = ablationOf(result);
  const { counts } = ablation;
  ablations.push(ablation);
  const canHave = result.violations.filter(({ applies }) => applies).map(({ kind }) => kind);
  const missed = expect.filter((kind) => canHave.includes(kind) && counts[kind] === undefined);
  if (missed.length > 0) isBiting = false;
  const list = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
  const part = chain === 'off' ? 'the chain' : without.join(' + ');
  console.log(
    `${robot} without ${part}: ${list.join(', ') || 'nothing broke'}${missed.length > 0 ? `; EXPECTED ${missed}` : ''}`,
  );
}

const foreign = [];
for (const robot of values.models === undefined || named.length > 0 ? [] : FOREIGN) {
  if (only.length === 0 || only.includes(robot.name)) foreign.push(await foreignCheck(robot, values.models));
}

const wallS = (performance.now() - startedMs) / 1e3;
const whole = evidenceOf(robots, ablations, wallS, withoutTank);
// Without the tank nothing is promised about energy, but everything else is.
const heldWithout = whole.violationsWithoutTank === 0 && withoutTank.every((result) => result.plantFailures === 0);
const heldElsewhere = foreign.every(({ result }) => result === undefined || result.ok);
const ok = robots.every((result) => result.ok) && heldWithout && heldElsewhere && heldInDriver && isBiting;
const about = { createdAt: new Date().toISOString(), commit: commitHere(), machine, ok };
const evidence = { ...whole, foreign, ownDrivers, ...about };
writeFileSync(values.json, `${JSON.stringify(evidence)}\n`);
const counted = [...robots, ...withoutTank, ...foreign.flatMap(({ result }) => (result === undefined ? [] : [result]))];
console.table(
  counted.map(({ robot, without, ticks, violations, arm, margins, energy, stops, stages }) => ({
    robot: without.length > 0 ? `${robot} without ${without.join(', ')}` : robot,
    ticks,
    'reference: violations': violations.reduce((total, { kind, count }) => {
      return total + (kind === 'energy' && without.includes('tank') ? 0 : count);
    }, 0),
    'nearest, mm': round(1e3 * (margins.selfM ?? margins.fenceM ?? 0)),
    'arm: out of its box, mm': strayed(arm, 'armWorkspace').mm,
    'touched, ticks': strayed(arm, 'armContact').ticks,
    'deep, mm': strayed(arm, 'armContact').mm,
    'surplus, J': energy.hasTank ? energy.surplusMaxJ.toExponential(1) : '-',
    stops: stops.reduce((total, each) => total + each.stops, 0),
    ...Object.fromEntries(stages.map(({ stage, share: acted }) => [`${stage}, %`, round(100 * acted)])),
    'stop used of bound, %': round(100 * Math.max(0, ...stops.map(({ time }) => time.shareOfBoundMax))),
  })),
);
for (const { robot, without, arm } of counted) {
  const name = without.length > 0 ? `${robot} without ${without.join(', ')}` : robot;
  for (const { message } of arm.margins) console.log(`${name}: ${message}`);
}
if (robots.length > 0)
  console.log(
    `${evidence.verdict} Rate below ${evidence.upperBound95.toExponential(1)} with 95 % confidence; ` +
      `${evidence.wallS.toFixed(0)} s; written: ${values.json}`,
  );
process.exit(ok ? 0 : 1);

/** Present commit; null if there is none, or files differ from it. */
function commitHere() {
  const git = (...args) => spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
  const head = git('rev-parse', 'HEAD');
  const isClean = git('status', '--porcelain', '--untracked-files=no').stdout === '';
  return head.status === 0 && isClean ? head.stdout.trim() : null;
}

/** Check of a third-party robot, as a user would start it; `missing` if the files are not below `models`. */
async function foreignCheck(robot, models) {
  const { name, source, commit, model, limits, limitsSource, limitsCommit, fixed, payloadMaxKg } = robot;
  const about = { name, source, commit, model, limits, limitsSource, limitsCommit };
  const parts = ['rein safety check', model, ...(limits === undefined ? [] : ['--limits', limits])];
  if (payloadMaxKg !== undefined) parts.push('--payload', payloadMaxKg);
  for (const joint of fixed) parts.push('--fixed', joint);
  const ticks = ticksEach ?? FOREIGN_TICKS;
  const command = [...parts, '--ticks', ticks, '--seed', seed].join(' ');
  const absent = [model, limits].filter((file) => file !== undefined && !existsSync(join(models, file)));
  if (absent.length > 0) {
    console.log(`${name}: not tried, ${absent.join(' and ')} not below ${models} (git clone ${source})`);
    return { ...about, command, missing: `${absent.join(', ')} was not there` };
  }
  try {
    const subject = await loadCheckSubject(model, { from: resolve(models), limits, fixed, payloadMaxKg });
    const result = await runSafetyCheck({ subject, shownAs: model, command, ticks, seed, chain: 'on', without: [] });
    console.log(`${result.verdict} (${result.wallS.toFixed(0)} s)`);
    return { ...about, command, result };
  } catch (error) {
    console.log(`${name}: ${error.message}`);
    return { ...about, command, missing: error.message };
  }
}

/** Number of ticks in which a simulated arm strayed, and its largest deviation. */
function strayed({ excursions }, kind) {
  const found = excursions.find((each) => each.kind === kind);
  return found === undefined ? { ticks: '-', mm: '-' } : { ticks: found.count, mm: round(1e3 * found.worst) };
}

function round(value) {
  return Number(value.toFixed(1));
}
