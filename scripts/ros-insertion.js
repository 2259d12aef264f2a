/**
 * The main workflow behind ROS 2: a simulated arm that is nothing but plain controllers' topics, the learner, and the node with
 * the scripted operator, each its own program in real time. From zero until the operator is hardly needed any more,
 * then an evaluation by `~/evaluate`. Needs a sourced ROS 2 with the package rein. About a quarter of an hour:
 *
 *   npm run ros:insertion                                  learns, evaluates 200 episodes, prints the figures
 *   npm run ros:insertion -- --json figures.json           writes them there as well
 *   npm run ros:insertion -- --policy runs/a1/policy.onnx  evaluates an existing policy, e.g. of `npm run demo`
 *   npm run ros:insertion -- --controller joint_trajectory --robot my-arm6.yaml
 *
 * Ends with code 1 if the task's target was missed.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { resolveConfig } from '../dist/config/index.js';
import { wilsonInterval } from '../dist/model/index.js';
import { rosEnvironment } from '../dist/ros/index.js';
import { PolicyStatus, SafetyState, State } from '../dist/ros/messages/definitions.js';
import { LATCHED_QOS, SENSOR_QOS } from '../dist/ros/port/qos.js';
import { openRosPort } from '../dist/ros/rclnodejs/rclnodejs-port.js';

const { values } = parseArgs({
  options: {
    task: { type: 'string', default: 'insert' },
    robot: { type: 'string', default: 'arm6-ros' },
    controller: { type: 'string', default: '' },
    rate: { type: 'string', default: '0' },
    seed: { type: 'string', default: '0' },
    policy: { type: 'string' },
    episodes: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '11' },
    bind: { type: 'string', default: 'tcp://127.0.0.1:7352' },
    json: { type: 'string' },
    out: {
      type: 'string',
      default: join('runs', `ros-insertion-${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, '')}`),
    },
  },
});

/** Learning ends when this share of the newest episodes succeeded without help, after this many steps at least. */
const ENOUGH = { rate: 0.97, episodes: 50, steps: 3500 };
const SHOW_MS = 10_000;
const READY_MS = 30_000;
const CALL_MS = 5000;
/** Maximum number of consecutive stops by the guard in a phase. */
const MAX_STOPS = 20;
const startedMs = performance.now();
const programs = [];
const CONFIGURE = 1;
const ACTIVATE = 3;

async function run() {
  const { target } = resolveConfig({ task: values.task, seed: 0 }).task;
  const simArgs = ['robot', 'task', 'controller'].filter((name) => values[name] !== '');
  const sim = start('sim', 'packages/emulate/dist/ros/sim-main.js', [
    '--ros-args',
    ...simArgs.flatMap((name) => ['-p', `${name}:=${values[name]}`]),
    ...(values.rate === '0' ? [] : ['-p', `rate:=${Number(values.rate).toFixed(1)}`]),
  ]);
  await said(sim, /Ctrl\+C/);
  const isLearning = values.policy === undefined;
  if (isLearning) {
    const { task, seed, bind } = values;
    const out = join(values.out, 'learner');
    const learner = start('learner', 'bin/rein.js', [
      'learn',
      '--task',
      task,
      '--seed',
      seed,
      '--bind',
      bind,
      '--out',
      out,
    ]);
    await said(learner, /robots connect with/);
  }
  start('node', 'dist/ros/node-main.js', [
    '--ros-args',
    ...['robot', 'task', 'seed'].flatMap((name) => ['-p', `${name}:=${values[name]}`]),
    '-p',
    `out:=${join(values.out, 'robot')}`,
    ...(isLearning
      ? ['-p', `learner:=${values.bind}`, '-p', 'operator:=scripted']
      : ['-p', `policy:=${values.policy}`]),
  ]);
  const robot = await Robot.connect();
  const learning = isLearning ? await learn(robot) : undefined;
  const evaluation = await evaluate(robot, Number(values.episodes));
  const figures = {
    task: values.task,
    robot: values.robot,
    seed: Number(values.seed),
    ...machine(),
    learning,
    evaluation,
    violations: Number(robot.safety.violations),
    overruns: Number(robot.safety.overruns),
    ticks: Number(robot.safety.ticks),
    minutes: round((performance.now() - startedMs) / 60_000),
  };
  const isMet = evaluation.successRate >= target.successRate;
  console.log(
    `Success ${percent(evaluation.successRate)} on ${evaluation.episodes} episodes behind ROS topics (95 % interval ` +
      `${percent(evaluation.low)} to ${percent(evaluation.high)}); asked for ${percent(target.successRate)}. ` +
      `${figures.minutes} minutes, ${figures.violations} violations.`,
  );
  console.log(JSON.stringify(figures, null, 2));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  return isMet && figures.violations === 0 ? 0 : 1;
}

/** Runs episodes until the operator is hardly needed, or the time is over. */
async function learn(robot) {
  const beganMs = performance.now();
  const limitMs = beganMs + 60_000 * Number(values.minutes);
  let stops = 0;
  let shownMs = 0;
  await robot.trigger('resume');
  while (performance.now() < limitMs) {
    await delay(200);
    mustLive();
    if (robot.isStopped) {
      stops++;
      if (stops > MAX_STOPS) throw new Error(`the robot was stopped ${stops} times: ${robot.safety.faults.join(' ')}`);
      console.log(`  stopped: ${robot.safety.faults.join(' ') || 'no fault is left'}`);
      await robot.recover();
      await robot.trigger('resume');
    }
    const { env_steps: steps, episodes, success_rate: rate } = robot.state;
    if (performance.now() - shownMs > SHOW_MS) {
      shownMs = performance.now();
      console.log(`  ${clock()} ${robot.line()}`);
    }
    if (Number(steps) >= ENOUGH.steps && episodes >= ENOUGH.episodes && rate >= ENOUGH.rate) break;
  }
  const { env_steps: steps, episodes, success_rate: rate } = robot.state;
  const wallS = round((performance.now() - beganMs) / 1000);
  await robot.trigger('stop');
  await robot.recover();
  console.log(`Learned in ${(wallS / 60).toFixed(1)} minutes: ${robot.line()}`);
  return { wallS, steps: Number(steps), episodes, successWithoutHelp: round(rate), stops };
}

/** Calls `~/evaluate` until `wanted` episodes are done: a stop by the guard ends one call, and is counted. */
async function evaluate(robot, wanted) {
  const beganMs = performance.now();
  let [done, successes, steps, stops] = [0, 0, 0, 0];
  while (done < wanted) {
    mustLive();
    let shown = 0;
    const outcome = await robot.evaluate(wanted - done, (feedback) => {
      if (feedback.done < shown + 20) return;
      shown = feedback.done;
      console.log(
        `  ${clock()} evaluated ${done + feedback.done} of ${wanted}, ${successes + feedback.successes} succeeded`,
      );
    });
    done += outcome.episodes;
    successes += outcome.successes;
    steps += outcome.mean_steps * outcome.episodes;
    if (done >= wanted) break;
    stops++;
    if (stops > MAX_STOPS) throw new Error(`the evaluation was interrupted ${stops} times`);
    console.log(`  interrupted: ${robot.safety.faults.join(' ') || 'no fault is left'}`);
    await robot.recover();
  }
  const { low, high } = wilsonInterval(successes, done);
  const times = { wallS: round((performance.now() - beganMs) / 1000), meanSteps: round(steps / done) };
  const { version, latency_p50_ms: p50, latency_p99_ms: p99 } = robot.policy;
  return {
    episodes: done,
    successes,
    successRate: round(successes / done),
    low: round(low),
    high: round(high),
    stops,
    ...times,
    policyVersion: Number(version),
    inferenceP50Ms: round(p50),
    inferenceP99Ms: round(p99),
  };
}

/** Client of the robot's node, over ROS. */
class Robot {
  state = State.create();
  safety = SafetyState.create();
  policy = PolicyStatus.create();

  static async connect() {
    const onFault = ({ where, message }) => console.error(`  ${where}: ${message}`);
    const robot = new Robot();
    robot.port = await openRosPort({ nodeName: 'rein_insertion', onFault });
    robot.triggers = Object.fromEntries(
      ['resume', 'stop', 'reset'].map((name) => [
        name,
        robot.port.client({ name: 'std_srvs/srv/Trigger' }, `/rein/${name}`),
      ]),
    );
    robot.lifecycle = robot.port.client({ name: 'lifecycle_msgs/srv/ChangeState' }, '/rein/change_state');
    robot.action = robot.port.actionClient({ name: 'rein/action/Evaluate' }, '/rein/evaluate');
    for (const [type, name, qos] of [
      [State, 'state', SENSOR_QOS],
      [SafetyState, 'safety_state', LATCHED_QOS],
      [PolicyStatus, 'policy', SENSOR_QOS],
    ]) {
      const key = name === 'safety_state' ? 'safety' : name;
      robot.port.subscribe(type, `/rein/${name}`, qos, (message) => {
        robot[key] = structuredClone(message);
      });
    }
    robot.port.start();
    const isThere = () => [robot.lifecycle, robot.action, ...Object.values(robot.triggers)].every((one) => one.isReady);
    await until(isThere, 'the node did not come up');
    await robot.change(CONFIGURE);
    await robot.change(ACTIVATE);
    // Starting so many programs at once may delay readings for longer than the guard tolerates.
    await delay(1000);
    if (robot.isStopped) await robot.recover();
    return robot;
  }

  get isStopped() {
    return this.state.mode === 'stopped' || this.state.mode === 'fault';
  }

  /** Makes a transition, repeated while the robot comes up. */
  async change(id) {
    const limitMs = performance.now() + READY_MS;
    for (;;) {
      const { success } = await this.lifecycle.call({ transition: { id, label: '' } }, READY_MS);
      if (success) return;
      if (performance.now() > limitMs) throw new Error(`the node refuses the lifecycle transition ${id}`);
      await delay(500);
    }
  }

  async trigger(name) {
    const answer = await this.triggers[name].call({}, CALL_MS);
    if (!answer.success) throw new Error(`~/${name} was refused: ${answer.message}`);
  }

  /** Recovers from a stop, as soon as the arm stands and its cause is gone. */
  async recover() {
    const limitMs = performance.now() + READY_MS;
    for (;;) {
      const answer = await this.triggers.reset.call({}, CALL_MS);
      await delay(300);
      if (!this.isStopped) return;
      if (performance.now() > limitMs) throw new Error(`the robot does not come back: ${answer.message}`);
    }
  }

  async evaluate(episodes, onFeedback) {
    const { result } = await this.action.send({ episodes }, { timeoutMs: 60 * 60_000, onFeedback });
    return result;
  }

  line() {
    const { phase, env_steps: steps, episodes, success_rate: rate, learner, pending_transitions: pending } = this.state;
    const help = `success without help ${percent(rate)}`;
    return `${phase} | steps ${steps} | episodes ${episodes} | ${help} | policy v${this.policy.version} | learner ${learner}, ${pending} pending`;
  }
}

/** Starts one of Rein's programs, with its output in a file. */
function start(name, script, args) {
  const logFile = join(values.out, `${name}.log`);
  const log = openSync(logFile, 'w');
  const path = fileURLToPath(new URL(`../${script}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', log, log] });
  closeSync(log);
  const program = { name, child, logFile, code: undefined };
  child.once('exit', (code) => {
    program.code = code;
  });
  programs.push(program);
  return program;
}

/** Waits until the output of a program matches `pattern`. */
async function said(program, pattern) {
  await until(
    () => mustLive() ?? pattern.test(readFileSync(program.logFile, 'utf8')),
    `the ${program.name} did not come up`,
  );
}

async function until(condition, what) {
  const limitMs = performance.now() + READY_MS;
  while (!condition()) {
    if (performance.now() > limitMs) throw new Error(what);
    mustLive();
    await delay(50);
  }
}

function mustLive() {
  const dead = programs.find(({ code }) => code !== undefined);
  if (dead === undefined) return undefined;
  const last = readFileSync(dead.logFile, 'utf8').trim().split('\n').slice(-2).join(' ');
  throw new Error(`the ${dead.name} ended with code ${dead.code}: ${last}`);
}

/** Ends the node first, so that the arm is braked by its guard while the simulator still answers. */
async function end() {
  for (const { child, code } of programs.splice(0).reverse()) {
    if (code !== undefined) continue;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(timer);
  }
}

function machine() {
  const { ROS_DISTRO: distro, RMW_IMPLEMENTATION: rmw = 'default' } = process.env;
  return { distro, rmw, cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`, node: process.version };
}

function clock() {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

function round(value) {
  return Number(value.toFixed(4));
}

const { problem } = rosEnvironment(['rein', 'controller_manager_msgs']);
if (problem !== undefined) {
  console.error(`${problem.message}${problem.remedy === undefined ? '' : `\n  → ${problem.remedy}`}`);
  process.exit(1);
}

mkdirSync(values.out, { recursive: true });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end().then(() => process.exit(130)));
try {
  process.exitCode = await run();
} catch (error) {
  console.error(`${error.message}\n  → look into ${values.out}`);
  process.exitCode = 1;
} finally {
  await end();
}
process.exit();
