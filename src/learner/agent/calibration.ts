/** Realised returns of finished episodes, for comparison with the critics' values. */
import type { Transition } from '../../rows/index.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import { type CostWeights, learnedReward } from '../update/costs.ts';

/** Steps sampled per episode, evenly spaced from its first to its last. */
const SAMPLES = 6;
/** Memory bounds: longer episodes are discarded, and so is the robot that has been silent longest. */
const MAX_STEPS = 4096;
const MAX_ROBOTS = 16;

/** Episodes to collect: of training, or demonstrations. */
export type ReturnsOf = 'training' | 'demonstrations';

/** n ≤ 6 steps of one episode with their returns. The caller owns the arrays. */
export interface EpisodeReturns {
  /** [n, O] */
  readonly observations: Float32Array;
  /** [n, A] executed actions. */
  readonly actions: Float32Array;
  /** [n] Σ γᵏ·r, costs deducted, from the step to the end of the episode. Without entropy bonus, even if the critics learn one. */
  readonly returns: Float32Array;
}

interface Episode {
  readonly epoch: number;
  readonly episode: number;
  readonly observations: Float32Array[];
  readonly actions: Float32Array[];
  readonly rewards: number[];
}

/**
 * Collects episodes as their transitions arrive. Only complete episodes that the task itself terminated are used: the return of
 * a truncated one is unknown, and that of one with a missing step would be wrong.
 *
 * @example
 * const done = realised.collect(transition, robotId);
 * if (done !== undefined) pair(await agent.criticValues(done.observations, done.actions), done.returns);
 */
export class RealisedReturns {
  readonly #discount: number;
  readonly #costs: CostWeights;
  readonly #of: ReturnsOf;
  readonly #open: Map<string, Episode> = new Map();

  /** `config`: γ per policy step, and the costs deducted from the rewards, as in the critics' targets. */
  constructor(config: CostWeights & Pick<LearnerConfig, 'discount'>, of: ReturnsOf = 'training') {
    this.#of = of;
    this.#discount = config.discount;
    this.#costs = config;
  }

  /**
   * Takes the next transition of a robot, which is copied; transitions of the other kind are ignored. Returns samples of the
   * episode that it completes, if that episode counts. `robotId` separates robots whose transitions are interleaved.
   */
  collect(transition: Transition, robotId = ''): EpisodeReturns | undefined {
    const t = transition;
    if ((t.source === 'demo') !== (this.#of === 'demonstrations')) return undefined;
    const episode = t.step === 0 ? begin(t) : this.#open.get(robotId);
    this.#open.delete(robotId);
    if (episode === undefined || !isNext(episode, t)) return undefined;
    episode.observations.push(t.observation.slice());
    episode.actions.push(t.executed.slice());
    episode.rewards.push(learnedReward(t.reward, t.cost, t.tankDrainJ, this.#costs));
    if (t.terminated) return sample(episode, this.#discount);
    if (!t.truncated) this.#keep(robotId, episode);
    return undefined;
  }

  /** Insertion order: the most recent robot is last, the one silent longest first. */
  #keep(robotId: string, episode: Episode): void {
    this.#open.set(robotId, episode);
    if (this.#open.size <= MAX_ROBOTS) return;
    for (const oldest of this.#open.keys()) {
      this.#open.delete(oldest);
      return;
    }
  }
}

function begin({ epoch, episode }: Transition): Episode {
  return { epoch, episode, observations: [], actions: [], rewards: [] };
}

function isNext({ epoch, episode, rewards }: Episode, t: Transition): boolean {
  return t.epoch === epoch && t.episode === episode && t.step === rewards.length && t.step < MAX_STEPS;
}

function sample({ observations, actions, rewards }: Episode, discount: number): EpisodeReturns {
  const returns = new Float64Array(rewards.length);
  let following = 0;
  for (let i = rewards.length - 1; i >= 0; i--) {
    following = rewards[i]! + discount * following;
    returns[i] = following;
  }
  const count = Math.min(SAMPLES, rewards.length);
  const spacing = count === 1 ? 0 : (rewards.length - 1) / (count - 1);
  const steps = Array.from({ length: count }, (_, i) => Math.round(i * spacing));
  return {
    observations: rows(observations, steps),
    actions: rows(actions, steps),
    returns: Float32Array.from(steps, (step) => returns[step]!),
  };
}

function rows(all: readonly Float32Array[], steps: readonly number[]): Float32Array {
  const width = all[0]!.length;
  const out = new Float32Array(steps.length * width);
  steps.forEach((step, i) => {
    out.set(all[step]!, i * width);
  });
  return out;
}
