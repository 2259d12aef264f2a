/**
 * One training: transitions go into replay as the learner sees them, and pay for updates. Who brings them, and when it is
 * evaluated, published or kept, is its owner's business: a service that robots connect to, or a trial with its environment.
 */
import { type ActionRange, ReinError, sha256Hex, type Transition, totalObservationSize } from '../core/index.ts';
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

/** What became of a transition. */
export interface Taken {
  readonly outcome: 'accepted' | DropReason;
  /** As the learner sees it: behind the encoder, where there is one. */
  readonly transition: Transition;
}

/** A training call that was done. */
export interface TrainingCall extends UpdateMetrics {
  /** Online transitions that it saw: the first so many. */
  readonly visible: number;
}

/** What pre-training did, by phase. */
export type Pretraining = Readonly<Record<'cloning' | 'offline', PretrainingReport>>;

/** As `OnPretrained`, with the phase. */
type OnPretraining = (phase: keyof Pretraining, ...done: Parameters<OnPretrained>) => ReturnType<OnPretrained>;

/** Calls must be awaited one at a time, but for `take`, which may be called at any moment. */
export class Training {
  readonly agent: Agent;
  /** The frozen encoder that observations pass through before anything is learned from them. */
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
   * Opens the encoder and builds the networks, freshly initialised, for what the task's observation is made of. Rejects with `RangeError` where the settings do not work with
   * such observations, with `ReinError` where the encoder cannot be had.
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

  /** Where transitions go. Nothing is kept for it before it is asked for. */
  get replay(): Replay {
    this.#replay ??= createReplay(this.agent);
    return this.#replay;
  }

  /** Critic updates of this training, refused ones included: what the contract counts. */
  get updates(): number {
    return this.agent.updates - this.#updatesBefore;
  }

  /** Updates that a training did which this one has begun with. */
  get updatesBefore(): number {
    return this.#updatesBefore;
  }

  /** Empties replay. */
  forget(): void {
    this.#replay = undefined;
  }

  /**
   * Adds `transition` to replay as the learner sees it; where there is an encoder, in the order of the calls, and rejecting as that
   * does. Nothing of one `robot` continues another's. `isLeftOut`: it counts, and no update draws it.
   */
  take(transition: Transition, robot?: string, isLeftOut = false): Taken | Promise<Taken> {
    const whose = { isLeftOut, ...(robot === undefined ? {} : { robot }) };
    if (this.encoder === undefined) return { outcome: this.replay.add(transition, whose), transition };
    return this.encoder.take(transition).then(({ transition: seen, frames }) => {
      return { outcome: this.replay.add(seen, { ...whose, frames }), transition: seen };
    });
  }

  /** Pre-trains on the demonstrations in replay, phase after phase: see `Agent.pretrain` and `Agent.pretrainOffline`. `onCall`: see `OnPretrained`. */
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

  /** One training call; `undefined` where the transitions so far do not pay for it. */
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

  /** Online transitions that the updates so far have seen, however many more have come. */
  get seenSteps(): number {
    return this.updates === 0 ? 0 : this.contract.visibleTo(this.updates);
  }

  /** A copy of everything that it continues from, apart from replay. */
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
   * Continues from `state`, which was found at `place`: with the same replay, the next updates are the same bit for bit.
   * `updatesBefore` as it was then. Rejects with `ReinError` ('checkpoint') where it does not fit.
   */
  async restore(place: string, state: TrainingState, updatesBefore = 0): Promise<void> {
    this.#checkFit(place, state, this.agent.config.encoder.frozen?.file);
    await this.agent.restore(state.agent);
    this.#updatesBefore = updatesBefore;
  }

  /**
   * Begins with the networks and optimisers of `state`, which another training left at `place`, its frozen encoder being
   * `encoderFile`. Random numbers stay its own; updates and refused calls of that one are not counted. Rejects as `restore` does.
   */
  async beginWith(place: string, state: TrainingState, encoderFile: string | undefined): Promise<void> {
    this.#checkFit(place, state, encoderFile);
    const { rng } = await this.agent.snapshot();
    await this.agent.restore({ ...state.agent, rng, refusedCalls: 0 });
    this.#updatesBefore = this.agent.updates;
  }

  /** The policy as a model file that stands alone, the encoder inside: see `Agent.exportPolicy`. */
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

/** A frozen encoder, as it is distinguished from others. */
interface EncoderFile {
  /** Its path; absent where nobody has written it down. */
  readonly file: string | undefined;
  /** SHA-256 of the file, hexadecimal. */
  readonly digest: string;
}

/** Sizes may be the same where encoders are not, actions are not: `theirs` is what the networks at `place` have learned through. */
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

/** An empty replay that keeps what the agent's algorithm needs: images in bytes, features in as many variants as are asked for, returns to the end of the episode. */
export function createReplay({ algorithm, spec }: Pick<Agent, 'algorithm' | 'spec'>): Replay {
  const { parts, config, actionSize } = spec;
  const returns = {
    discount: config.discount,
    reward: ({ reward, cost, tankDrainJ }: { reward: number; cost: number; tankDrainJ: number }) =>
      learnedReward(reward, cost, tankDrainJ, config),
  };
  const { encoder } = config;
  // Pixels are kept in bytes; features are not made of 256 steps.
  const storage = trainedChannels(encoder).length > 0 ? 'uint8' : 'float32';
  const frame = imageStorage(parts, storage, encoder.frozen?.variants);
  return new Replay(totalObservationSize(parts), actionSize, config.replayCapacity, {
    interventions: config.interventions,
    learnsFromBasePhase: config.learnsFromBasePhase,
    ...(frame === undefined ? {} : { frame }),
    ...(algorithm.needsReturns === true ? { returns } : {}),
  });
}
