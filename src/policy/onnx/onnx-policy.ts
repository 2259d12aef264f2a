/**
 * A policy network on onnxruntime, single-threaded, off the tick. Weights that are graph inputs are exchanged between two
 * decisions by replacing one reference: a decision uses either the old or the new weights, never a mixture.
 */
import { err, ok, type PolicyWeights, ReinError, type Result, sha256Hex, verifyWeights } from '../../model/index.ts';
import { ENCODER_PLACE, type InnerModel, inlineModel, readModelInfo } from '../../onnx/index.ts';
import type { Policy, PolicyHead, PolicyNoise } from '../policy.ts';
import { type CanaryLimits, type CanaryReport, DEFAULT_CANARY_LIMITS, judgeCanary, syntheticCanary } from './canary.ts';
import { openNetwork, type PolicyNetwork, type WeightTensors } from './policy-network.ts';

/** Encoder file on the robot. */
export interface EncoderFile extends InnerModel {
  /** SHA-256, hexadecimal. */
  readonly digest: string;
}

export interface OnnxPolicyOptions {
  readonly observationSize: number;
  readonly actionSize: number;
  /** `schemaHash` of this robot and task. */
  readonly schemaHash: string;
  /** Accept weights of this run only; absent: of any run. */
  readonly runId?: string;
  /** Observations on which new weights are tried before they act; absent: 17 synthetic ones. */
  readonly canaryObservations?: readonly Float32Array[];
  readonly canaryLimits?: CanaryLimits;
  /** Frozen encoder for policies whose learner uses one; absent: such policies are refused. */
  readonly encoder?: EncoderFile;
}

/** Result of a swap. */
export interface SwapReport {
  readonly version: number;
  /** See `Policy.run`. */
  readonly run: number;
  readonly previousVersion: number;
  /** Output format of the network that now acts. */
  readonly head: PolicyHead;
  readonly canary: CanaryReport;
}

/** Weights that act, have acted, or may act, with their network. */
interface Generation {
  readonly version: number;
  readonly run: number;
  readonly network: PolicyNetwork;
  readonly weights: WeightTensors;
}

/** Number of older weights kept for `rollback`. */
const KEPT_GENERATIONS = 3;

/**
 * A policy whose weights can be exchanged while it runs. Starts without weights (`version` 0); `swap` installs the first
 * ones, or `loadPolicyFile` creates a policy that has them. Not for the tick path.
 */
export class OnnxPolicy implements Policy {
  readonly observationSize: number;
  readonly actionSize: number;
  readonly #schemaHash: string;
  readonly #runId: string | undefined;
  readonly #canaryObservations: readonly Float32Array[];
  readonly #canaryLimits: CanaryLimits;
  readonly #encoder: EncoderFile | undefined;
  readonly #newestOfRun = new Map<string, number>();
  /** Numbers of the runs from which weights came; a network without a run counts as a run of its own. */
  readonly #runs = new Map<string | PolicyNetwork, number>();
  #current: Generation | undefined;
  #older: Generation[] = [];
  #isDeciding = false;
  #isClosed = false;
  #swaps: Promise<unknown> = Promise.resolve();

  constructor(options: OnnxPolicyOptions) {
    this.observationSize = options.observationSize;
    this.actionSize = options.actionSize;
    this.#schemaHash = options.schemaHash;
    this.#runId = options.runId;
    this.#canaryObservations = options.canaryObservations ?? syntheticCanary(options.observationSize);
    this.#encoder = options.encoder;
    this.#canaryLimits = options.canaryLimits ?? DEFAULT_CANARY_LIMITS;
  }

  /** Version that the next `decide` uses; a swap during a decision does not change that decision. */
  get version(): number {
    return this.#current?.version ?? 0;
  }

  /** See `Policy.run`. */
  get run(): number {
    return this.#current?.run ?? 0;
  }

  /**
   * Makes one decision; see `Policy.decide`. A second call before the first has settled throws. Rejects with `ReinError` if
   * there are no weights, or the observation or the output is not finite.
   */
  async decide(observation: Float32Array, noise: PolicyNoise, out: Float32Array): Promise<void> {
    const current = this.#current;
    if (current === undefined) throw new ReinError('policy', 'The policy has no weights yet.');
    if (this.#isDeciding) throw new Error('one decision at a time: await the one before');
    this.#isDeciding = true;
    try {
      await current.network.decide(current.weights, observation, noise, out);
    } finally {
      this.#isDeciding = false;
    }
  }

  /**
   * Verifies `candidate`, tries it on the canary observations, and activates it from the next decision on. On an error the old
   * weights stay. Copies the weights, so the caller may reuse the buffer. Calls are serialised. Creates a session only if the
   * graph differs from the active one.
   */
  swap(candidate: PolicyWeights): Promise<Result<SwapReport>> {
    const swapped = this.#swaps.then(() => this.#swapNow(candidate));
    this.#swaps = swapped.catch(() => undefined);
    return swapped;
  }

  /** Reactivates the previous weights immediately and returns their version. The abandoned version is not accepted again. */
  rollback(): Result<number> {
    const previous = this.#older.pop();
    if (previous === undefined) {
      return err(new ReinError('policy', 'There are no earlier weights to go back to.'));
    }
    const given = this.#current;
    this.#current = previous;
    if (given !== undefined) this.#releaseUnused(given.network);
    return ok(previous.version);
  }

  /** Activates a network with baked-in weights, as in a policy file. Runs the canary as `swap` does. */
  async adopt(graph: Uint8Array, version: number): Promise<Result<SwapReport>> {
    try {
      const network = await openNetwork(graph, sha256Hex(graph), this.observationSize, this.actionSize);
      const bound = network.bind([], new Float32Array(0));
      if (!bound.ok) {
        await network.close();
        return bound;
      }
      return await this.#tryAndActivate({ version, run: this.#numberOf(network), network, weights: bound.value });
    } catch (error) {
      return asResult(error);
    }
  }

  /** Waits for pending swaps and an inference in progress, then frees all sessions. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#swaps;
    const networks = new Set([...this.#older, ...(this.#current ? [this.#current] : [])].map((g) => g.network));
    this.#current = undefined;
    this.#older = [];
    await Promise.all([...networks].map((network) => network.close()));
  }

  async #swapNow(candidate: PolicyWeights): Promise<Result<SwapReport>> {
    const { manifest, graph } = candidate;
    const verified = verifyWeights(candidate, {
      schemaHash: this.#schemaHash,
      runId: this.#runId,
      newestVersion: this.#newestOfRun.get(manifest.runId) ?? 0,
    });
    if (!verified.ok) return refused(manifest.version, verified.error.message);
    try {
      const graphDigest = sha256Hex(graph);
      const known = this.#current?.network;
      const network =
        known?.graphDigest === graphDigest
          ? known
          : await openNetwork(withEncoder(graph, this.#encoder), graphDigest, this.observationSize, this.actionSize);
      const bound = network.bind(manifest.shapes, candidate.weights);
      if (!bound.ok) {
        this.#releaseUnused(network);
        return bound;
      }
      const { runId, version } = manifest;
      const run = this.#numberOf(runId);
      const result = await this.#tryAndActivate({ version, run, network, weights: bound.value });
      if (result.ok) this.#newestOfRun.set(runId, version);
      return result;
    } catch (error) {
      return asResult(error);
    }
  }

  async #tryAndActivate(candidate: Generation): Promise<Result<SwapReport>> {
    const before = this.#current;
    const outputs = await candidate.network.tryOn(candidate.weights, this.#canaryObservations);
    const old = before && (await before.network.tryOn(before.weights, this.#canaryObservations));
    const canary = judgeCanary(outputs, old, this.#canaryLimits);
    if (!canary.ok || this.#isClosed) {
      this.#releaseUnused(candidate.network);
      return canary.ok ? err(new ReinError('policy', 'The policy was closed during a swap.')) : canary;
    }
    this.#remember();
    this.#current = candidate;
    const { version, run, network } = candidate;
    return ok({ version, run, previousVersion: before?.version ?? 0, head: network.head, canary: canary.value });
  }

  #numberOf(run: string | PolicyNetwork): number {
    const number = this.#runs.get(run) ?? this.#runs.size + 1;
    this.#runs.set(run, number);
    return number;
  }

  #remember(): void {
    if (this.#current === undefined) return;
    this.#older.push(this.#current);
    if (this.#older.length <= KEPT_GENERATIONS) return;
    const dropped = this.#older.shift();
    if (dropped !== undefined) this.#releaseUnused(dropped.network);
  }

  /** Closes `network` unless a generation still uses it. The network itself waits for an inference in progress. */
  #releaseUnused(network: PolicyNetwork): void {
    const isUsed = this.#current?.network === network || this.#older.some((g) => g.network === network);
    if (!isUsed) void network.close();
  }
}

function refused(version: number, why: string): Result<never> {
  return err(
    new ReinError('policy', `Weights version ${version} refused: ${why}.`, {
      remedy: 'The robot goes on with the weights it has; check that learner and robot run the same configuration.',
    }),
  );
}

function asResult(error: unknown): Result<never> {
  if (error instanceof ReinError) return err(error);
  throw error;
}

/**
 * Returns `graph` with `encoder` in place of the node that learners send for a frozen encoder; `graph` itself if it has no
 * such node. Throws `ReinError` ('policy') if the robot has no encoder or not the learner's.
 */
function withEncoder(graph: Uint8Array, encoder: EncoderFile | undefined): Uint8Array {
  const info = readModelInfo(graph);
  if (!info?.ops.some(({ op }) => op === ENCODER_PLACE)) return graph;
  const wanted = info.metadata.get('encoder') ?? '';
  if (encoder?.digest === wanted) return inlineModel(graph, ENCODER_PLACE, encoder);
  const own =
    encoder === undefined ? 'this robot has none' : `this robot has ${encoder.file} (${short(encoder.digest)})`;
  throw new ReinError('policy', `The policy needs the frozen encoder ${short(wanted)}, but ${own}.`, {
    remedy: 'Give robot and learner the same file as encoder.frozen.file of the learner.',
  });
}

function short(digest: string): string {
  return digest.slice(0, 12);
}
