/**
 * A robot reduced to its end of the link, to be killed at any time: goes on counting where its journal ends.
 * Usage: link-robot.js ADDRESS DIRECTORY TOTAL FILE. Ends when the learner has all, and prints the counters.
 */
import { writeFileSync } from 'node:fs';
import { connectUplink, openJournal, readJournal } from '../../dist/link/index.js';
import { createTransition } from '../../dist/rows/index.js';

const [address, dir, total, file] = process.argv.slice(2);
const run = { runId: 'run', schemaHash: '00112233445566ff' };
const journal = openJournal({ dir, ...run, observationSize: 8, actionSize: 3 });
writeFileSync(`${file}.id`, journal.journalId);
let step = 0;
for (const t of readJournal(dir)) step = t.step + 1;
const uplink = connectUplink({ address, robotId: 'arm', ...run, journal, heartbeatMs: 200 });
console.log('ready');

const transition = createTransition(8, 3);
const timer = setInterval(async () => {
  for (let i = 0; i < 4 && step < Number(total); i++) {
    transition.step = step++;
    journal.append(transition);
  }
  if (step < Number(total)) return;
  clearInterval(timer);
  const isDrained = await uplink.drain(15_000);
  await uplink.close();
  await journal.close();
  console.log(JSON.stringify({ isDrained, ...uplink.counters }));
}, 2);
