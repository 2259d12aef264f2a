/** `npm run bench -- <what>`: speed and punctuality of this machine, as text and as JSON. Each bench is loaded when it runs. */
import { createInterface } from 'node:readline';
import { Command, CommanderError } from 'commander';
import { checkJsonFile, writeJsonFile } from '../src/cli/bodies/json-file.ts';
import { argument } from '../src/cli/command.ts';
import { describeError } from '../src/model/index.ts';
import { path, seconds, wholeNumber } from '../src/schema/index.ts';
import type { LearnerBenchResult } from './learner/bench.ts';
import type { PolicyBenchResult } from './policy/policy-bench.ts';
import type { TrainingBenchCase } from './runtime/training-bench.ts';

interface TickArguments {
  task: string;
  rate: number;
  seconds: number;
  json?: string;
}

interface LearnerArguments {
  threads: number | 'auto';
  calls?: number;
  blocks?: boolean;
  json?: string;
}

interface SafetyArguments {
  robots: string;
  ticks: number;
  json?: string;
}

interface RosArguments {
  seconds: number;
  trials: number;
  minutes: number;
  json?: string;
}

interface SerialArguments {
  seconds: number;
  rate: number;
  rounds: number;
  lerobot?: string;
  scservo?: string;
  json?: string;
}

interface LeaderArguments {
  rate: number;
  rounds: number;
  json?: string;
}

interface CdrArguments {
  seconds: number;
  json?: string;
}

/** Decimals of numbers in JSON: as many as the measurements justify. */
const DECIMALS = 4;

const HELP = `
Close other programs first: what they take is missing in the figures. Options follow two dashes:
  $ npm run bench -- tick --json tick.json
  $ npm run bench -- safety
  $ npm run bench -- learner --threads 2
  $ npm run bench -- cdr
  $ npm run bench -- serial
  $ npm run bench -- leader
  $ npm run bench -- monitor
  $ npm run bench -- ros --json ros.json
  $ npm run bench -- tick --help`;

const TICK_HELP = `
What is measured:
  A guard process runs the robot's whole tick, with a mock in place of the robot, and a node drives it as on a robot.
    alone      nothing else runs
    busy       a program on every core computes and makes garbage without a pause
    swapping   the node is given other weights without a pause; they are verified, tried and put to use
  Each with the tick's thread at normal priority and raised (SCHED_FIFO, where permitted: see rein doctor).
  Then, without a guard: how long an inference takes, alone and beside a swap, and how long a swap takes.

How to read it:
  late       how long after its deadline a tick began: p50, p99 and p99.9 are right to 3 %, max is exact
  work       how long the tick itself took
  overruns   ticks that began or ended more than a period late
  in C       a C program with the same pattern, at the same time (where cc is installed): what is late there, the machine does
  1000 ticks a second show rare delays sooner; a robot of this configuration ticks at its controlHz.

What it prints: a table, then the same as JSON. It writes nothing but what --json names.

Examples:
  $ npm run bench -- tick                              half a minute
  $ npm run bench -- tick --seconds 60 --json t.json   the rare delays as well
  $ npm run bench -- tick --seconds 0.2                to see that it works`;

const SAFETY_HELP = `
What is measured:
  The safety chain of each robot, tick by tick, with all its walls, boxes, pairs of links and its energy tank, under
    typical       slow swings of a policy, to joint limits and walls; the tank is full every 5 s
    adversarial   full strokes to and fro, periods of 0.4 to 2.2 times the nominal one, now and then a NaN
  Time in this process; the bytes that it leaves on the heap in another one, less what measuring itself leaves, with only the
  smallest functions inlined: so they hardly depend on what the optimizer decides.

What it prints: a line a case, how often each stage acts, then the same as JSON. It ends with code 1 where a tick leaves
garbage, p99 is above 300 µs on a quiet machine, or the robot has fewer than 32 constraint rows or no tank. It writes nothing but what --json names.

Examples:
  $ npm run bench -- safety                         half a minute
  $ npm run bench -- safety --robots my-robot.yaml
  $ npm run bench -- safety --ticks 5000            to see that it works`;

const LEARNER_HELP = `
What is measured:
  Training calls of four sizes, from the insertion arm's to twenty updates of ten critics, on batches that were drawn before;
  and how fast this machine multiplies matrices in the same runtime, which is the ceiling. Ceiling and calls take turns, and
  each round is held against its own ceiling. Then a learner as in a run, with its server, log, checkpoints and broadcasts,
  fed over the link by a robot that is never waited for, in turns with the engine alone.

How to read it:
  updates/s   critic updates; each call ends with one update of the actor
  ceiling     share of the ceiling: the rest is what is not matrix products
  memory      of the whole process at its peak, the runtime included

What it prints: one line a size, then the same as JSON. It writes nothing but what --json names.

Examples:
  $ npm run bench -- learner                    a minute
  $ npm run bench -- learner --threads 1        what the second thread is worth
  $ npm run bench -- learner --calls 1          to see that it works
  $ python3 tests/bench/torch_sac.py            the same work in PyTorch, in turns with this`;

const CDR_HELP = `
What is measured:
  The codec of ROS messages: time of encoding and decoding messages as a robot with six joints sends them, and the garbage
  that each leaves. ROS is not needed.

What it prints: one line a message, then the same as JSON. It writes nothing but what --json names.

Examples:
  $ npm run bench -- cdr                        a few seconds
  $ npm run bench -- cdr --seconds 0.1          to see that it works`;

const SERIAL_HELP = `
What is measured:
  An emulated SO-101 at a pseudo-terminal, six servos at 1 Mbaud with the line's own timing. In each tick all are read by one
  request, and all goals are written by another:
    descriptor  the tick's thread has a descriptor of its own beside serialport's, as guards do
    exchange    serialport's stream on the main thread, which the tick's thread asks by a message
    mainLoop    serialport's stream, and the tick on the same event loop
  each with a main thread that is quiet, and one that computes for 1 ms of every 5. With --lerobot and --scservo its own
  motor bus on the same arm in turns with them (positions alone, so fewer bytes); python3-serial has to be installed.

How to read it:
  p50, p99, max  from the tick's beginning until the goals were handed over
  × the line     the median, as a multiple of what the bits of the requests and replies take
  emulator       how far its replies were behind their moment, and what it took of a processor

What it prints: a line a case, then the same as JSON. It writes nothing but what --json names.

Examples:
  $ npm run bench -- serial                                 three minutes
  $ npm run bench -- serial --lerobot ~/lerobot --scservo ~/Feetech-Servo-SDK
  $ npm run bench -- serial --seconds 1 --rounds 1          to see that it works`;

const LEADER_HELP = `
What is measured:
  Two emulated SO-101 at pseudo-terminals, rein teleop between them, and a hand that leads the leader to and fro:
    goal      from where the leader's joint stood until that goal was on the follower's bus
    read      how long reading the leader blocks the thread of the session, alone on an idle one
    open      how long opening it does

What it prints: a line a figure, then the same as JSON. It writes nothing but what --json names.

Examples:
  $ npm run bench -- leader                     a minute
  $ npm run bench -- leader --rate 10           as rein teleop does without --rate`;

const ROS_HELP = `
What is measured, each with programs of its own on this machine and the real ROS 2 that is sourced:
  round trip  a joint state there and back through our codec, two processes, 1000 times a second
  delivered   what arrives of a 500 Hz joint state and of 30 images (640×480) a second, and how old it is
  commands    from a command's issue in a node to the set-point on the controller's topic, at 50 and 100 Hz
  tick        how late the guard's tick begins, with a mock and with the arm behind ROS at 500 readings a second
  system      simulated arm, guard, its two ROS processes, supervisor and node: time to come up, cores, memory

What it prints: a table, then the same as JSON. It writes nothing but what --json names.

Examples:
  $ npm run bench -- ros                               some three minutes
  $ npm run bench -- ros --minutes 30 --json ros.json  memory over half an hour as well
  $ npm run bench -- ros --seconds 2 --trials 10       to see that it works`;

const MONITOR_HELP = `
What is measured:
  Runs of rein run on a mock robot, in turns without watchers and with eight pages and three clients that read nothing, of
  the stream, of Foxglove's and of files: how late the guard's ticks begin, the memory of the process that serves the pages, and
  how old a frame is when a page's socket has it.

What it prints: a table, then the same as JSON. It writes nothing but what --json names. Exit code 1, with a sentence, where watchers
add 0.2 ms to the p99 of the ticks or 64 MB, or where the p99 of a frame's age is 100 ms or more.

Examples:
  $ npm run bench -- monitor                              three minutes
  $ npm run bench -- monitor --seconds 3 --rounds 1       to see that it works`;

interface MonitorArguments {
  seconds: number;
  rounds: number;
  json?: string;
}

const program = new Command('bench')
  .usage('<what> [options]')
  .description('measure how punctual and how fast this machine is')
  .exitOverride()
  .allowExcessArguments(false)
  .addHelpText('after', HELP)
  // Checked before the work begins, so that no measurement is made in vain.
  .hook('preAction', (_, command) => checkJsonFile(command.opts<{ json?: string }>().json));
program
  .command('tick')
  .description('lateness of the control tick, alone, on a busy machine and while weights are swapped; inference, swap')
  .option('--task <name>', 'whose robot and action are measured', 'insert')
  .option('--rate <hz>', 'ticks per second', argument(wholeNumber(10, 4000)), 1000)
  .option('--seconds <n>', 'length of each of the six phases', argument(seconds()), 4)
  .option('--json <file>', 'write the result there as well', argument(path()))
  .addHelpText('after', TICK_HELP)
  .action(tick);
program
  .command('safety')
  .description('what the safety chain costs a tick, and that it leaves no garbage')
  .option('--robots <names>', 'robots of config/robots/, or files, with commas between', 'arm6,arm7')
  .option('--ticks <n>', 'in each case', argument(wholeNumber(1000, 10_000_000)), 100_000)
  .option('--json <file>', 'write the result there as well', argument(path()))
  .addHelpText('after', SAFETY_HELP)
  .action(async ({ robots, ticks, json }: SafetyArguments) => {
    const { loadRobotFile } = await import('../src/config/index.ts');
    const { benchSafety, formatSafetyBench } = await import('./runtime/safety-bench.ts');
    const models = robots.split(',').map((name) => loadRobotFile(name).robot);
    const onPhase = (label: string): void => void process.stderr.write(`measuring: ${label}\n`);
    const result = await benchSafety({ models, ticks, onPhase });
    await print(formatSafetyBench(result), result, json);
    if (result.failures.length > 0) process.exitCode = 1;
  });
program
  .command('learner')
  .description('updates per second, beside what the machine multiplies at best')
  .option('--threads <n>', 'threads of the runtime; auto: by what the machine is doing', threadCount, 'auto')
  .option('--calls <n>', 'at most so many calls of each size', argument(wholeNumber(1, 100_000)))
  .option('--blocks', 'run calls as lines like {"case": "b", "calls": 3} on standard input ask for')
  .option('--json <file>', 'write the result there as well', argument(path()))
  .addHelpText('after', LEARNER_HELP)
  .action(learner);
program
  .command('ros')
  .description('ROS 2: latency of commands, delivered rates, the tick beside it, start-up time, cores and memory')
  .option('--seconds <n>', 'length of each phase', argument(seconds()), 10)
  .option('--trials <n>', 'commands at each rate', argument(wholeNumber(1, 10_000)), 200)
  .option('--minutes <n>', 'how long memory is watched', argument(wholeNumber(0, 1440)), 0)
  .option('--json <file>', 'write the result there as well', argument(path()))
  .addHelpText('after', ROS_HELP)
  .action(async (options: RosArguments) => {
    const { benchRos, formatRosBench } = await import('./ros/ros-bench.ts');
    const onPhase = (label: string): void => void process.stderr.write(`measuring: ${label}\n`);
    const result = await benchRos({ ...options, onPhase });
    await print(formatRosBench(result), result, options.json);
  });
program
  .command('monitor')
  .description("what eight pages and three clients that read nothing cost a robot's tick, and how old what they see is")
  .option('--seconds <n>', 'length of each run', argument(seconds()), 20)
  .option('--rounds <n>', 'pairs of runs', argument(wholeNumber(1, 100)), 3)
  .option('--json <file>', 'write the result there as well', argument(path()))
  .addHelpText('after', MONITOR_HELP)
  .action(async (options: MonitorArguments) => {
    const { benchMonitor, formatMonitorBench } = await import('./monitor/monitor-bench.ts');
    const onPhase = (label: string): void => void process.stderr.write(`measuring: ${label}\n`);
    const result = await benchMonitor({ ...options, onPhase });
    await print(formatMonitorBench(result), result, options.json);
    if (result.failures.length > 0) process.exitCode = 1;
  });
program
  .command('serial')
  .description('a tick at an emulated servo bus: three ways of speaking to it, and LeRobot beside them')
  .option('--seconds <n>', 'of each case and round', argument(seconds()), 10)
  .option('--rate <hz>', 'ticks a second', argument(wholeNumber(10, 200)), 100)
  .option('--rounds <n>', 'turns of all cases', argument(wholeNumber(1, 100)), 3)
  .option('--lerobot <dir>', 'a checkout of huggingface/lerobot', argument(path()))
  .option('--scservo <dir>', 'folder that holds its package scservo_sdk', argument(path()))
  .option('--json <file>', 'write the result there as well', argument(path()))
  .addHelpText('after', SERIAL_HELP)
  .action(async ({ rate, ...options }: SerialArguments) => {
    const { benchSerial, formatSerialBench } = await import('./serial/serial-bench.ts');
    const onPhase = (label: string): void => void process.stderr.write(`measuring: ${label}\n`);
    const result = await benchSerial({ ...options, rateHz: rate, onPhase });
    await print(formatSerialBench(result), result, options.json);
  });
program
  .command('leader')
  .description('a leader arm and its follower, both emulated: delay, and what reading the leader costs')
  .option('--rate <hz>', 'actions a second', argument(wholeNumber(1, 100)), 25)
  .option('--rounds <n>', 'ways there and back', argument(wholeNumber(1, 100)), 8)
  .option('--json <file>', 'write the result there as well', argument(path()))
  .addHelpText('after', LEADER_HELP)
  .action(async ({ rate, rounds, json }: LeaderArguments) => {
    const { leaderBench, leaderBenchText } = await import('./leader/leader-bench.ts');
    const result = await leaderBench(rate, rounds);
    await print(leaderBenchText(result), result, json);
  });
program
  .command('cdr')
  .description('encoding and decoding of ROS messages: nanoseconds and garbage')
  .option('--seconds <n>', 'for each message', argument(seconds()), 0.5)
  .option('--json <file>', 'write the result there as well', argument(path()))
  .addHelpText('after', CDR_HELP)
  .action(async (options: CdrArguments) => {
    const { benchCdr, formatCdrBench } = await import('./ros/cdr-bench.ts');
    const result = benchCdr(options.seconds);
    await print(formatCdrBench(result), result, options.json);
  });

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : 1;
  if (!(error instanceof CommanderError)) process.stderr.write(describeError(error, 'rein'));
}

async function tick(options: TickArguments): Promise<void> {
  const { resolveConfig } = await import('../src/config/index.ts');
  const { benchTick, formatTickBench } = await import('./runtime/tick-bench.ts');
  const { benchPolicy } = await import('./policy/policy-bench.ts');
  const { robot, task } = resolveConfig({ task: options.task, seed: 0 });
  const { driver: _, ...model } = robot;
  const ticks = await benchTick({
    robot: { model, action: task.action, policyPeriodS: 1 / task.policyHz },
    rateHz: options.rate,
    secondsPerPhase: options.seconds,
    onPhase: (label) => process.stderr.write(`measuring: ${label}\n`),
  });
  process.stderr.write('measuring: policy\n');
  const policy = await benchPolicy();
  await print(`${formatTickBench(ticks)}\n${formatPolicy(policy)}`, { ...ticks, policy }, options.json);
}

async function learner({ threads, calls, blocks, json }: LearnerArguments): Promise<void> {
  const { threadsHere } = await import('../src/learner/engine/threads.ts');
  const { benchLearner, serveBlocks } = await import('./learner/bench.ts');
  const choice = await threadsHere(threads);
  if (blocks === true) {
    await serveBlocks(choice, createInterface(process.stdin), (line) => process.stdout.write(`${line}\n`));
    return;
  }
  const result = await benchLearner({ ...choice, ...(calls === undefined ? {} : { calls }) });
  process.stderr.write('measuring: in a run\n');
  const short = calls !== undefined;
  const { benchTraining } = await import('./runtime/training-bench.ts');
  const in_a_run = await benchTraining({
    threads: threads === 'auto' ? undefined : threads,
    turnS: short ? 0.1 : 2,
    rounds: short ? 1 : 5,
  });
  await print(`${formatLearner(result)}\n${formatTraining(in_a_run)}`, { ...result, in_a_run }, json);
}

function threadCount(text: string): number | 'auto' {
  return text === 'auto' ? text : argument(wholeNumber(1, 256))(text);
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
  const how = `${result.threads} thread(s), ${result.spinning ? 'spinning' : 'sleeping'} while they wait`;
  const head = `Learner on ${how}; this machine multiplies matrices at ${result.ceiling_gflops.toFixed(0)} GF/s`;
  const rows = result.cases.map(
    (one) =>
      `${one.name}: call p50 ${one.ms_per_call.toFixed(2)}, p95 ${one.ms_per_call_p95.toFixed(2)} ms, ` +
      `${one.updates_per_s.toFixed(0)} updates/s, ${one.gflops.toFixed(0)} GF/s, ` +
      `${(100 * one.share_of_ceiling).toFixed(0)} % of the ceiling, ${one.peak_memory_mb.toFixed(0)} MB`,
  );
  return [head, ...rows].join('\n');
}

function formatTraining(cases: readonly TrainingBenchCase[]): string {
  const rows = cases.map(
    (one) =>
      `${one.name}: ${one.updates_per_s.toFixed(0)} updates/s, ` +
      `${(100 * one.share_of_bare).toFixed(0)} % of the engine alone (${one.bare_updates_per_s.toFixed(0)}), ${one.threads} thread(s)`,
  );
  return rows.join('\n');
}

/** Prints readable text, then the same as JSON. */
function print(text: string, result: object, file: string | undefined): Promise<void> {
  const round = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toFixed(DECIMALS)) : value;
  const json = JSON.stringify(result, round, 2);
  process.stdout.write(`${text}\n\n${json}\n`);
  return writeJsonFile(file, JSON.parse(json));
}
