/** Behaviour cloning of an actor on what the demonstration buffer holds. */
import type { Rng } from '../../core/index.ts';
import { adamStep, Bindings, PingPongState, Session } from '../engine/index.ts';
import type { Replay } from '../replay/index.ts';
import { buildCloningGraph, cloningStateParts } from './bc-graph.ts';
import type { LearnerConfig } from './config.ts';
import type { NetworkSpec } from './networks.ts';
import { drawBatch } from './rlpd.ts';

/** Steps per call of the runtime. */
const STEPS_PER_CALL = 50;

export interface CloningReport {
  readonly steps: number;
  /** Mean loss over the first and the last calls of the runtime. */
  readonly firstLoss: number;
  readonly lastLoss: number;
}

/**
 * Trains `actor` (flat parameters, changed in place) for `config.bcInitSteps` steps on the demonstrations that are
 * visible before training. Leaves it as it was, and returns zero steps, where there are none or a loss is not finite.
 */
export async function cloneDemonstrations(
  actor: Float32Array,
  spec: NetworkSpec,
  config: LearnerConfig,
  replay: Replay,
  rng: Rng,
): Promise<CloningReport> {
  const none = { steps: 0, firstLoss: Number.NaN, lastLoss: Number.NaN };
  const range = replay.visible(0).demonstrations;
  if (range.to === range.from || config.bcInitSteps === 0) return none;
  const session = await Session.create(buildCloningGraph(spec, config).serialize(), config.threads);
  try {
    const state = new PingPongState(cloningStateParts(spec));
    state.part('actor').set(actor);
    const call = new CloningCall(spec, config);
    const losses: number[] = [];
    for (let done = 0; done < config.bcInitSteps; done += STEPS_PER_CALL) {
      call.fill(replay, done, rng);
      await session.run([state.inputs, call.inputs], [state.outputs, call.outputs]);
      const loss = call.meanLoss();
      if (!Number.isFinite(loss)) return none;
      state.commit();
      losses.push(loss);
    }
    actor.set(state.part('actor'));
    return { steps: losses.length * STEPS_PER_CALL, firstLoss: losses[0]!, lastLoss: losses.at(-1)! };
  } finally {
    await session.close();
  }
}

class CloningCall {
  readonly inputs: Bindings = new Bindings();
  readonly outputs: Bindings = new Bindings();
  readonly #config: LearnerConfig;
  readonly #observation: Float32Array;
  readonly #action: Float32Array;
  readonly #unused: Float32Array;
  readonly #step: Float32Array = new Float32Array(STEPS_PER_CALL);
  readonly #epsilon: Float32Array = new Float32Array(STEPS_PER_CALL);
  readonly #losses: Float32Array = new Float32Array(STEPS_PER_CALL * 2);

  constructor(spec: NetworkSpec, config: LearnerConfig) {
    this.#config = config;
    const [K, B, O, A] = [STEPS_PER_CALL, config.batchSize, spec.observationSize, spec.actionSize];
    this.#observation = new Float32Array(K * B * O);
    this.#action = new Float32Array(K * B * A);
    this.#unused = new Float32Array(B * O);
    this.inputs.set('observation', this.#observation, [K, B, O]);
    this.inputs.set('action', this.#action, [K, B, A]);
    this.inputs.set('actor_step', this.#step, [K]);
    this.inputs.set('actor_epsilon', this.#epsilon, [K]);
    this.inputs.set('updates', BigInt64Array.of(BigInt(K)), []);
    this.outputs.set('losses', this.#losses, [K, 2]);
  }

  fill(replay: Replay, done: number, rng: Rng): void {
    const B = this.#config.batchSize;
    const [O, A] = [this.#observation.length / STEPS_PER_CALL, this.#action.length / STEPS_PER_CALL];
    const unused = new Float32Array(B);
    for (let k = 0; k < STEPS_PER_CALL; k++) {
      const batch = {
        observation: this.#observation.subarray(k * O, (k + 1) * O),
        action: this.#action.subarray(k * A, (k + 1) * A),
        nextObservation: this.#unused,
        reward: unused,
        filterActivity: unused,
        tankDrainJ: unused,
        bootstrap: unused,
      };
      drawBatch(batch, replay, 0, 1, rng);
      const { step, epsilon } = adamStep(done + k + 1, this.#config.learningRateBc);
      this.#step[k] = step;
      this.#epsilon[k] = epsilon;
    }
  }

  /** NaN where anything was not finite. */
  meanLoss(): number {
    let sum = 0;
    for (let k = 0; k < STEPS_PER_CALL; k++) {
      if (!Number.isFinite(this.#losses[2 * k + 1])) return Number.NaN;
      sum += this.#losses[2 * k]!;
    }
    return sum / STEPS_PER_CALL;
  }
}
