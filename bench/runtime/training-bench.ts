/**
 * Share of the bare engine's speed that remains in a real run: a learner with its server, replay buffer, log, checkpoints and
 * broadcasts, fed over the link by a robot that always has a transition ready when one is paid for.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup, type RunSetup } from '../../src/config/setup.ts';
import { threadsHere } from '../../src/learner/engine/threads.ts';
import { Learner } from '../../src/learner/index.ts';
import { type LearnerConfig, updatesPerCall } from '../../src/learner/options.ts';
import { quantile, ReinError, Rng } from '../../src/model/index.ts';
import { createTransition } from '../../src/rows/index.ts';
import { LearnerConnection } from '../../src/session/index.ts';
import { BareTrainer } from '../learner/trainer.ts';

/** One size of training; keys as in the JSON output. */
export interface TrainingBenchCase {
  readonly name: string;
  /** Threads of each operation, in the run and in the engine beside it. */
  readonly threads: number;
  /** Critic updates per second in the run. */
  readonly updates_per_s: number;
  /** The same for the engine by itself, in turns with the run. */
  readonly bare_updates_per_s: number;
  /** Median over rounds of the ratio of both. */
  readonly share_of_bare: number;
}

export interface TrainingBenchOptions {
  /** Threads of an operation; absent: the configured default, as in a run. */
  readonly threads?: number | undefined;
  /** Length of one turn of the run, and of the engine by itself, s. */
  readonly turnS: number;
  readonly rounds: number;
}

const WIDE = { actorHidden: [256, 256], criticHidden: [256, 256], batchSize: 256, utd: 20 };
const CASES: readonly { readonly name: string; readonly learner: Partial<LearnerConfig> }[] = [
  { name: 'insertion arm, in a run', learner: {} },
  { name: 'insertion arm, 256 wide, 20 updates, in a run', learner: WIDE },
];
const DEMONSTRATION_STEPS = 400;
/** Calls paid for ahead of the learner, as transitions take a moment to arrive. */
const CALLS_AHEAD = 6;
const PATIENCE_MS = 20_000;

/** Measures all sizes, one after another. Needs a build: training calls run in their own thread. */
export async function benchTraining(options: TrainingBenchOptions): Promise<TrainingBenchCase[]> {
  const cases: TrainingBenchCase[] = [];
  for (const { name, learner } of CASES) {
    const config = resolveConfig({ task: 'insert', seed: 0 });
    const { threads = config.learner.threads } = options;
    // Updates begin at once: no warm-up and no cloning.
    const whole = { ...config.learner, ...learner, threads, bcInitSteps: 0, warmupSteps: 0 };
    cases.push(await measure(name, createSetup({ ...config, learner: whole }), options));
  }
  return cases;
}

async function measure(name: string, setup: RunSetup, options: TrainingBenchOptions): Promise<TrainingBenchCase> {
  const { observationSize, actionSize } = setup;
  const config = setup.config.learner;
  const bare = await BareTrainer.create({ observationSize, actionSize, config }, await threadsHere(config.threads));
  const run = await TrainingRun.start(setup);
  try {
    const rates: { inRun: number; alone: number }[] = [];
    // The first round warms up, except in a quick check.
    for (let round = options.rounds > 1 ? -1 : 0; round < options.rounds; round++) {
      const inRun = await run.rate(options.turnS);
      const alone = await bareRate(bare, updatesPerCall(config), options.turnS);
      if (round >= 0) rates.push({ inRun, alone });
    }
    return {
      name,
      threads: config.threads,
      updates_per_s: quantile(
        rates.map(({ inRun }) => inRun),
        0.5,
      ),
      bare_updates_per_s: quantile(
        rates.map(({ alone }) => alone),
        0.5,
      ),
      share_of_bare: quantile(
        rates.map(({ inRun, alone }) => inRun / alone),
        0.5,
      ),
    };
  } finally {
    await run.close();
    await bare.close();
  }
}

async function bareRate(bare: BareTrainer, perCall: number, turnS: number): Promise<number> {
  const startMs = performance.now();
  let [calls, busyMs] = [0, 0];
  while (performance.now() - startMs < turnS * 1000) {
    busyMs += await bare.call();
    calls++;
    // The link's heartbeats continue between calls; their time is not the engine's.
    await nextTurn();
  }
  return (calls * perCall * 1000) / busyMs;
}

/** Learner and the robot that feeds it, in this process. */
class TrainingRun {
  readonly #setup: RunSetup;
  readonly #learner: Learner;
  readonly #robot: LearnerConnection;
  readonly #folder: string;
  readonly #rng = new Rng(5);
  readonly #training: Promise<void>;
  #sent = 0;

  private constructor(setup: RunSetup, learner: Learner, robot: LearnerConnection, folder: string) {
    this.#setup = setup;
    this.#learner = learner;
    this.#robot = robot;
    this.#folder = folder;
    this.#training = learner.run();
  }

  static async start(setup: RunSetup): Promise<TrainingRun> {
    const folder = mkdtempSync(join(tmpdir(), 'rein-training-bench-'));
    const onFault = (message: string): void => void process.stderr.write(`${message}\n`);
    const common = { setup, runId: 'bench', folder, onFault };
    // Its robot only sends, so that it chooses its threads like the bare engine beside it.
    const learner = await Learner.start({ ...common, bind: 'tcp://127.0.0.1:0', start: 'fresh', hasRobot: false });
    const { address, weightsAddress } = learner;
    const robot = new LearnerConnection({ ...common, robotId: 'bench', address, weightsAddress, keep: 'newest' });
    const run = new TrainingRun(setup, learner, robot, folder);
    await robot.connected(PATIENCE_MS);
    for (let i = 0; i < DEMONSTRATION_STEPS; i++) run.#send('demo');
    robot.demonstrationsComplete(DEMONSTRATION_STEPS);
    await run.#until(() => learner.status.version > 0);
    return run;
  }

  /** Critic updates per second over `turnS`; afterwards the learner has done everything that was paid for. */
  async rate(turnS: number): Promise<number> {
    // From the end of one call to the end of another.
    const start = await this.#nextCall();
    let end = start;
    while (end === start || end.ms - start.ms < turnS * 1000) end = await this.#nextCall();
    await this.#until(() => this.#learner.status.updates >= this.#paid);
    return ((end.updates - start.updates) * 1000) / (end.ms - start.ms);
  }

  /** Pays until the learner has completed one more call. */
  async #nextCall(): Promise<{ readonly updates: number; readonly ms: number }> {
    const before = this.#learner.status.updates;
    await this.#until(() => {
      this.#pay();
      return this.#learner.status.updates > before;
    });
    return { updates: this.#learner.status.updates, ms: performance.now() };
  }

  async close(): Promise<void> {
    this.#learner.end();
    await this.#training;
    await this.#robot.close();
    await this.#learner.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Updates that the transitions sent so far pay for, in whole calls. */
  get #paid(): number {
    const { learner } = this.#setup.config;
    const paid = this.#sent * learner.utd;
    return paid - (paid % updatesPerCall(learner));
  }

  #pay(): void {
    const ahead = CALLS_AHEAD * updatesPerCall(this.#setup.config.learner);
    while (this.#paid < this.#learner.status.updates + ahead) {
      this.#send('policy');
      this.#sent++;
    }
  }

  #send(source: 'demo' | 'policy'): void {
    const t = createTransition(this.#setup.observationSize, this.#setup.actionSize);
    this.#rng.fillNormal(t.observation);
    this.#rng.fillNormal(t.nextObservation);
    for (let i = 0; i < t.executed.length; i++) t.executed[i] = this.#rng.uniformIn(-1, 1);
    this.#robot.record(Object.assign(t, { source, reward: this.#rng.uniform() }));
  }

  async #until(condition: () => boolean): Promise<void> {
    const startMs = performance.now();
    while (!condition()) {
      if (performance.now() - startMs > PATIENCE_MS) {
        throw new ReinError('link', `The learner of the bench came to a stop: ${this.#learner.statusLine()}.`);
      }
      await delay(1);
    }
  }
}
