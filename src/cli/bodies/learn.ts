/** Body of `rein learn`: the learner alone, for robots that run elsewhere or start later. */
import { join } from 'node:path';
import { loadResolvedConfig, type ResolvedConfig, resolveConfig } from '../../config/index.ts';
import { createSetup } from '../../config/setup.ts';
import { hasCheckpoint, Learner, type Training } from '../../learner/index.ts';
import { interventionRule } from '../../learner/options.ts';
import { ReinError } from '../../model/index.ts';
import { startFrom } from '../../offline/index.ts';
import { Diagnosis, type Relabelling, RUN_FILES, readRelabelling } from '../../record/index.ts';
import {
  abandonRunFolder,
  createRunFolder,
  LearnerTelemetry,
  type RunWatcher,
  runIdOf,
  setupRecord,
} from '../../session/index.ts';
import { LEARNER_PORT, type LearnOptions } from '../learn.ts';
import { INTERRUPTED, interruptible } from './interrupt.ts';
import { openMonitorBeside } from './monitor.ts';
import { reportLine } from './report.ts';
import { complain, sayer } from './terminal.ts';

/** `command` of a learner's run in `config.yaml`. */
const COMMAND = 'learn';
/** Demonstrations, rewards and actions are diagnosed by its robots, which also receive the learner's metrics. */
const OF_A_LEARNER = { isRealTime: true, hasLearner: true, isFirstStart: false };
const DIAGNOSIS_MS = 5000;
/** Interval of the learner's view for the page. */
const VIEW_MS = 250;

/** Resolves to the exit code: 0 when a robot ended the run, 130 after Ctrl+C; both leave a checkpoint. */
export async function learnBody(options: LearnOptions): Promise<number> {
  const say = sayer(options.output);
  const monitor = await openMonitorBeside({ ...options, firstPort: LEARNER_PORT }, { print: say });
  return learnWatched(options, say, monitor).finally(() => monitor?.close());
}

async function learnWatched(
  options: LearnOptions,
  say: (line: string) => void,
  monitor: RunWatcher | undefined,
): Promise<number> {
  const { config: asked, path, runId, start } = await folderOf(options);
  const { from } = options;
  const relabelled = relabellingOf(path, options.relabelled);
  const setup = createSetup(withRule(asked, relabelled));
  const { config } = setup;
  const diagnosis = new Diagnosis();
  diagnosis.add({ ...setupRecord(setup, OF_A_LEARNER), tS: 0, envStep: 0 });
  const learner = await Learner.start({
    setup,
    runId,
    bind: options.bind,
    folder: path,
    start,
    // It listens on this machine only; a robot behind a tunnel looks like a local one.
    hasRobot: true,
    relabelled,
    ...(from === undefined ? {} : { begin: (training) => beginWith(training, from) }),
    onRecord: (record) => diagnosis.add(record),
    onFault: complain,
  }).catch(async (error: unknown) => {
    if (start === 'fresh') await abandonRunFolder({ path, configFile: join(path, RUN_FILES.config) });
    throw error;
  });
  const names = { setup, runId, folder: path, command: COMMAND };
  const telemetry = monitor && new LearnerTelemetry(names, (packet) => monitor.packet(packet));
  telemetry?.learner(learner.view);
  say(`run ${runId} in ${path}`);
  say(`robots connect with: rein run --task ${config.task.name} --learner ${learner.address}`);
  const stop = interruptible(
    say,
    'the update under way is finished, and a checkpoint is written if training has begun',
  );
  stop.signal.addEventListener('abort', () => learner.end());
  // The parent was gone already.
  if (stop.signal.aborted) learner.end();
  const shown = setInterval(() => say(learner.statusLine()), 1000);
  const viewed = setInterval(() => telemetry?.learner(learner.view), VIEW_MS);
  const looked = setInterval(() => telemetry?.diagnosis(diagnosis.rows()), DIAGNOSIS_MS);
  try {
    await learner.run();
  } finally {
    clearInterval(shown);
    clearInterval(viewed);
    clearInterval(looked);
    telemetry?.learner(learner.view);
    telemetry?.close();
    await learner.close();
    stop.release();
  }
  say(learner.statusLine());
  say(await reportLine(path));
  if (stop.signal.aborted) say(await howToGoOn(path));
  return stop.signal.aborted ? INTERRUPTED : 0;
}

/** Relabels in the learner's own folder, of any robot, and in a robot's folder, of that robot only. */
function relabellingOf(own: string, robot: string | undefined): readonly Relabelling[] {
  if (robot === undefined) return [readRelabelling(own)];
  const { run } = loadResolvedConfig(join(robot, RUN_FILES.config));
  const robotId = run['robotId'];
  return [readRelabelling(own), readRelabelling(robot, typeof robotId === 'string' ? robotId : undefined)];
}

function withRule(config: ResolvedConfig, relabelled: readonly Relabelling[]): ResolvedConfig {
  const rule = Object.assign({}, ...relabelled.map((each) => each.rule));
  const interventions = interventionRule(rule, config.learner.interventions);
  return { ...config, learner: { ...config.learner, interventions } };
}

async function howToGoOn(path: string): Promise<string> {
  const command = `go on with: rein learn --resume ${path}`;
  return (await hasCheckpoint(path))
    ? `${command}; its robots keep what they record until then`
    : `No checkpoint: training had not begun. To begin anew with what its robots send again, ${command}`;
}

/** Starts from the networks of `rein pretrain`; a training with updates of its own would upset the updates per transition. */
async function beginWith(training: Training, from: string): Promise<void> {
  await startFrom(training, from, complain);
  if (training.updatesBefore === 0) return;
  throw new ReinError('checkpoint', `${from} has ${training.updatesBefore} updates behind it, a learner begins at 0.`, {
    remedy: 'Give the folder of a rein pretrain, or continue a run with --resume.',
  });
}

interface Place {
  readonly config: ResolvedConfig;
  readonly path: string;
  readonly runId: string;
  readonly start: 'fresh' | 'resume';
}

async function folderOf(options: LearnOptions): Promise<Place> {
  if (options.resume !== undefined) {
    const config = loadResolvedConfig(join(options.resume, RUN_FILES.config));
    const { command } = config.run;
    if (command !== COMMAND) {
      throw new ReinError(
        'storage',
        `${options.resume} holds a run of rein ${String(command)}, and none of rein learn.`,
        {
          remedy: 'Give the folder of a rein learn, or begin a new one without --resume; nothing there was touched.',
        },
      );
    }
    return { config, path: options.resume, runId: runIdOf(options.resume, config), start: 'resume' };
  }
  const { seed, config: overlay } = options;
  const task = options.task ?? 'insert';
  const config = resolveConfig({
    task,
    seed,
    ...(overlay === undefined ? {} : { overlay }),
    needsVerdicts: true,
    run: { command: COMMAND, task, seed },
  });
  const { path, runId } = await createRunFolder(config, options.out, new Date());
  return { config, path, runId, start: 'fresh' };
}
