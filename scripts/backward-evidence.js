/**
 * Forward–backward reset without a script: the insertion of the demo, practised for 200 episodes in which the simulator resets nothing. A
 * second policy, with its own learner and journal, gets as many demonstrations as the first of how to pull the peg out and to bring it back
 * to where an episode may begin (Eysenbach et al., Leave no Trace, 2017); the two take turns. Writes docs/results/backward.json and the
 * figures of docs/workflows.md.
 *
 *   npm run evidence -- --only backward       some minutes on two cores
 *   node scripts/backward-evidence.js --page  the page only, from stored figures
 */
import './node-version.js';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from './arguments.js';

const { resolveConfig } = await import('../dist/config/index.js');
const { createSetup } = await import('../dist/config/setup.js');
const { copyTransition, createTransition } = await import('../dist/rows/index.js');
const { markdownTable, percent, Rng, wilsonInterval } = await import('../dist/model/index.js');
const { OnnxPolicy } = await import('../dist/policy/index.js');
const { createRunFolder, LearnerConnection } = await import('../dist/session/index.js');
const { createRunner } = await import('../dist/session/rollout.js');
const { createDemonstrator, createScriptedOperator } = await import('../dist/session/scripted-operators.js');
const { LearnerChild } = await import('../dist/sim/learner-child.js');
const { versionDue } = await import('../dist/sim/lock-step.js');
const { createSimulatedRobot } = await import('../dist/sim/simulated-robot.js');

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = scriptArguments(import.meta.url, {
  options: {
    episodes: { type: 'string', default: '200' },
    seed: { type: 'string', default: '0' },
    work: { type: 'string', default: join(root, 'runs/evidence/backward') },
    page: { type: 'boolean', default: false },
  },
});
const { work } = values;
const [episodes, seed] = [Number(values.episodes), Number(values.seed)];
const figuresFile = join(root, 'docs/results/backward.json');
const pageFile = join(root, 'docs/workflows.md');
/** Episodes per row of the figures. */
const BLOCK = 50;
/** Distance of the way back that is rewarded as much as the success, m. */
const PAID_M = 0.1;
/** Level of the energy tank, as a share, up to which torque is switched off between two episodes. */
const LOW_TANK = 0.4;
/** Height above the hole's rim at which the peg is clear of it, m. */
const CLEAR_M = 0.005;
/** Standard deviation of the noise of the backward demonstrator, in action units. */
const TREMOR = 0.1;
/** Maximum time for an arm to come to rest, ticks. */
const REST_TICKS = 300;
const CONNECT_MS = 120_000;

if (!values.page) await measure();
if (existsSync(figuresFile)) writePage(JSON.parse(readFileSync(figuresFile, 'utf8')));

/** One policy with its learner, its journal and its judge, on the shared robot. */
async function openSide(name, overlay, judged, robot) {
  const file = join(work, `${name}.yaml`);
  writeFileSync(file, overlay);
  const config = resolveConfig({ task: 'insert', seed, overlay: file, run: { command: 'sim', task: 'insert', seed } });
  const folder = await createRunFolder(config, join(work, name), new Date());
  const setup = judged(createSetup(folder.config));
  const fail = (error) => connection?.fail(error);
  const learner = await LearnerChild.start({
    start: { config: folder.config, runId: folder.runId, folder: folder.path, bind: 'tcp://127.0.0.1:0' },
    onFault: console.error,
    onLost: fail,
  });
  const { address, weightsAddress } = learner;
  const { observationSize, actionSize, schemaHash } = setup;
  const connection = new LearnerConnection({
    setup,
    runId: folder.runId,
    robotId: 'sim-1',
    address,
    weightsAddress,
    folder: folder.path,
    keep: 'all',
    onFault: console.error,
  });
  await connection.connected(CONNECT_MS);
  const policy = new OnnxPolicy({ observationSize, actionSize, schemaHash, runId: folder.runId });
  const runner = createRunner({ setup, link: robot.link, clock: robot.clock, leasePeriods: 1.5 });
  const noise = { rng: new Rng(seed).fork(name), purpose: 'explore' };
  let steps = 0;
  return {
    setup,
    runner,
    connection,
    /** Runs an episode from the robot's present position. */
    practise: (operator) =>
      runner.run({
        policy,
        operator,
        noise,
        purpose: 'training',
        beforeStep: async () => {
          const due = versionDue(setup.config.learner, steps);
          if (due === policy.version) return;
          const swapped = await policy.swap(await connection.takeVersion(due));
          if (!swapped.ok) throw swapped.error;
        },
        onStep: (transition) => {
          connection.record(transition);
          steps++;
        },
      }),
    steps: () => steps,
    close: async () => {
      await policy.close();
      await connection.close();
      await learner.close();
    },
  };
}

/** Task whose success is a position at which an episode of the insertion may begin, by its `start` and `hole`. */
function backAtStart(setup) {
  const { start, hole } = setup.config.task;
  const isBack = ([x, y, z]) =>
    Math.abs(x - hole.originM[0]) <= start.spreadM &&
    Math.abs(y - hole.originM[1]) <= start.spreadM &&
    Math.abs(z - hole.originM[2] - start.heightM) <= start.heightSpreadM;
  const middle = [hole.originM[0], hole.originM[1], hole.originM[2] + start.heightM];
  const away = (tcp) => Math.hypot(...middle.map((at, k) => tcp[k] - at));
  let awayM = 0;
  const begin = ({ measuredTcp }) => {
    awayM = away(measuredTcp);
  };
  // Besides the success, each step is rewarded for the distance by which it came nearer.
  const judge = ({ measuredTcp }, out) => {
    const nowM = away(measuredTcp);
    out.success = isBack(measuredTcp);
    out.terminated = out.success;
    out.reward = (out.success ? 1 : 0) + (awayM - nowM) / PAID_M;
    awayM = nowM;
  };
  // Everything but the judge is the insertion's: the observation is the way to the hole.
  const task = Object.create(setup.task, {
    judge: { value: judge },
    begin: { value: begin },
    maxSteps: { value: setup.task.maxSteps },
    observe: { value: (...given) => setup.task.observe(...given) },
  });
  for (const key of ['name', 'observation', 'action', 'signalNames', 'observationDelaySteps']) {
    Object.defineProperty(task, key, { value: setup.task[key] });
  }
  return { ...setup, task };
}

/** Records the initial demonstrations of both ways: the last part in which the simulator resets. */
async function demonstrate(forward, backward, layouts, robot) {
  const shows = [
    { side: forward, operator: createDemonstrator(forward.setup, 2 * seed + 1), steps: 0 },
    { side: backward, operator: pullingOut(backward.setup, robot), steps: 0 },
  ];
  const wanted = forward.setup.config.task.demonstrations;
  for (let done = 0, tries = 0; done < wanted; tries++) {
    if (tries > 10 * wanted) throw new Error('the script cannot do the task');
    let layout = forward.setup.task.drawLayout(layouts);
    const taken = [];
    for (const show of shows) {
      const steps = [];
      const onStep = (transition) => {
        const copy = createTransition(transition.observation.length, transition.executed.length);
        copyTransition(copy, transition);
        steps.push(copy);
      };
      const { success } = await show.side.runner.run({ layout, operator: show.operator, purpose: 'demo', onStep });
      // The way back begins at the end of the way there.
      layout = undefined;
      if (!success) break;
      taken.push(steps);
    }
    if (taken.length < shows.length) continue;
    done++;
    shows.forEach((show, i) => {
      for (const transition of taken[i]) show.side.connection.record(transition);
      show.steps += taken[i].length;
    });
  }
  for (const { side, operator, steps } of shows) {
    operator.close();
    side.connection.demonstrationsComplete(steps);
  }
}

/** Demonstrator of the way back: straight up until the peg is clear of its hole, then to the middle of where episodes begin. */
function pullingOut({ config: { task } }, { link }) {
  const { hole, start, action } = task;
  const middle = [hole.originM[0], hole.originM[1], hole.originM[2] + start.heightM];
  const rng = new Rng(seed).fork('pulling out');
  return {
    name: 'demonstrator',
    decidedBy: 'scripted',
    reset: () => undefined,
    close: () => undefined,
    poll: (_observation, _nowS, out) => {
      const tcp = link.latest.measuredTcp;
      const isClear = tcp[2] > hole.originM[2] + CLEAR_M;
      out.active = true;
      out.phase = 'correct';
      action.dimensions.forEach(({ name, scale }, i) => {
        const k = ['x', 'y', 'z'].indexOf(name);
        const asked = k < 0 || (k < 2 && !isClear) ? 0 : (middle[k] - tcp[k]) / scale;
        out.action[i] = Math.max(-1, Math.min(1, asked + TREMOR * rng.normal()));
      });
    },
  };
}

/** Switches torque off for a moment: in standby the energy tank fills, as a new scene would fill it. The next episode enables it again. */
async function rest({ link }) {
  if (link.latest.tankLevel > LOW_TANK) return 0;
  for (let tick = 0; tick < REST_TICKS && link.latest.state !== 'standby'; tick++) {
    if (link.latest.state !== 'stopping') await link.request({ kind: 'disable' });
    await link.advance(1);
  }
  await link.advance(10);
  return 1;
}

/**
 * Runs an episode. If the guard has stopped the robot, an operator releases it, as with c, and that is counted; so is a robot that only
 * the simulator could bring back.
 */
async function turn(side, robot, tally, drawLayout, operator) {
  tally.rests += await rest(robot);
  for (;;) {
    try {
      const result = await side.practise(operator);
      await goOn(robot, tally);
      return result;
    } catch (error) {
      if (error?.kind !== 'driver') throw error;
      tally.setBack++;
      await goOn(robot, tally);
      await robot.link.request({ kind: 'resetScene', layout: drawLayout() });
    }
  }
}

async function goOn(robot, tally) {
  const { state } = robot.link.latest;
  if (['stopping', 'stopped', 'fault'].includes(state)) tally.stops++;
  tally.restarts += (await robot.goOn()).count;
}

async function measure() {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const shared = createSetup(resolveConfig({ task: 'insert', seed }));
  const robot = await createSimulatedRobot(shared, undefined, undefined, 'person');
  const forward = await openSide('forward', 'task: {}\n', (setup) => setup, robot);
  const backward = await openSide('backward', 'task: {}\n', backAtStart, robot);
  const operator = createScriptedOperator(forward.setup, 2 * seed);
  const layouts = new Rng(seed).fork('layouts');
  const rows = [];
  try {
    await demonstrate(forward, backward, layouts, robot);
    const begun = performance.now();
    // Scene of the whole practice, arranged once.
    const drawLayout = () => shared.task.drawLayout(layouts);
    await robot.link.request({ kind: 'resetScene', layout: drawLayout() });
    let isAtStart = true;
    for (let episode = 0; episode < episodes; episode++) {
      const tally = { rests: 0, stops: 0, restarts: 0, setBack: 0 };
      const there = await turn(forward, robot, tally, drawLayout, operator);
      const back = await turn(backward, robot, tally, drawLayout);
      rows.push({
        isAtStart,
        isInserted: there.success,
        forwardSteps: there.steps,
        isHelped: there.interventions > 0,
        isBack: back.success,
        backwardSteps: back.steps,
        ...tally,
      });
      isAtStart = back.success;
      if ((episode + 1) % 10 === 0) {
        const last = rows.slice(-10);
        const count = (key) => last.filter((row) => row[key]).length;
        console.error(
          `${episode + 1}: of the last 10, ${count('isAtStart')} begun at the start, ${count('isInserted')} inserted, ${count('isBack')} back`,
        );
      }
    }
    const { violations } = robot.link.latest;
    mkdirSync(join(root, 'docs/results'), { recursive: true });
    const result = {
      seed,
      episodes,
      wallS: (performance.now() - begun) / 1e3,
      demonstrations: shared.config.task.demonstrations,
      forwardSteps: forward.steps(),
      backwardSteps: backward.steps(),
      violations,
      rows,
    };
    writeFileSync(figuresFile, `${JSON.stringify(result)}\n`);
  } finally {
    operator.close();
    await forward.close();
    await backward.close();
    await robot.close();
  }
}

function writePage({ rows: all, demonstrations, forwardSteps, backwardSteps, violations, wallS, seed: drawn }) {
  // A robot that the simulator set back did not come back, and the episode after it is not judged.
  const isBack = (row) => row.isBack && row.setBack + row.restarts === 0;
  const rows = all.map((row, i) => ({ ...row, isBack: isBack(row), isAtStart: i === 0 || isBack(all[i - 1]) }));
  const cell = (successes, tried) => {
    const { low, high } = wilsonInterval(successes, tried);
    return `${successes} of ${tried} (${percent(low, 0)} to ${percent(high, 0)})`;
  };
  const count = (part, key) => part.filter((row) => row[key]).length;
  const sumOf = (part, key) => part.reduce((sum, row) => sum + row[key], 0);
  const rowOf = (name, part) => [
    name,
    cell(part.filter(({ isAtStart, isInserted }) => isAtStart && isInserted).length, count(part, 'isAtStart')),
    cell(count(part, 'isBack'), part.length),
    String(part.length - count(part, 'isBack')),
    String(count(part, 'isHelped')),
    sumOf(part, 'setBack') + sumOf(part, 'restarts'),
    sumOf(part, 'stops'),
    sumOf(part, 'rests'),
  ];
  const table = markdownTable(
    [
      'episodes',
      'inserted, of those begun in the start region (95 % interval)',
      'back in the start region',
      'not back',
      'with help on the way there',
      'set back by the simulator',
      'stopped by the guard, let go on by a person',
      'torque off and on',
    ],
    [
      ...Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, i) =>
        rowOf(`${i * BLOCK + 1} to ${Math.min(rows.length, (i + 1) * BLOCK)}`, rows.slice(i * BLOCK, (i + 1) * BLOCK)),
      ),
      rowOf('all', rows),
    ],
  );
  const text = `${rows.length} episodes each way, seed ${drawn}, after ${demonstrations} demonstrations of each way; ${forwardSteps} steps there, ${backwardSteps} back, ${violations} violations, ${wallS.toFixed(0)} s.

${Array.isArray(table) ? table.join('\n') : table}`;
  const page = readFileSync(pageFile, 'utf8');
  const [begin, end] = ['<!-- backward: written by scripts/backward-evidence.js -->', '<!-- /backward -->'];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < 0) throw new Error(`${pageFile} has no place for the figures`);
  writeFileSync(pageFile, `${page.slice(0, from + begin.length)}\n\n${text.trimEnd()}\n\n${page.slice(to)}`);
}
