/**
 * A learner reduced to its end of the link, to be killed at any time: every accepted transition becomes a line of a
 * file, and the file's last whole line is its watermark. Usage: link-learner.js ADDRESS FILE. Ends when its input does.
 */
import { appendFileSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { startLearnerServer } from '../../dist/link/index.js';

const [address, file] = process.argv.slice(2);
if (!existsSync(file)) appendFileSync(file, '');
const text = readFileSync(file, 'utf8');
const whole = text.slice(0, text.lastIndexOf('\n') + 1);
truncateSync(file, Buffer.byteLength(whole));
const lines = whole.split('\n').slice(0, -1);
const [journalId, epoch, seq] = lines.at(-1)?.split(' ') ?? [];
const known = { robotId: 'arm', journalId, epoch: Number(epoch), seq: Number(seq), delivered: lines.length };

const fd = openSync(file, 'a');
let journal = journalId;
const server = await startLearnerServer({
  bind: address,
  runId: 'run',
  schemaHash: '00112233445566ff',
  observationSize: 8,
  actionSize: 3,
  heartbeatMs: 200,
  watermarks: journalId === undefined ? [] : [known],
  onTransition: (t) => {
    journal ??= readFileSync(`${file}.id`, 'utf8');
    writeSync(fd, `${journal} ${t.epoch} ${t.seq} ${t.step}\n`);
  },
});
console.log('ready');
process.stdin.resume();
process.stdin.on('end', async () => {
  await server.close();
  console.log(JSON.stringify(server.counters));
});
