/**
 * Drives an emulated SO-101 for a long time, and reports whether the guard's memory grows and its ticks drift.
 *
 *   npm run soak:bus -- [--minutes 30] [--json FILE]
 *
 * Exit code 1 if memory grows by more than 4 MB an hour, the phase or a tick's time on the bus by more than 1 ms, or if the arm stopped
 * more than once in five minutes. Needs a build, and Linux.
 */
import './node-version.js';
import { writeFileSync } from 'node:fs';
import { formatBusSoak, runBusSoak } from '../dist/bench/bus-trials/bus-soak.js';
import { scriptArguments } from './arguments.js';

const MOST_MB_PER_HOUR = 4;
const MOST_PHASE_MS_PER_HOUR = 1;
const MOST_BUSY_MS = 1;

const { values } = scriptArguments(import.meta.url, {
  options: { minutes: { type: 'string', default: '30' }, json: { type: 'string' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`--minutes wants a number above 0, not ${values.minutes}.`);
  process.exit(2);
}
const result = await runBusSoak({
  minutes,
  onSample: ({ atS, guardMb, phaseMs }) => {
    if (Math.floor(atS / 60) !== Math.floor((atS - 10) / 60)) {
      console.error(`${Math.floor(atS / 60)} min: ${guardMb.toFixed(1)} MB, phase ${phaseMs.toFixed(2)} ms`);
    }
  },
});
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, undefined, 2)}\n`);
console.log(formatBusSoak(result));
const { memoryMbPerHour, phaseMsPerHour, busyMs, looks } = result;
const isWell =
  memoryMbPerHour <= MOST_MB_PER_HOUR &&
  Math.abs(phaseMsPerHour) <= MOST_PHASE_MS_PER_HOUR &&
  Math.abs(busyMs.last - busyMs.first) <= MOST_BUSY_MS &&
  looks <= Math.ceil(minutes / 5);
process.exit(isWell ? 0 : 1);
