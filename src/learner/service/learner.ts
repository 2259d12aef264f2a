/**
 * The learner: receives transitions from robots, keeps the contract of updates per transition, publishes weights and
 * writes checkpoints. If it dies, robots continue with the weights they have.
 *
 * Its replay is not stored separately: the robots' journals are the record. A restarted learner has no watermarks, so
 * every robot resends its journal from the beginning, and replay is restored.
 */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { acquireLock, type Close, closeAll, openedOrClosed } from '../../host/index.ts';
import { type LearnerServer, type LearnerStatus, startLearnerServer } from '../../link/index.ts';
import { messageOf, type ObservationParts, ReinError } from '../../model/index.ts';
import { type MetricRecord, type Relabelling, RUN_FILES } from '../../record/index.ts';
import type { LearnerView, Transition } from '../../rows/index.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import { AchievedUtd } from '../replay/utd.ts';
import { type Taken, Training } from '../training.ts';
import { AwaitedReplay, type ReplayPosition, RobotShares } from './awaited.ts';
import { checkpointsIn, readLearnerCheckpoint, writeLearnerCheckpoint } from './learner-checkpoint.ts';
import { PolicyVersions } from './policy-versions.ts';
import { StepValueReports } from './step-value-reports.ts';
import { statusLine, TrainingRecord } from './training-record.ts';

/** Parts of a run's setup that a learner needs. */
export interface LearnerSetup {
  readonly config: {
    readonly seed: number;
    readonly learner: LearnerConfig;
    /** `demonstrations`: episodes that the learner waits for before it begins. `help`: criterion by which robots ask for help. */
    readonly task: {
      readonly demonstrations: number;
      readonly help: { readonly by: 'progress' | 'value'; readonly afterSteps: number };
    };
  };
  readonly task: { readonly maxSteps: number };
  readonly schemaHash: string;
  readonly observationSize: number;
  readonly parts: ObservationParts;
  readonly actionSize: number;
  /** Meaning of the numbers of observations, actions and rewards, by dotted key: a robot must agree on each. */
  readonly meaning: Readonly<Record<string, unknown>>;
}

export interface LearnerOptions {
  readonly setup: LearnerSetup;
  readonly runId: string;
  /** `tcp://host:port`; port 0 selects a free one. */
  readonly bind: string;
  /** Folder of the run, for metrics and checkpoints. */
  readonly folder: string;
  /** `resume`: continue from the newest checkpoint of `folder`, or from the beginning if there is none. */
  readonly start: 'fresh' | 'resume';
  /** Sets the initial networks of a fresh training. Absent: drawn from the seed. */
  readonly begin?: (training: Training) => Promise<void>;
  /** Thread of the training calls: see `AgentSpec.engine`. Absent: a worker thread. */
  readonly engine?: 'local' | 'thread';
  /** True if a process that controls a robot is known to run on this machine: see `AgentSpec.hasRobot`. */
  readonly hasRobot: boolean;
  /** Relabellings that people have applied to robots' records since. */
  readonly relabelled?: readonly Relabelling[];
  /** Called with each metric record. */
  readonly onRecord?: (record: MetricRecord) => void;
  /** Called with one message per failure that was survived. */
  readonly onFault: (message: string) => void;
}

const NOTHING_SEEN: ReplayPosition = { online: 0, demonstrations: 0, received: 0 };
/** Period of the training status sent to robots, ms. */
const STATUS_MS = 250;

/** Files that the learner writes into a run's folder, besides the checkpoints. The lock is held by the learner that writes them. */

const LOCK_FILE = 'learner.lock';

/** A learner that listens and trains. Created by `Learner.start`. */
export class Learner {
  readonly #options: LearnerOptions;
  readonly #training: Training;
  readonly #record: TrainingRecord;
  readonly #utd: AchievedUtd;
  readonly #versions: PolicyVersions;
  readonly #shares: RobotShares = new RobotShares();
  /** Absent if no robot needs them, and for algorithms without critics. */
  readonly #values: StepValueReports | undefined;
  /** Closers, in the order of opening. */
  readonly #closes: Close[];
  #server!: LearnerServer;
  /** Data that its checkpoint had seen; absent for a new training. */
  #awaited: AwaitedReplay | undefined;
  #received = 0;
  #isReady = false;
  #isEnding = false;
  #wake: () => void = () => undefined;
  #reportedMs = 0;

  private constructor(options: LearnerOptions, training: Training, closes: Close[]) {
    const { setup, runId, folder, onFault } = options;
    const { config, task, schemaHash } = setup;
    this.#options = options;
    this.#training = training;
    this.#utd = new AchievedUtd(config.learner.utd);
    this.#closes = closes;
    this.#versions = new PolicyVersions(training, { runId, schemaHash });
    this.#record = new TrainingRecord({
      path: join(folder, RUN_FILES.learnerMetrics),
      contract: training.contract,
      config: config.learner,
      maxSteps: task.maxSteps,
      onFault,
      // Robots compare them with their own observations. Nothing is recorded before the learner listens.
      onRecord: (record) => {
        this.#server.sendControl('metrics', record);
        options.onRecord?.(record);
      },
    });
    closes.push(() => this.#record.close());
    const { help } = config.task;
    const isAsked = help.by === 'value' && help.afterSteps > 0 && training.agent.algorithm.value !== undefined;
    if (isAsked) {
      this.#values = new StepValueReports({
        send: (robotId, values) => this.#server.sendControl('values', values, robotId),
      });
    }
  }

  /**
   * Builds the networks, reads the checkpoint if requested, and listens. Rejects with `ReinError`, also if another
   * learner works in the folder.
   */
  static async start(options: LearnerOptions): Promise<Learner> {
    return openedOrClosed([], async (closes) => {
      const { setup, folder, engine = 'thread', hasRobot } = options;
      // Two learners in one folder would overwrite each other's checkpoints.
      const lock = acquireLock(join(folder, LOCK_FILE), `the run folder ${folder}`);
      closes.push(() => lock.release());
      const { parts, actionSize } = setup;
      const { learner: config, seed } = setup.config;
      const training = await Training.open({ parts, actionSize, config, seed, engine, hasRobot });
      closes.push(() => training.close());
      const learner = new Learner(options, training, closes);
      if (options.start === 'resume') await learner.#restore();
      else await options.begin?.(training);
      await learner.#listen();
      // A learner that dies before its first update must not restart from other networks.
      if (options.start === 'fresh' && options.begin !== undefined) await learner.#checkpoint(NOTHING_SEEN);
      return learner;
    });
  }

  async #listen(): Promise<void> {
    const { setup, bind, runId, onFault } = this.#options;
    const { observationSize, actionSize, schemaHash } = setup;
    this.#server = await startLearnerServer({
      bind,
      runId,
      schemaHash,
      meaning: setup.meaning,
      observationSize,
      actionSize,
      onTransition: (transition, robotId) => this.#accept(transition, robotId),
      onControl: (kind, body, robotId) => {
        const problem = this.#shares.reported(robotId, kind, body);
        if (problem !== undefined) onFault(`A report of the robot ${robotId} was not used: ${problem}.`);
        this.#wake();
      },
      onFault,
    });
    this.#closes.push(() => this.#server.close());
    if (this.#awaited !== undefined) await this.#publish();
  }

  get address(): string {
    return this.#server.address;
  }

  get weightsAddress(): string {
    return this.#server.weightsAddress;
  }

  /**
   * Trains until all robots have reported the end of their part and all updates owed for their transitions are done, or until `end`
   * is called. Leaves a checkpoint. Rejects with `ReinError` if pre-training learned nothing.
   */
  async run(): Promise<void> {
    while (!this.#isEnding) {
      this.#reportStatus();
      const hasTrained = await this.#train();
      if (this.#isReady) await this.#values?.look(this.#training.agent);
      if (hasTrained) {
        // A local engine blocks this thread: let the link run.
        if (this.#options.engine === 'local') await nextTurn();
      } else if (this.#shares.haveEnded(this.#server.joined())) break;
      else await this.#somethingNew();
    }
    // While still waiting for the data of its own checkpoint, a new one would claim less.
    if (this.#isReady && this.#training.updates > 0) await this.#checkpoint();
  }

  /** Ends `run` after the current call. */
  end(): void {
    this.#isEnding = true;
    this.#wake();
  }

  /** Status of the training. */
  get status(): LearnerStatus {
    const { updates, agent, replay } = this.#training;
    const { online } = replay.counts();
    const { delivered, repeated, lost } = this.#server.counters;
    return {
      updates,
      pretrained: agent.pretrained,
      updatesPerS: this.#record.updatesPerS,
      utd: this.#utd.at(online),
      online,
      version: this.#versions.newest,
      delivered,
      repeated,
      lost,
    };
  }

  /** Status with more details, for a page. */
  get view(): LearnerView {
    const { agent, replay } = this.#training;
    const here = this.#server.robots();
    const names = new Set([...this.#server.joined(), ...this.#shares.steps.keys()]);
    const robots = [...names].map((name) => {
      return { name, steps: this.#shares.steps.get(name) ?? 0, isHere: here.includes(name) };
    });
    return {
      ...this.status,
      utdTarget: agent.config.utd,
      demonstrations: replay.counts().demonstrations,
      capacity: agent.config.replayCapacity,
      robots,
      address: this.address,
      pid: process.pid,
    };
  }

  /** Status in one line. */
  statusLine(): string {
    const { agent, replay } = this.#training;
    const { elapsedS, criticLoss, success, updatesPerS } = this.#record;
    return statusLine({
      ...this.status,
      elapsedS,
      criticLoss,
      success,
      robots: this.#server.robots(),
      counts: replay.counts(),
      refused: agent.refusedCalls,
      updatesPerS: this.#isReady ? updatesPerS : undefined,
      waitsFor: this.#isReady ? undefined : this.#awaited?.position,
      utdTarget: agent.config.utd,
      awaitedDemonstrations: this.#awaitedDemonstrations,
    });
  }

  /** Number of demonstrations that the training still waits for; 0 if none are missing. */
  get #awaitedDemonstrations(): number {
    const isWaiting = !this.#isReady && this.#awaited === undefined && !this.#shares.isAnyComplete;
    return isWaiting ? this.#options.setup.config.task.demonstrations : 0;
  }

  /** Closes sockets and files, and unlocks the folder. May be called again. */
  async close(): Promise<void> {
    this.end();
    await closeAll(this.#closes.splice(0));
  }

  /** Performs one training call if the transitions so far allow it. */
  async #train(): Promise<boolean> {
    if (!this.#isReady) await this.#prepare();
    if (!this.#isReady) return false;
    const call = await this.#training.update();
    if (call === undefined) return false;
    const { agent, updates, contract, replay } = this.#training;
    this.#record.update(call, call.visible, agent.refusedCalls);
    this.#utd.add(updates, replay.counts().online);
    await this.#record.calibrate(agent, call.visible);
    const { publishEveryUpdates, checkpointEveryUpdates } = agent.config;
    if (isMultiple(updates, publishEveryUpdates, contract.updatesPerCall)) await this.#publish();
    if (isMultiple(updates, checkpointEveryUpdates, contract.updatesPerCall)) await this.#checkpoint();
    return true;
  }

  /** Sets the learner ready once all data that training starts from has arrived: demonstrations, or the checkpoint's data. */
  async #prepare(): Promise<void> {
    const { lost } = this.#server.counters;
    if (this.#awaited !== undefined) {
      this.#isReady = this.#awaited.isHere(this.#training.replay.counts(), this.#received, lost);
      return;
    }
    if (this.#options.setup.config.task.demonstrations > 0) {
      if (!this.#shares.areAllHere(lost)) return;
      if (this.#shares.hasDemonstrations) {
        await this.#pretrain();
        await this.#checkpoint();
      }
    }
    this.#isReady = true;
    await this.#publish();
  }

  /** Rejects if no result was finite: a robot must not start with networks that have not learned the demonstrations. */
  async #pretrain(): Promise<void> {
    // Robots that wait for the first weights see progress, however slow the machine.
    const timer = setInterval(() => this.#reportStatus(), STATUS_MS);
    const { agent } = this.#training;
    const phases = await this.#training
      .pretrain(undefined, undefined, (...done) => this.#record.pretrained(agent, ...done))
      .finally(() => clearInterval(timer));
    for (const [phase, { refused }] of Object.entries(phases)) {
      if (refused === 0) continue;
      this.#options.onFault(`Pre-training (${phase}): calls that were not finite and were thrown away: ${refused}.`);
    }
  }

  /** Once this is done, the server acknowledges the transition and delivers the robot's next one. */
  #accept(transition: Transition, robotId: string): void | Promise<void> {
    this.#shares.received(robotId);
    const isDropped = this.#isDropped(transition, robotId);
    const taken = this.#training.take(transition, robotId, isDropped);
    if (!(taken instanceof Promise)) return this.#took(taken, robotId);
    return taken.then(
      (seen) => this.#took(seen, robotId),
      (error: unknown) => this.#refuse(transition, messageOf(error)),
    );
  }

  /** Applies the relabellings to `transition`; true if its episode was dropped. */
  #isDropped(transition: Transition, robotId: string): boolean {
    const { relabelled = [] } = this.#options;
    const meant = relabelled.filter((each) => each.robotId === undefined || each.robotId === robotId);
    return meant.map((each) => each.apply(transition)).includes(true);
  }

  #took({ transition, outcome }: Taken, robotId: string): void {
    if (outcome !== 'accepted') {
      this.#refuse(transition, outcome);
      return;
    }
    this.#received++;
    this.#record.demonstration(transition, robotId);
    this.#values?.take(transition, robotId);
    if (this.#isReady) this.#record.transition(transition, robotId, this.#training.replay.counts().online);
    this.#wake();
  }

  #refuse({ episode }: Transition, reason: string): void {
    this.#received++;
    this.#options.onFault(`A transition was not learned from: ${reason} (episode ${episode}).`);
    this.#wake();
  }

  async #publish(): Promise<void> {
    this.#server.publish(await this.#versions.next());
  }

  /** Sends the status to the robots. */
  #reportStatus(): void {
    const now = performance.now();
    if (now - this.#reportedMs < STATUS_MS) return;
    this.#reportedMs = now;
    this.#server.sendControl('status', this.status);
  }

  #somethingNew(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(), STATUS_MS);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve();
      };
    });
  }

  /** `seen`: transitions that the state has learned from, or was ready to. */
  async #checkpoint(
    seen: ReplayPosition = { ...this.#training.replay.counts(), received: this.#received },
  ): Promise<void> {
    const { runId, setup, folder, onFault } = this.#options;
    try {
      const { online, demonstrations, received } = seen;
      await writeLearnerCheckpoint(folder, {
        runId,
        schemaHash: setup.schemaHash,
        policyVersion: this.#versions.newest,
        replay: { online, demonstrations, received },
        ...(await this.#training.state()),
      });
    } catch (error) {
      // Training continues without: the previous checkpoint is still there, and the operator has been informed.
      if (!(error instanceof ReinError)) throw error;
      onFault(error.message);
    }
  }

  async #restore(): Promise<void> {
    const { setup, folder, onFault } = this.#options;
    const found = await readLearnerCheckpoint(folder, setup.schemaHash, onFault);
    if (found === undefined) {
      const directory = checkpointsIn(folder);
      onFault(`There is no checkpoint in ${directory}: the learner begins anew with what its robots send again.`);
      this.#versions.goOnFrom(null);
      return;
    }
    const { policyVersion, replay } = found.checkpoint;
    await this.#training.restore(found.path, found.checkpoint);
    this.#versions.goOnFrom(policyVersion);
    // `received` is 0 for the initial networks: training has yet to begin.
    if (replay.received > 0) this.#awaited = new AwaitedReplay(replay, onFault);
  }
}

/** True if `count`, which rises by `stride`, has just reached or passed a multiple of `every`. */
function isMultiple(count: number, every: number, stride: number): boolean {
  return Math.floor(count / every) > Math.floor((count - stride) / every);
}
