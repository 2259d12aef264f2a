/**
 * Stops an arm from full speed, repeatedly and in every way that it must stop, and reports how long it took.
 *
 *   npm run trials -- [NAME …] [--trials 100] [--seed 1] [--json FILE]
 *
 * NAME: nodeKilled, nodeFrozen, nodeFloods, nodeSendsNaN, guardKilled, guardFrozen; default all. Exit code 1 if anything
 * took longer than promised. Needs a build, Linux, and nothing else: no robot, no network.
 */
import './node-version.js';
import { writeFileSync } from 'node:fs';
import { STOP_TRIALS } from '../dist/bench/stop-trials/result.js';
import { runStopTrials } from '../dist/bench/stop-trials/run-trials.js';
import { formatStopTrials } from '../dist/bench/stop-trials/table.js';
import { scriptArguments } from './arguments.js';

const { values, positionals } = scriptArguments(import.meta.url, {
  allowPositionals: true,
  options: {
    trials: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => !STOP_TRIALS.includes(name));
const trials = Number(values.trials);
const seed = Number(values.seed);
if (unknown.length > 0) refuse(`There is no trial named ${unknown.join(', ')}. Trials: ${STOP_TRIALS.join(', ')}.`);
if (!Number.isInteger(trials) || trials < 1) refuse(`--trials wants a whole number from 1 on, not ${values.trials}.`);
if (!Number.isSafeInteger(seed)) refuse(`--seed wants a whole number, not ${values.seed}.`);

const result = await runStopTrials({
  ...(positionals.length === 0 ? {} : { names: positionals }),
  trials,
  seed,
  onTrial: (name, done) => {
    if (done === trials || done % 10 === 0) console.error(`${name}: ${done} of ${trials}`);
  },
});
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, undefined, 2)}\n`);
console.log(formatStopTrials(result));
process.exit(result.passed ? 0 : 1);

function refuse(sentence) {
  console.error(sentence);
  process.exit(2);
}
