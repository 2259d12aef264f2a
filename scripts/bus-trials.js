/**
 * Breaks the bus of an emulated robot while it moves, repeatedly and in every way that it can break, and reports how soon the fault is
 * detected and the reaction to it.
 *
 *   npm run trials:bus -- [NAME …] [--robot so101] [--trials 100] [--seed 1] [--json FILE]
 *
 * NAME: unplug, garbage, deadServo, overload, brownOut, guardKilled, guardFrozen; default all. Robots: so101 (Feetech), koch (Dynamixel),
 * race-car-vesc (unplug, garbage, vescFault and the guard's).
 * Exit code 1 if anything took longer than promised, or a robot went limp before the fault was reported. Some six seconds a trial. Needs
 * a build, and Linux.
 */
import './node-version.js';
import { writeFileSync } from 'node:fs';
import { busTrialsOf, formatBusTrials, runBusTrials } from '../dist/bench/bus-trials/bus-trials.js';
import { TRIAL_ROBOTS } from '../dist/bench/bus-trials/trial-robots.js';
import { scriptArguments } from './arguments.js';

const { values, positionals } = scriptArguments(import.meta.url, {
  allowPositionals: true,
  options: {
    robot: { type: 'string', default: 'so101' },
    trials: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const { robot } = values;
if (!TRIAL_ROBOTS.includes(robot)) refuse(`--robot wants ${TRIAL_ROBOTS.join(' or ')}, not ${robot}.`);
const names = busTrialsOf(robot).map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
const trials = Number(values.trials);
const seed = Number(values.seed);
if (unknown.length > 0) refuse(`There is no trial named ${unknown.join(', ')}. Trials: ${names.join(', ')}.`);
if (!Number.isInteger(trials) || trials < 1) refuse(`--trials wants a whole number from 1 on, not ${values.trials}.`);
if (!Number.isSafeInteger(seed)) refuse(`--seed wants a whole number, not ${values.seed}.`);

const results = await runBusTrials({
  robot,
  names: positionals,
  trials,
  seed,
  onTrial: (name, done, { knownMs, wrong }) => {
    if (wrong !== undefined || done === trials || done % 10 === 0 || trials < 10) {
      console.error(
        `${name}: ${done} of ${trials}, known after ${knownMs.toFixed(0)} ms${wrong === undefined ? '' : `; ${wrong}`}`,
      );
    }
  },
});
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
console.log(formatBusTrials(results));
process.exit(results.some(({ failed }) => failed.length > 0) ? 1 : 0);

function refuse(sentence) {
  console.error(sentence);
  process.exit(2);
}
