/**
 * One training: transitions enter replay as the learner sees them, and allow updates. The owner (a service for robots, or a
 * trial with its environment) delivers transitions, and decides when to evaluate, publish and save.
 */
import { type ActionRange, ReinError, sha256Hex, totalObservationSize } from '../model/index.ts';
import type { Transition } from '../rows/index.ts';
import { type Agent, type AgentSpec, createAgent, type OnPretrained, type UpdateMetrics } from './agent/agent.ts';
import type { PretrainingReport } from './agent/pretraining.ts';
import type { TrainingState } from './checkpoint.ts';
import { type ObservationEncoder, openObservationEncoder } from './imports/observation-encoder.ts';
import { trainedChannels } from './options/encoder.ts';
import { updatesPerCall } from './options/learner-config.ts';
import { imageStorage } from './replay/observation-store.ts';
import { type DropReason, Replay } from './replay/replay.ts';
import { UpdateContract } from './replay/utd.ts';
import { learnedReward } from './update/costs.ts';

/** Result of offering a transition. */
export interface Taken {
  readonly outcome: 'accepted' | DropReason;
  /** The transition as the learner sees it: encoded, if there is an encoder. */
  readonly transition: Transition;
}

/** A finished training call. */
export interface TrainingCall extends UpdateMetrics {
  /** Number of online transitions that it saw, the first ones. */
  readonly visible: number;
}

/** Reports of pre-training, by phase. */
export type Pretraining = Readonly<Record<'cloning' | 'offline', PretrainingReport>>;

/** Like `OnPretrained`, with the phase. */
type OnPretraining = (phase: keyof Pretraining, ...done: Parameters<OnPretrained>) => ReturnType<OnPretrained>;

/** Calls must be awaited one at a time, except `take`, which may be called at any time. */
export class Training {
  readonly agent: Agent;
  /** Frozen encoder that is applied to observations before anything is learned from them. */
  readonly encoder: ObservationEncoder | undefined;
  readonly contract: UpdateContract;
  #replay: Replay | undefined;
  #updatesBefore = 0;

  private constructor(agent: Agent, encoder: ObservationEncoder | undefined) {
    const { config } = agent;
    this.agent = agent;
    this.encoder = encoder;
    this.contract = new UpdateContract(config.utd, config.warmupSteps, updatesPerCall(config));
  }

  /**
   * Opens the encoder and builds the networks, freshly initialised, for the parts of the task's observation. Rejects with
   * `RangeError` if the settings do not work with such observations, with `ReinError` if the encoder cannot be opened.
   */
  static async open({ parts: raw, ...rest }: AgentSpec): Promise<Training> {
    const encoder = await openObservationEncoder(rest.config.encoder, raw);
    try {
      const { parts } = encoder ?? { parts: raw };
      return new Training(await createAgent({ ...rest, parts }), encoder);
    } catch (error) {
      await encoder?.close();
      throw error;
    }
  }

  /** Replay of the transitions. Allocated on first use. */
  get replay(): Replay {
    this.#replay ??= createReplay(this.agent);
    return this.#replay;
  }

  /** Critic updates of this training, including refused ones: the count of the contract. */
  get updates(): number {
    return this.agent.updates - this.#updatesBefore;
  }

  /** Updates of the training from whose networks this one started. */
  get updatesBefore(): number {
    return this.#updatesBefore;
  }

  /** Empties replay. */
  forget(): void {
    this.#replay = undefined;
  }

  /**
   * Adds `transition` to replay as the learner sees it; with an encoder, in the order of the calls, and rejecting as the encoder
   * does. Transitions of different `robot`s never continue each other. `isLeftOut`: it counts, but no update samples it.
   */
  take(transition: Transition, robot?: string, isLeftOut = false): Taken | Promise<Taken> {
    const whose = { isLeftOut, ...(robot === undefined ? {} : { robot }) };
    if (this.encoder === undefined) return { outcome: this.replay.add(transition, whose), transition };
    return this.encoder.take(transition).then(({ transition: seen, frames }) => {
      return { outcome: this.replay.add(seen, { ...whose, frames }), transition: seen };
    });
  }

  /** Pre-trains on the demonstrations in replay, phase by phase: see `Agent.pretrain`, `Agent.pretrainOffline` and `OnPretrained`. */
  async pretrain(
    onPhase: (phase: keyof Pretraining, report: PretrainingReport) => void = () => undefined,
    signal?: AbortSignal,
    onCall: OnPretraining = () => undefined,
  ): Promise<Pretraining> {
    const cloning = await this.agent.pretrain(this.replay, signal, (...done) => onCall('cloning', ...done));
    onPhase('cloning', cloning);
    const { offlineUpdates } = this.agent.config.wsrl;
    const offline = await this.agent.pretrainOffline(this.replay, offlineUpdates, signal, (...done) =>
      onCall('offline', ...done),
    );
    onPhase('offline', offline);
    return { cloning, offline };
  }

  /** Performs one training call; `undefined` if the transitions so far do not allow it. */
  async update(): Promise<TrainingCall | undefined> {
    const { contract } = this;
    const due = this.updates + contract.updatesPerCall;
    const allowed = contract.updatesAllowed(this.replay.online.count);
    if (due > allowed) return undefined;
    const following = due + contract.updatesPerCall;
    const visible = contract.visibleTo(due);
    const next = following <= allowed ? contract.visibleTo(following) : undefined;
    return { ...(await this.agent.update(this.replay, visible, next)), visible };
  }

  /** Online transitions seen by the updates so far, however many more have arrived. */
  get seenSteps(): number {
    return this.updates === 0 ? 0 : this.contract.visibleTo(this.updates);
  }

  /** A copy of everything from which training continues, except replay. */
  async state(): Promise<TrainingState> {
    const agent = await this.agent.snapshot();
    return this.encoder === undefined ? { agent } : { agent, encoderDigest: this.encoder.digest };
  }

  /** SHA-256 of all networks and moments, hexadecimal. */
  async stateDigest(): Promise<string> {
    const { state } = await this.agent.snapshot();
    return sha256Hex(state);
  }

  /**
   * Continues from `state`, which was found at `place`: with the same replay, the next updates are bit-identical.
   * `updatesBefore` as it was then. Rejects with `ReinError` ('checkpoint') if it does not fit.
   */
  async restore(place: string, state: TrainingState, updatesBefore = 0): Promise<void> {
    this.#checkFit(place, state, this.agent.config.encoder.frozen?.file);
    await this.agent.restore(state.agent);
    this.#updatesBefore = updatesBefore;
  }

  /**
   * Starts with the networks and optimisers of `state`, which another training with the frozen encoder `encoderFile` left at
   * `place`. Keeps its own random numbers; updates and refused calls of the other training are not counted. Rejects as `restore`
   * does.
   */
  async beginWith(place: string, state: TrainingState, encoderFile: string | undefined): Promise<void> {
    this.#checkFit(place, state, encoderFile);
    const { rng } = await this.agent.snapshot();
    await this.agent.restore({ ...state.agent, rng, refusedCalls: 0 });
    this.#updatesBefore = this.agent.updates;
  }

  /** Exports the policy as a self-contained model file, including the encoder: see `Agent.exportPolicy`. */
  exportPolicy(metadata?: Readonly<Record<string, string>>, ranges?: readonly ActionRange[]): Promise<Uint8Array> {
    return this.agent.exportPolicy(metadata, this.encoder, ranges);
  }

  async close(): Promise<void> {
    await this.agent.close();
    await this.encoder?.close();
  }

  #checkFit(place: string, { agent, encoderDigest }: TrainingState, encoderFile: string | undefined): void {
    const { config, spec, stateSize } = this.agent;
    checkSameEncoder(
      place,
      encoderDigest === undefined ? undefined : { file: encoderFile, digest: encoderDigest },
      this.encoder && { file: config.encoder.frozen?.file, digest: this.encoder.digest },
    );
    const [O, A] = [totalObservationSize(spec.parts), spec.actionSize];
    const differences = [
      ...differing(agent.observationSize, O, `${agent.observationSize} observation numbers instead of ${O}`),
      ...differing(agent.actionSize, A, `${agent.actionSize} action numbers instead of ${A}`),
      ...differing(
        agent.state.length,
        stateSize,
        `other networks (${agent.state.length} numbers instead of ${stateSize})`,
      ),
    ];
    if (differences.length === 0) {
      if (agent.state.every(Number.isFinite)) return;
      differences.push('a state that is not finite');
    }
    throw new ReinError('checkpoint', `The checkpoint ${place} has ${differences.join(' and ')}.`, {
      remedy: 'Continue with the configuration and task that it was written with, or start anew.',
    });
  }
}

function differing(found: number, wanted: number, clause: string): string[] {
  return found === wanted ? [] : [clause];
}

/** Identity of a frozen encoder. */
interface EncoderFile {
  /** Path; absent if it was not recorded. */
  readonly file: string | undefined;
  /** SHA-256 of the file, hexadecimal. */
  readonly digest: string;
}

/** Different encoders may have equal sizes, but give different actions: `theirs` is the encoder of the networks at `place`. */
function checkSameEncoder(place: string, theirs: EncoderFile | undefined, own: EncoderFile | undefined): void {
  if (theirs?.digest === own?.digest) return;
  const message = `The networks in ${place} were trained through ${described(theirs)}, not through ${described(own)}.`;
  const remedy =
    theirs === undefined
      ? 'Leave encoder.frozen out.'
      : 'Put that file back, or name it as encoder.frozen.file where it lies elsewhere now.';
  throw new ReinError('checkpoint', message, { remedy });
}

function described(encoder: EncoderFile | undefined): string {
  if (encoder === undefined) return 'no frozen encoder';
  const { file = 'an encoder', digest } = encoder;
  return `${file} (SHA-256 ${digest.slice(0, 16)})`;
}

/** Creates an empty replay for the agent's algorithm: images in bytes, features in the configured variants, returns if needed. */
export function createReplay({ algorithm, spec }: Pick<Agent, 'algorithm' | 'spec'>): Replay {
  const { parts, config, actionSize } = spec;
  const returns = {
    discount: config.discount,
    reward: ({ reward, cost, tankDrainJ }: { reward: number; cost: number; tankDrainJ: number }) =>
      learnedReward(reward, cost, tankDrainJ, config),
  };
  const { encoder } = config;
  // Pixels are stored in bytes; features need float32.
  const storage = trainedChannels(encoder).length > 0 ? 'uint8' : 'float32';
  const frame = imageStorage(parts, storage, encoder.frozen?.variants);
  return new Replay(totalObservationSize(parts), actionSize, config.replayCapacity, {
    interventions: config.interventions,
    learnsFromBasePhase: config.learnsFromBasePhase,
    ...(frame === undefined ? {} : { frame }),
    ...(algorithm.needsReturns === true ? { returns } : {}),
  });
}
