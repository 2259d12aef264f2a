/**
 * A million adversarial ticks: the safety check on the bundled robots, and what goes wrong without the chain or its stages.
 *
 *   npm run safety:million                          all of it into safety-million.json, and a table
 *   npm run safety:million -- --share 0.1           a tenth of it
 *   npm run safety:million -- --seed 7 --json f.json
 *
 * Exit codes: 0 no violation, no surplus, and every part that was left out was missed; 1 otherwise.
 */
import { writeFileSync } from 'node:fs';
import { loadCheckSubject } from '../dist/runtime/check-subject/index.js';
import { ablationOf, evidenceOf, runSafetyCheck } from '../dist/runtime/safety-check/index.js';
import { scriptArguments } from './arguments.js';

/** Ticks of each robot: a car's cost most, as its wheels touch the ground. */
const ROBOTS = [
  { name: 'arm6', ticks: 420_000 },
  { name: 'arm7', ticks: 420_000 },
  { name: 'car', ticks: 170_000 },
];

/**
 * Parts of the chain that are left out, each with what stands in for it, and what must then be seen. The action map is trusted
 * with no limit at all: without it the attackers choose any velocity, and the stages behind it hold. The tank slows a robot
 * so much that limits are rarely reached: it is left out where another stage is to be seen.
 */
const ABLATIONS = [
  {
    robot: 'arm6',
    chain: 'off',
    without: [],
    expect: ['velocity', 'acceleration', 'workspace', 'selfCollision', 'keepOut', 'disobedience'],
  },
  {
    robot: 'arm7',
    chain: 'off',
    without: [],
    expect: ['position', 'velocity', 'acceleration', 'workspace', 'selfCollision', 'keepOut'],
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
    expect: ['workspace', 'selfCollision', 'keepOut'],
  },
  { robot: 'arm6', chain: 'on', without: ['tank'], expect: ['energy'] },
  { robot: 'car', chain: 'on', without: ['shield'], expect: ['fence'] },
];
const ABLATION_TICKS = 14_000;

const { values } = scriptArguments(import.meta.url, {
  options: {
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '1' },
    json: { type: 'string', default: 'safety-million.json' },
  },
});
const seed = Number(values.seed);
const share = Number(values.share);
const startedMs = performance.now();
const subjects = new Map();
for (const { name } of ROBOTS) subjects.set(name, await loadCheckSubject(name));

async function check(name, ticks, chain, without) {
  const command = `npm run safety:million -- --seed ${seed}${share === 1 ? '' : ` --share ${share}`}`;
  return runSafetyCheck({ subject: subjects.get(name), shownAs: name, command, ticks, seed, chain, without });
}

const robots = [];
for (const { name, ticks } of ROBOTS) {
  const result = await check(name, Math.ceil(ticks * share), 'on', []);
  robots.push(result);
  console.log(`${result.verdict} (${result.wallS.toFixed(0)} s)`);
}

const ablations = [];
let isBiting = true;
for (const { robot, chain, without, expect } of ABLATIONS) {
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

const evidence = evidenceOf(robots, ablations, (performance.now() - startedMs) / 1e3);
writeFileSync(values.json, `${JSON.stringify(evidence)}\n`);
console.table(
  robots.map(({ robot, ticks, violations, margins, energy, stops }) => ({
    robot,
    ticks,
    violations: violations.reduce((total, { count }) => total + count, 0),
    'nearest, mm': round(1e3 * (margins.selfM ?? margins.fenceM ?? 0)),
    'surplus, J': energy.hasTank ? energy.surplusMaxJ.toExponential(1) : '-',
    stops: stops.reduce((total, each) => total + each.stops, 0),
    'stop used of bound, %': round(100 * Math.max(0, ...stops.map(({ time }) => time.shareOfBoundMax))),
  })),
);
console.log(
  `${evidence.violations} violations in ${evidence.ticks} ticks, rate below ${evidence.upperBound95.toExponential(1)} with 95 % confidence; ` +
    `${evidence.wallS.toFixed(0)} s; written: ${values.json}`,
);
process.exit(robots.every(({ ok }) => ok) && isBiting ? 0 : 1);

function round(value) {
  return Number(value.toFixed(1));
}
