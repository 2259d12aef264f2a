/**
 * The learner: takes transitions from robots, keeps the contract of updates per transition, publishes weights and
 * writes checkpoints. It can stop a robot from moving safely by dying: robots go on with the weights they have.
 *
 * Its replay is not stored twice: the robots' journals are the record. A learner that is started again has no
 * watermarks, so every robot sends its journal from the beginning, and replay fills as it was.
 */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  acquireLock,
  type DirectoryLock,
  type ObservationParts,
  type PolicyWeights,
  ReinError,
  sealWeights,
  type Transition,
} from '../../core/index.ts';
import { type LearnerServer, type LearnerStatus, startLearnerServer } from '../../link/index.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import { type Taken, Training } from '../training.ts';
import {
  AwaitedReplay,
  checkpointsIn,
  type ReplayPosition,
  readLearnerCheckpoint,
  writeLearnerCheckpoint,
} from './learner-checkpoint.ts';
import { LEARNER_FILES } from './messages.ts';
import { statusLine } from './status-line.ts';
import { achievedUtd, TrainingRecord } from './training-record.ts';

/** The parts of a run's setup that a learner works with. */
export interface LearnerSetup {
  readonly config: {
    readonly seed: number;
    readonly learner: LearnerConfig;
    /** `demonstrations`: episodes that the learner waits for before it begins. */
    readonly task: { readonly demonstrations: number };
  };
  readonly task: { readonly maxSteps: number };
  readonly schemaHash: string;
  readonly observationSize: number;
  readonly parts: ObservationParts;
  readonly actionSize: number;
  /** What the numbers of observations, actions and rewards mean, by dotted key: a robot must agree on each. */
  readonly meaning: Readonly<Record<string, unknown>>;
}

export interface LearnerOptions {
  readonly setup: LearnerSetup;
  readonly runId: string;
  /** `tcp://host:port`; port 0 takes a free one. */
  readonly bind: string;
  /** The run's folder: metrics and checkpoints go there. */
  readonly folder: string;
  /** `resume`: continue from the newest checkpoint of `folder`, or from the beginning where it has none. */
  readonly start: 'fresh' | 'resume';
  /** Gives a fresh training the networks that it begins with. Absent: drawn from the seed. */
  readonly begin?: (training: Training) => Promise<void>;
  /** Where training calls run: see `AgentSpec.engine`. Absent: in a thread of their own. */
  readonly engine?: 'local' | 'thread';
  /** A process that controls a robot runs on this machine, as far as is known: see `AgentSpec.hasRobot`. */
  readonly hasRobot: boolean;
  /** Called with one message about what failed and was survived. */
  readonly onFault: (sentence: string) => void;
}

const NOTHING_SEEN: ReplayPosition = { online: 0, demonstrations: 0, received: 0 };
/** How often robots get the status of training, ms. */
const STATUS_MS = 250;

/** A learner that listens and trains. Get one from `Learner.start`. */
export class Learner {
  readonly #options: LearnerOptions;
  readonly #training: Training;
  readonly #record: TrainingRecord;
  readonly #lock: DirectoryLock;
  #server!: LearnerServer;
  #version = 0;
  /** Robots may have weights up to this version from a learner before this one, and take only what is newer. */
  #versionBefore = 0;
  #parent: number | null = null;
  /** The same in every version: weights are its inputs. */
  #policyGraph: Uint8Array | undefined;
  #isReady = false;
  /** By robot: demonstration steps that it said it gives, once it has given all. */
  readonly #demonstrated = new Map<string, number>();
  readonly #receivedFrom = new Map<string, number>();
  /** Robots that have said that their part is over. */
  readonly #ended = new Set<string>();
  #awaited: AwaitedReplay | undefined;
  #isEnding = false;
  #isClosed = false;
  #received = 0;
  #wake: () => void = () => undefined;
  #statusMs = 0;

  private constructor(options: LearnerOptions, training: Training, lock: DirectoryLock) {
    const { setup, folder, onFault } = options;
    const { contract } = training;
    const { maxSteps } = setup.task;
    this.#options = options;
    this.#training = training;
    this.#lock = lock;
    const metricsFile = join(folder, LEARNER_FILES.metrics);
    this.#record = new TrainingRecord(metricsFile, contract, setup.config.learner, maxSteps, onFault);
  }

  /**
   * Builds the networks, reads the checkpoint where asked to, and listens. Rejects with `ReinError`: also where another
   * learner works in the folder.
   */
  static async start(options: LearnerOptions): Promise<Learner> {
    const { folder } = options;
    // Two learners in one folder would overwrite each other's checkpoints.
    const lock = acquireLock(join(folder, LEARNER_FILES.lock), `the run folder ${folder}`);
    let training: Training | undefined;
    try {
      const { setup, engine = 'thread', hasRobot } = options;
      const { parts, actionSize } = setup;
      const { learner: config, seed } = setup.config;
      training = await Training.open({ parts, actionSize, config, seed, engine, hasRobot });
      const learner = new Learner(options, training, lock);
      if (options.start === 'resume') await learner.#restore();
      else await options.begin?.(training);
      await learner.#listen();
      // A learner that dies before its first update must not begin from other networks when it is started again.
      if (options.start === 'fresh' && options.begin !== undefined) await learner.#checkpoint(NOTHING_SEEN);
      return learner;
    } catch (error) {
      // Its engine may have a thread, which would keep the process alive.
      await training?.close();
      lock.release();
      throw error;
    }
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
      onControl: (kind, body, robotId) => this.#control(kind, body, robotId),
      onFault,
    });
    if (this.#awaited !== undefined) await this.#publish();
  }

  get address(): string {
    return this.#server.address;
  }

  get weightsAddress(): string {
    return this.#server.weightsAddress;
  }

  /**
   * Trains until a robot has said that the run is over and every update that its transitions pay for is done, or until
   * `end` is called. Leaves a checkpoint. Rejects with `ReinError` where pre-training learned nothing.
   */
  async run(): Promise<void> {
    while (!this.#isEnding) {
      this.#tell();
      if (await this.#train()) {
        // An engine in this thread leaves the link no time of its own.
        if (this.#options.engine === 'local') await nextTurn();
      } else if (this.#haveAllEnded()) break;
      else await this.#somethingNew();
    }
    // One that still waits for what its checkpoint had seen would say that it had seen less.
    if (this.#isReady && this.#training.updates > 0) await this.#checkpoint();
  }

  /** Ends `run` after the call under way. */
  end(): void {
    this.#isEnding = true;
    this.#wake();
  }

  /** One line on how it is going. */
  statusLine(): string {
    return statusLine({
      robots: this.#server.robots(),
      counts: this.#training.replay.counts(),
      updates: this.#training.updates,
      refused: this.#training.agent.refusedCalls,
      updatesPerS: this.#isReady ? this.#record.updatesPerS : undefined,
      waitsFor: this.#isReady ? undefined : this.#awaited?.position,
      version: this.#version,
      elapsedS: this.#record.elapsedS,
      utd: achievedUtd(this.#training.updates, this.#training.replay.counts().online, this.#training.contract),
      utdTarget: this.#options.setup.config.learner.utd,
      criticLoss: this.#record.criticLoss,
      success: this.#record.success,
      awaitedDemonstrations: this.#awaitedDemonstrations,
    });
  }

  /** Demonstrations that nobody has given or said to be complete; 0 where none are missing. */
  get #awaitedDemonstrations(): number {
    const isWaiting = !this.#isReady && this.#awaited === undefined && this.#demonstrated.size === 0;
    return isWaiting ? this.#options.setup.config.task.demonstrations : 0;
  }

  /** Closes sockets and files, and lets another learner into the folder. May be called again. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.end();
    try {
      await this.#server.close();
      await this.#record.close();
      await this.#training.close();
    } finally {
      this.#lock.release();
    }
  }

  /** One training call, if the transitions so far pay for it. */
  async #train(): Promise<boolean> {
    if (!this.#isReady) await this.#prepare();
    if (!this.#isReady) return false;
    const call = await this.#training.update();
    if (call === undefined) return false;
    const { agent, updates, contract } = this.#training;
    this.#record.update(call, call.visible, agent.refusedCalls);
    await this.#record.calibrate(agent, call.visible);
    const { publishEveryUpdates, checkpointEveryUpdates } = agent.config;
    if (isMultiple(updates, publishEveryUpdates, contract.updatesPerCall)) await this.#publish();
    if (isMultiple(updates, checkpointEveryUpdates, contract.updatesPerCall)) await this.#checkpoint();
    return true;
  }

  /** Ready once all that the training starts from is here: demonstrations, or what the checkpoint had seen. */
  async #prepare(): Promise<void> {
    if (this.#awaited !== undefined) {
      this.#isReady = this.#awaited.isHere(this.#training.replay.counts(), this.#received, this.#server.counters.lost);
      return;
    }
    const wants = this.#options.setup.config.task.demonstrations > 0;
    if (wants && !this.#haveAllDemonstrated()) return;
    if (wants && [...this.#demonstrated.values()].some((steps) => steps > 0)) {
      await this.#pretrain();
      await this.#checkpoint();
    }
    this.#isReady = true;
    await this.#publish();
  }

  /** Rejects where nothing of it was finite: a robot must not begin with networks that have not learned what it was shown. */
  async #pretrain(): Promise<void> {
    // Robots that wait for the first weights see that it goes on, however slow the machine.
    const timer = setInterval(() => this.#tell(), STATUS_MS);
    const phases = await this.#training.pretrain().finally(() => clearInterval(timer));
    for (const [phase, { refused }] of Object.entries(phases)) {
      if (refused === 0) continue;
      this.#options.onFault(`Pre-training (${phase}): calls that were not finite and were thrown away: ${refused}.`);
    }
  }

  /** The server hands over a robot's next one, and acknowledges this one, when this is done. */
  #accept(transition: Transition, robotId: string): void | Promise<void> {
    this.#receivedFrom.set(robotId, (this.#receivedFrom.get(robotId) ?? 0) + 1);
    this.#ended.delete(robotId);
    const taken = this.#training.take(transition, robotId);
    if (!(taken instanceof Promise)) return this.#took(taken, robotId);
    return taken.then(
      (seen) => this.#took(seen, robotId),
      (error: unknown) => this.#refuse(transition, error instanceof ReinError ? error.message : String(error)),
    );
  }

  #took({ transition, outcome }: Taken, robotId: string): void {
    if (outcome !== 'accepted') {
      this.#refuse(transition, outcome);
      return;
    }
    this.#received++;
    if (this.#isReady) this.#record.transition(transition, robotId, this.#training.replay.counts().online);
    this.#wake();
  }

  #refuse({ episode }: Transition, reason: string): void {
    this.#received++;
    this.#options.onFault(`A transition was not learned from: ${reason} (episode ${episode}).`);
    this.#wake();
  }

  /** One robot's end is the end of its own part. */
  #haveAllEnded(): boolean {
    return this.#ended.size > 0 && this.#server.joined().every((robotId) => this.#ended.has(robotId));
  }

  /** Counted as they came, not as they were taken: a demonstration that is unfit must not make the training wait for ever. */
  #haveAllDemonstrated(): boolean {
    const { lost } = this.#server.counters;
    const robots = [...this.#demonstrated];
    return robots.length > 0 && robots.every(([id, told]) => (this.#receivedFrom.get(id) ?? 0) + lost >= told);
  }

  #control(kind: string, body: Record<string, unknown>, robotId: string): void {
    if (kind === 'demonstrationsComplete') this.#demonstrated.set(robotId, Number(body['transitions']));
    if (kind === 'end') this.#ended.add(robotId);
    this.#wake();
  }

  async #publish(): Promise<void> {
    this.#version = Math.max(this.#version, this.#versionBefore) + 1;
    this.#server.publish(await this.#bundle());
    this.#parent = this.#version;
  }

  async #bundle(): Promise<PolicyWeights> {
    const { runId, setup } = this.#options;
    const { shapes, data } = await this.#training.agent.actorWeights();
    const fields = {
      runId,
      version: this.#version,
      parent: this.#parent,
      trainingStep: this.#training.seenSteps,
      updates: this.#training.updates,
      schemaHash: setup.schemaHash,
      createdAt: new Date().toISOString(),
      shapes,
    };
    this.#policyGraph ??= this.#training.agent.policyGraph(this.#training.encoder);
    return sealWeights(fields, this.#policyGraph, data);
  }

  /** Reports the status of training to the robots. */
  #tell(): void {
    const now = performance.now();
    if (now - this.#statusMs < STATUS_MS) return;
    this.#statusMs = now;
    this.#server.sendControl('status', this.status);
  }

  /** How it is going. */
  get status(): LearnerStatus {
    const counts = this.#training.replay.counts();
    return {
      updates: this.#training.updates,
      pretrained: this.#training.agent.pretrained,
      updatesPerS: this.#record.updatesPerS,
      utd: achievedUtd(this.#training.updates, counts.online, this.#training.contract),
      online: counts.online,
      version: this.#version,
      delivered: this.#server.counters.delivered,
      repeated: this.#server.counters.repeated,
      lost: this.#server.counters.lost,
    };
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

  /** `seen`: the transitions that the state has learned from, or was ready to. */
  async #checkpoint(
    seen: ReplayPosition = { ...this.#training.replay.counts(), received: this.#received },
  ): Promise<void> {
    const { runId, setup, folder, onFault } = this.#options;
    try {
      const { online, demonstrations, received } = seen;
      await writeLearnerCheckpoint(folder, {
        runId,
        schemaHash: setup.schemaHash,
        policyVersion: this.#version,
        replay: { online, demonstrations, received },
        ...(await this.#training.state()),
      });
    } catch (error) {
      // Training goes on without: the checkpoint before is still there, and the operator has been informed.
      if (!(error instanceof ReinError)) throw error;
      onFault(error.message);
    }
  }

  async #restore(): Promise<void> {
    const { setup, folder, onFault } = this.#options;
    const found = await readLearnerCheckpoint(folder, setup.schemaHash, onFault);
    const { checkpointEveryUpdates, publishEveryUpdates } = setup.config.learner;
    const publishedSince = Math.ceil(checkpointEveryUpdates / publishEveryUpdates);
    if (found === undefined) {
      const directory = checkpointsIn(folder);
      onFault(`There is no checkpoint in ${directory}: the learner begins anew with what its robots send again.`);
      this.#versionBefore = publishedSince + 1;
      return;
    }
    const { policyVersion, replay } = found.checkpoint;
    await this.#training.restore(found.path, found.checkpoint);
    this.#version = policyVersion;
    this.#versionBefore = policyVersion + publishedSince;
    this.#parent = policyVersion;
    // The networks that it was given to begin with: it has yet to begin.
    if (replay.received > 0) this.#awaited = new AwaitedReplay(replay, onFault);
  }
}

/** Whether `count`, which rises by `stride`, has just reached or passed a multiple of `every`. */
function isMultiple(count: number, every: number, stride: number): boolean {
  return Math.floor(count / every) > Math.floor((count - stride) / every);
}
