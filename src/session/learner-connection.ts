/**
 * The node's side of the link to the learner: journal, uplink and weights. Recording never waits for the network, and weights wait here
 * until the node takes them between two steps.
 */
import { join } from 'node:path';
import type { RunSetup } from '../config/setup.ts';
import {
  connectUplink,
  type Journal,
  type JournalStatus,
  type LearnerStatus,
  openJournal,
  readStatus,
  readStepValues,
  type StepValues,
  type Subscription,
  subscribeWeights,
  type Uplink,
} from '../link/index.ts';
import { type PolicyWeights, ReinError } from '../model/index.ts';
import type { MetricRecord } from '../record/index.ts';
import type { Transition } from '../rows/index.ts';

export interface LearnerConnectionOptions {
  readonly setup: RunSetup;
  readonly runId: string;
  readonly robotId: string;
  /** The learner's `tcp://host:port`. */
  readonly address: string;
  readonly weightsAddress?: string;
  /** The run's folder; the journal goes into it. */
  readonly folder: string;
  /** Only weights above this version are accepted. Default 0. */
  readonly weightsAfter?: number;
  /** `newest`: the latest weights only. `all`: every version, in order, to be applied at a fixed step. */
  readonly keep: 'newest' | 'all';
  readonly onFault: (message: string) => void;
  /** Called when the journal has a problem, and when that ends; by default its problems go to `onFault`. */
  readonly onJournal?: (status: JournalStatus) => void;
  /** Called with the learner's metrics as they arrive. They come from the network: the receiver has to validate them. */
  readonly onMetrics?: (record: MetricRecord) => void;
  /** Called when the learner is reached, lost, or refuses this robot. */
  readonly onState?: (state: Uplink['state']) => void;
}

export const JOURNAL_FOLDER = 'journal';
/** Time limit for the acknowledgement of the last transitions at the end of the run, ms. */
const DRAIN_MS = 20_000;
/** Largest number of value reports waiting to be taken; the oldest are dropped. */
const MAX_VALUES = 64;
/** A learner makes hundreds of updates a second, a few on the slowest machine; one without any for this long is stuck. */
const STUCK_MS = 60_000;

export class LearnerConnection {
  readonly #journal: Journal;
  readonly #uplink: Uplink;
  readonly #subscription: Subscription;
  readonly #bundles: PolicyWeights[] = [];
  readonly #waiting = new Set<() => void>();
  #status: LearnerStatus | undefined;
  #values: StepValues[] = [];
  /** Kinds of reports of which one could not be read. */
  readonly #refused = new Set<string>();
  /** Aborted, with the reason, when the learner will not come back. */
  readonly #failing: AbortController = new AbortController();
  #isClosed = false;
  #demonstrated: number | undefined;

  /** Opens the journal and starts to connect; does not wait. Throws `ReinError` if journal or address are invalid. */
  constructor(options: LearnerConnectionOptions) {
    const { setup, runId, address, onFault } = options;
    const { schemaHash, observationSize, actionSize } = setup;
    this.#journal = openJournal({
      dir: join(options.folder, JOURNAL_FOLDER),
      runId,
      schemaHash,
      observationSize,
      actionSize,
      onStatus: options.onJournal ?? (({ reason }) => reason !== undefined && onFault(reason)),
    });
    this.#uplink = this.#connect(options);
    this.#subscription = subscribeWeights({
      address,
      ...(options.weightsAddress === undefined ? {} : { weightsAddress: options.weightsAddress }),
      keep: options.keep,
      after: options.weightsAfter ?? 0,
      runId,
      schemaHash,
      onBundle: (bundle) => {
        if (options.keep === 'newest') this.#bundles.length = 0;
        this.#bundles.push(bundle);
        this.#wake();
      },
      onFault: (fault) => onFault(`Weights were not used: ${fault.message}.`),
    });
  }

  #connect({ setup, runId, robotId, address, onFault, onMetrics, onState }: LearnerConnectionOptions): Uplink {
    return connectUplink({
      address,
      robotId,
      runId,
      schemaHash: setup.schemaHash,
      meaning: setup.meaning,
      journal: this.#journal,
      onLearnerVersion: (version) => this.#subscription.learnerHas(version),
      onControl: (kind, body) => {
        const problem = this.#takeReport(kind, body);
        // Several reports arrive per second: only the first unreadable one of a kind is reported.
        if (problem !== undefined && !this.#refused.has(kind))
          onFault(`The learner sent a message that this robot cannot use: ${problem}.`);
        if (problem !== undefined) this.#refused.add(kind);
        if (kind === 'metrics') onMetrics?.(body as unknown as MetricRecord);
        this.#wake();
      },
      onState: (state, reason) => {
        if (reason !== undefined) onFault(reason);
        if (state === 'connected') this.#reportDemonstrated();
        onState?.(state);
      },
    });
  }

  /** Stores a report. Returns the reason if it cannot be used. */
  #takeReport(kind: string, body: Readonly<Record<string, unknown>>): string | undefined {
    if (kind === 'status') {
      const status = readStatus(body);
      if (!status.ok) return status.error.message;
      this.#status = status.value;
    }
    if (kind === 'values') {
      const values = readStepValues(body);
      if (!values.ok) return values.error.message;
      this.#values = [...this.#values, values.value].slice(-MAX_VALUES);
    }
    return undefined;
  }

  /** Last status reported by the learner; `undefined` before the first. */
  get status(): LearnerStatus | undefined {
    return this.#status;
  }

  get state(): Uplink['state'] {
    return this.#uplink.state;
  }

  /** Version of the learner's newest weights, as last reported; 0 before any. */
  get learnerVersion(): number {
    return this.#uplink.learnerVersion;
  }

  /** Version of the newest weights received, by earlier starts of this robot too; 0 before any. */
  get arrivedVersion(): number {
    return this.#subscription.version;
  }

  get counters(): Uplink['counters'] {
    return this.#uplink.counters;
  }

  get journal(): Journal['status'] {
    return () => this.#journal.status();
  }

  /** Resolves when the learner has accepted this robot; rejects with `ReinError` if it refuses, is silent, or will not come back. */
  async connected(timeoutMs: number): Promise<void> {
    const { signal } = this.#failing;
    signal.throwIfAborted();
    const failed = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    await Promise.race([this.#uplink.connected(timeoutMs), failed]);
  }

  /** To be called before the robot moves. Rejects with `ReinError('storage')` if there is no room to record. */
  checkRoom(): Promise<void> {
    return this.#journal.checkRoom();
  }

  /** Journals a transition; it is sent in the background. Stamps `epoch` and `seq`. */
  record(transition: Transition): void {
    this.#journal.append(transition);
  }

  /** Reports that all demonstrations are recorded: the learner may begin. A learner that takes its place is informed as well. */
  demonstrationsComplete(transitions: number): void {
    this.#demonstrated = transitions;
    // Not queued: a learner that connects later is informed then.
    if (this.#uplink.state === 'connected') this.#reportDemonstrated();
  }

  #reportDemonstrated(): void {
    if (this.#demonstrated !== undefined) {
      this.#uplink.sendControl('demonstrationsComplete', { transitions: this.#demonstrated });
    }
  }

  /** Newest weights received and not taken yet, for use between two steps. */
  takeNewest(): PolicyWeights | undefined {
    const newest = this.#bundles.at(-1);
    this.#bundles.length = 0;
    return newest;
  }

  /** Values of this robot's steps received since the last call, in order. */
  takeValues(): readonly StepValues[] {
    const values = this.#values;
    if (values.length > 0) this.#values = [];
    return values;
  }

  /** Weights of exactly `version`, waiting for them if need be; older ones are dropped. Rejects when the learner is gone. */
  async takeVersion(version: number): Promise<PolicyWeights> {
    const progress = this.#progress();
    for (;;) {
      while (this.#bundles.length > 0 && this.#bundles[0]!.manifest.version < version) this.#bundles.shift();
      const first = this.#bundles[0];
      if (first?.manifest.version === version) return first;
      if (first !== undefined) throw new ReinError('link', `The learner's weights ${version} were not delivered.`);
      if (progress.isStuck()) {
        throw new ReinError(
          'link',
          `The learner has made no update for ${STUCK_MS / 1e3} s; weights ${version} are due.`,
          {
            remedy: 'metrics-learner.jsonl in the run folder shows what it did last.',
          },
        );
      }
      await this.#somethingNew();
    }
  }

  /** Called when the learner will not come back: everything that waits for it rejects. */
  fail(error: ReinError): void {
    this.#failing.abort(error);
    this.#wake();
  }

  /** Waits until the learner has everything; false if it does not answer in time. */
  drain(timeoutMs: number = DRAIN_MS): Promise<boolean> {
    return this.#failing.signal.aborted ? Promise.resolve(false) : this.#uplink.drain(timeoutMs);
  }

  /** Waits until the learner has done `updates`, so that its metrics cover the whole run; false if it makes no more. */
  async trained(updates: number): Promise<boolean> {
    const progress = this.#progress();
    while ((this.#status?.updates ?? 0) < updates) {
      if (progress.isStuck()) return false;
      await this.#somethingNew();
    }
    return true;
  }

  /** Detects a learner that does nothing, however slow it may be otherwise. */
  #progress(): { isStuck(): boolean } {
    let [done, sinceMs] = [-1, performance.now()];
    return {
      isStuck: () => {
        const now = (this.#status?.updates ?? 0) + (this.#status?.pretrained ?? 0);
        if (now !== done) [done, sinceMs] = [now, performance.now()];
        return performance.now() - sinceMs > STUCK_MS;
      },
    };
  }

  /** Informs the learner that this robot's part of the run is over, once it has all of its records. */
  end(): void {
    this.#uplink.sendLast('end', {});
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#subscription.close();
    await this.#uplink.close();
    await this.#journal.close();
  }

  async #somethingNew(): Promise<void> {
    this.#failing.signal.throwIfAborted();
    const timer = setTimeout(() => this.#wake(), STUCK_MS);
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
    clearTimeout(timer);
    this.#failing.signal.throwIfAborted();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
