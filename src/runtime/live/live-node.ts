/**
 * The node of one robot in real time: demonstrations where they are missing, then episode after episode, with the newest
 * weights. It never moves the robot itself: it asks the guard, which brakes and holds when nothing comes from here.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { copyTransition, createTransition, ReinError, Rng, SystemClock, type Transition } from '../../core/index.ts';
import { loadPolicyFile, OnnxPolicy } from '../../policy/index.ts';
import { type KeyboardTeleop, OperatorDesk, type TeleopSource } from '../../teleop/index.ts';
import { connectGuardLink, type GuardLink } from '../guard-link/index.ts';
import { type EpisodeResult, EpisodeRunner } from '../node/index.ts';
import { createDemonstrator, createScriptedOperator, type RunSetup } from '../setup.ts';
import { RunLog, type RunObserver } from '../sim/index.ts';
import { fallBack } from './fall-back.ts';
import { LiveLog } from './live-log.ts';
import type { LiveNodeConfig } from './messages.ts';
import { openRecorder, recordedDemonstrations, type TransitionRecorder } from './recorder.ts';
import { WeightsFeed } from './weights-feed.ts';

export interface LiveNodeOptions {
  readonly config: LiveNodeConfig;
  readonly setup: RunSetup;
  readonly observer: RunObserver;
  /** Asks for an orderly end. */
  readonly signal: AbortSignal;
  readonly createKeyboard?: (setup: RunSetup) => KeyboardTeleop;
}

/**
 * How many policy periods an action stays valid: one to execute it and one for a node that a busy machine holds up.
 * Past it the guard brakes.
 */
const LEASE_PERIODS = 2;
const GUARD_MS = 10_000;
const WELCOME_MS = 5000;
const FIRST_STATUS_MS = 2000;
const DRAIN_MS = 2000;
const SHOW_MS = 200;
const WAIT_MS = 50;
/** Tries per demonstration before it is given up. */
const TRIES = 10;

/** Runs the node until it is asked to end. Rejects with `ReinError` where it cannot go on; whatever happens, files are closed. */
export async function runLiveNode(options: LiveNodeOptions): Promise<void> {
  const closers: (() => Promise<void> | void)[] = [];
  try {
    const node = await assemble(options, closers);
    await node.run();
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

interface Parts {
  readonly options: LiveNodeOptions;
  readonly live: LiveLog;
  readonly link: GuardLink;
  readonly runner: EpisodeRunner;
  readonly policy: OnnxPolicy;
  readonly recorder: TransitionRecorder;
  readonly operator: TeleopSource | undefined;
}

async function assemble(options: LiveNodeOptions, closers: (() => Promise<void> | void)[]): Promise<LiveNode> {
  const { config, setup, observer } = options;
  const log = new RunLog(config.folder, config.runId, setup, observer);
  closers.push(() => log.close());
  log.phase('preparing');
  const say = (sentence: string): void => log.print(sentence);
  const { observationSize, actionSize, schemaHash } = setup;
  const expected = { observationSize, actionSize, schemaHash, runId: config.runId };
  const policy = config.policy === undefined ? new OnnxPolicy(expected) : await loadPolicyFile(config.policy, expected);
  closers.push(() => policy.close());
  let wasConnected = false;
  const recorder = openRecorder({
    ...{ setup, folder: config.folder, runId: config.runId, robotId: config.robotId, learner: config.learner },
    onFault: say,
    onState: (state) => {
      if (state === 'connecting' && wasConnected) say(`The learner is gone: policy ${policy.version} goes on.`);
      if (state === 'connected') say('The learner is connected.');
      wasConnected ||= state === 'connected';
    },
  });
  closers.push(() => recorder.close());
  const link = await connectGuardLink(config.socketPath, { timeoutMs: GUARD_MS });
  closers.push(() => link.close());
  link.onFrame((frame) => log.tick(frame.filterBits));
  const policyPeriodS = 1 / setup.config.task.policyHz;
  const runner = new EpisodeRunner({
    ...{ task: setup.task, link, clock: new SystemClock(), policyHz: setup.config.task.policyHz, timings: log },
    leaseS: LEASE_PERIODS * policyPeriodS,
  });
  const operator = createOperator(options, recorder.epoch, log);
  if (operator !== undefined) closers.push(() => operator.close());
  const live = new LiveLog(log, config.durationS);
  const shown = setInterval(() => {
    log.link(recorder.connection);
    live.show();
  }, SHOW_MS);
  closers.push(() => clearInterval(shown));
  return new LiveNode({ options, live, link, runner, policy, recorder, operator });
}

/** Who may take over: a person at the keyboard, the script, or nobody. */
function createOperator(options: LiveNodeOptions, epoch: number, log: RunLog): TeleopSource | undefined {
  const { config, setup, createKeyboard } = options;
  if (config.operator === 'none') return undefined;
  if (config.operator === 'scripted') {
    return new OperatorDesk([createScriptedOperator(setup, setup.config.seed * 2 + epoch + 1)], setup.actionSize);
  }
  const keyboard = createKeyboard?.(setup);
  if (keyboard === undefined) throw new ReinError('environment', 'There is no terminal to take over from.');
  log.status.operator = { driving: 'policy', keys: 't take over  g give back  space stop  ? keys' };
  return new OperatorDesk([keyboard], setup.actionSize);
}

class LiveNode {
  readonly #parts: Parts;
  readonly #setup: RunSetup;
  readonly #log: RunLog;
  readonly #weights: WeightsFeed;
  readonly #layouts: Rng;
  readonly #exploration: Rng | undefined;
  /** Weights that gave nothing usable, and that nothing has replaced yet. */
  #unusableVersion = 0;

  constructor(parts: Parts) {
    const { options, live, policy, recorder } = parts;
    const { config } = options.setup;
    this.#parts = parts;
    this.#setup = options.setup;
    this.#log = live.log;
    this.#weights = new WeightsFeed({
      policy,
      take: () => recorder.connection?.takeNewest(),
      onRefused: (sentence) => this.#log.print(sentence),
      pauseMs: 200 / config.task.policyHz,
    });
    // Another start of the same run sees other layouts and tries other things.
    const root = new Rng(config.seed).fork(`start ${recorder.epoch}`);
    this.#layouts = root.fork('layouts');
    this.#exploration = recorder.connection === undefined ? undefined : root.fork('exploration');
  }

  async run(): Promise<void> {
    const { link, options } = this.#parts;
    try {
      await link.advance(1);
      await this.#join();
      await this.#recover();
      if (await this.#isToDemonstrate()) await this.#demonstrate();
      if (!this.#hasPolicy) this.#log.print('Holding: waiting for the first weights of the learner.');
      for (;;) {
        await this.#awaitWeights();
        await this.#episode();
      }
    } catch (error) {
      if (!options.signal.aborted) throw error;
    } finally {
      await this.#weights.settled();
      await this.#stop();
      await this.#deliver();
      this.#log.phase('done');
    }
  }

  get #hasPolicy(): boolean {
    const { version } = this.#parts.policy;
    return version > 0 && version !== this.#unusableVersion;
  }

  /** Whether there is a reason to wait for weights: a person may move an arm that has no policy. */
  get #needsPolicy(): boolean {
    const { options, recorder } = this.#parts;
    return recorder.connection !== undefined || options.config.operator !== 'keyboard';
  }

  /** Waits for the learner's welcome. One that is silent may come back; one that refuses will not change its mind. */
  async #join(): Promise<void> {
    const { connection } = this.#parts.recorder;
    if (connection === undefined) return;
    try {
      await connection.connected(WELCOME_MS);
    } catch (error) {
      if (connection.state === 'refused') throw error;
      this.#log.print(`${(error as Error).message}: what is recorded waits in the journal`);
    }
    for (let waitedMs = 0; connection.status === undefined && waitedMs < FIRST_STATUS_MS; waitedMs += WAIT_MS) {
      await this.#pause(WAIT_MS);
    }
  }

  /** Demonstrations are wanted when the scripted operator may give them and training has not begun. */
  async #isToDemonstrate(): Promise<boolean> {
    const { options, recorder } = this.#parts;
    const { connection } = recorder;
    const isWanted = options.config.operator === 'scripted' && this.#setup.config.task.demonstrations > 0;
    return isWanted && connection !== undefined && (connection.status?.version ?? 0) === 0;
  }

  async #demonstrate(): Promise<void> {
    const { runner, recorder, options } = this.#parts;
    const wanted = this.#setup.config.task.demonstrations;
    let { episodes, steps } = recordedDemonstrations(options.config.folder);
    const operator = createDemonstrator(this.#setup, this.#setup.config.seed * 2 + recorder.epoch);
    this.#log.phase('demonstrations');
    for (let tries = 0; episodes < wanted; tries++) {
      if (tries >= TRIES * wanted) {
        throw new ReinError('task', `The operator succeeded in ${episodes} of ${tries} demonstrations only.`);
      }
      const taken: Transition[] = [];
      const result = await runner.run({
        layout: this.#setup.task.drawLayout(this.#layouts),
        operator,
        purpose: 'demo',
        beforeStep: () => options.signal.throwIfAborted(),
        onStep: (transition) => void taken.push(copyOf(transition)),
      });
      if (result.abortedBy !== undefined) await this.#recover();
      if (!result.success) continue;
      for (const transition of taken) recorder.record(transition);
      this.#log.episode('demonstration', episodes++, result);
      steps += taken.length;
      this.#log.progress(episodes, wanted, 'demonstrations');
    }
    recorder.connection?.demonstrationsComplete(steps);
    this.#log.print(`${episodes} demonstrations, ${steps} steps.`);
  }

  /** Holds until there is something to act with. */
  async #awaitWeights(): Promise<void> {
    this.#weights.poll();
    if (this.#hasPolicy || !this.#needsPolicy) return;
    this.#log.phase('behaviour cloning');
    while (!this.#hasPolicy) {
      await this.#pause(WAIT_MS);
      this.#weights.poll();
    }
  }

  async #episode(): Promise<void> {
    const { runner, policy, operator, options, link, live } = this.#parts;
    if (this.#log.status.phase !== 'training') this.#log.phase('training');
    let result: EpisodeResult;
    try {
      result = await runner.run({
        layout: this.#setup.task.drawLayout(this.#layouts),
        purpose: 'training',
        ...(this.#hasPolicy ? { policy } : {}),
        ...(this.#exploration === undefined ? {} : { explore: this.#exploration }),
        ...(operator === undefined ? {} : { operator }),
        beforeStep: () => {
          options.signal.throwIfAborted();
          this.#weights.poll();
        },
        onStep: (transition) => this.#afterStep(transition),
      });
    } catch (error) {
      if (options.signal.aborted || link.lostReason !== undefined) throw error;
      await this.#giveUpWeights(error);
      return;
    }
    live.episode(result);
    if (result.abortedBy === undefined) return;
    options.signal.throwIfAborted();
    this.#log.print(`The episode ended early: ${result.abortedBy}.`);
    await this.#recover();
  }

  #afterStep(transition: Transition): void {
    const { recorder, link, live } = this.#parts;
    recorder.record(transition);
    this.#log.status.envSteps++;
    const { ticks, changedTicks, violations, overruns } = link.latest;
    this.#log.filter(ticks, changedTicks, violations, overruns);
    this.#log.step(transition, recorder.connection);
    live.show();
  }

  /** The weights in use gave nothing usable: those before them act, or the arm holds until there are newer ones. */
  async #giveUpWeights(error: unknown): Promise<void> {
    const { link, policy, recorder } = this.#parts;
    const given = policy.version;
    const { canAct, sentence } = await fallBack(link, policy, error);
    if (!canAct && recorder.connection === undefined) throw new ReinError('policy', sentence, { cause: error });
    if (!canAct) this.#unusableVersion = given;
    this.#log.print(sentence);
  }

  /** After a stop: on a real robot a person would look and acknowledge; this one is simulated and its scene is put back. */
  async #recover(): Promise<void> {
    const { link } = this.#parts;
    while (link.latest.state === 'stopping') await this.#tick();
    if (link.latest.state !== 'stopped' && link.latest.state !== 'fault') return;
    const answer = await link.request({ kind: 'acknowledge' });
    await this.#tick();
    if (!answer.ok) throw new ReinError('driver', `The arm does not go on: ${answer.reason}`);
  }

  async #tick(): Promise<void> {
    this.#parts.options.signal.throwIfAborted();
    await this.#parts.link.advance(1);
  }

  /** Brakes the arm and waits until it stands. */
  async #stop(): Promise<void> {
    const { link } = this.#parts;
    if (link.lostReason !== undefined) return;
    await link.request({ kind: 'stop' });
    for (let i = 0; i < 3 * link.shape.controlHz; i++) {
      const { state } = link.latest;
      if (state !== 'stopping' && state !== 'active.policy' && state !== 'active.human') return;
      await link.advance(1);
    }
  }

  /** Gives the learner a moment to take what it has not acknowledged. */
  async #deliver(): Promise<void> {
    const { recorder, options } = this.#parts;
    const { connection } = recorder;
    if (connection === undefined) return;
    const isDelivered = await connection.drain(DRAIN_MS);
    this.#log.link(connection);
    if (isDelivered) return;
    const { pending } = connection.counters;
    this.#log.print(
      `${pending} transitions wait in the journal: rein run with --out ${options.config.folder} delivers them.`,
    );
  }

  async #pause(ms: number): Promise<void> {
    const { options, link } = this.#parts;
    options.signal.throwIfAborted();
    if (link.lostReason !== undefined) throw new ReinError('link', `The guard cannot be reached: ${link.lostReason}.`);
    await delay(ms, undefined, { signal: options.signal });
  }
}

function copyOf(transition: Transition): Transition {
  const copy = createTransition(transition.observation.length, transition.executed.length);
  copyTransition(copy, transition);
  return copy;
}
