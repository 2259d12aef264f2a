/** `npm run bench -- <what>`: how fast and how punctual this machine is, as text and as JSON. */
import { writeFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { benchLearner, type LearnerBenchResult } from '../learner/index.ts';
import { benchPolicy, type PolicyBenchResult } from '../policy/index.ts';
import { benchTick, formatTickBench } from '../runtime/bench/index.ts';
import { resolveConfig } from '../runtime/index.ts';
import { describeError } from './main.ts';
import { path, seconds, wholeNumber } from './options.ts';

interface TickArguments {
  task: string;
  rate: number;
  seconds: number;
  json?: string;
}

const program = new Command('bench')
  .description('measure this machine; close other programs first')
  .exitOverride()
  .allowExcessArguments(false);
program
  .command('tick')
  .description('lateness of the control tick, alone and on a busy machine; policy inference and weight swap')
  .option('--task <name>', 'whose robot is measured', 'insert')
  .option('--rate <hz>', 'ticks per second', wholeNumber(1, 4000), 1000)
  .option('--seconds <n>', 'length of each of the four phases', seconds, 4)
  .option('--json <file>', 'write the result there as well', path)
  .action(tick);
program
  .command('learner')
  .description('updates per second, beside what the machine multiplies at best')
  .option('--threads <n>', 'threads of the runtime', wholeNumber(1, 256), 1)
  .option('--json <file>', 'write the result there as well', path)
  .action(async ({ threads, json }: { threads: number; json?: string }) => {
    const result = await benchLearner(threads);
    print(formatLearner(result), result, json);
  });

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : 1;
  if (!(error instanceof CommanderError)) process.stderr.write(describeError(error));
}

async function tick(options: TickArguments): Promise<void> {
  const { robot, task } = resolveConfig({ task: options.task, seed: 0 });
  const ticks = await benchTick({
    robot: { model: robot, action: task.action, policyPeriodS: 1 / task.policyHz },
    rateHz: options.rate,
    secondsPerPhase: options.seconds,
    onPhase: (label) => process.stderr.write(`measuring: ${label}\n`),
  });
  process.stderr.write('measuring: policy\n');
  const policy = await benchPolicy();
  print(`${formatTickBench(ticks)}\n${formatPolicy(policy)}`, { ...ticks, policy }, options.json);
}

function formatPolicy(policy: PolicyBenchResult): string {
  const rows = [
    ['policy inference', policy.inferenceMs],
    ['inference during a weight swap', policy.inferenceDuringSwapMs],
    ['weight swap', policy.swapMs],
  ] as const;
  return rows
    .map(([name, q]) => `${name}: p50 ${q.p50.toFixed(3)}, p99 ${q.p99.toFixed(3)}, max ${q.max.toFixed(3)} ms`)
    .join('\n');
}

function formatLearner(result: LearnerBenchResult): string {
  const head = `Learner on ${result.threads} thread(s); this machine multiplies matrices at ${result.gemmCeilingGflops.toFixed(0)} GF/s`;
  const rows = result.cases.map(
    (one) =>
      `${one.name}: call p50 ${one.callMsP50.toFixed(2)}, p95 ${one.callMsP95.toFixed(2)} ms, ` +
      `${one.criticUpdatesPerS.toFixed(0)} updates/s, ${(100 * one.shareOfCeiling).toFixed(0)} % of the ceiling`,
  );
  return [head, ...rows].join('\n');
}

/** Text for people first, then the same as JSON. */
function print(text: string, result: object, file: string | undefined): void {
  const json = JSON.stringify(result, null, 2);
  process.stdout.write(`${text}\n\n${json}\n`);
  if (file !== undefined) writeFileSync(file, `${json}\n`);
}
