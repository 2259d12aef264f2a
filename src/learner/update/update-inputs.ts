/** Fills the inputs of training calls from replay and random numbers. */
import { type Rng, totalObservationSize } from '../../model/index.ts';
import { adamStep } from '../engine/optimiser.ts';
import { trainedChannels } from '../options/encoder.ts';
import { cropFrames } from '../replay/crops.ts';
import type { Replay } from '../replay/replay.ts';
import type { BatchColumns } from '../replay/ring.ts';
import { drawBatch, drawSubset } from './batch.ts';
import { learnedReward } from './costs.ts';
import type { DeclaredInput, InputKind } from './input-table.ts';
import type { LearnerSpec } from './spec.ts';
import type { TrainingRandom } from './step.ts';
import type { UpdateGraph } from './update-graph.ts';

/** Inputs of one call by name; the engine owns the arrays, the agent fills them. */
export type InputArrays = Readonly<Record<string, Float32Array | BigInt64Array>>;

/** Allocates the inputs of calls of `updates` updates; in shared memory if requested. */
export function inputArrays(updateGraph: Pick<UpdateGraph, 'inputs'>, updates: number, isShared = false): InputArrays {
  return Object.fromEntries(
    updateGraph.inputs.map(({ name, shape, type }) => {
      const count = shape.reduce((product, size) => product * (size === -1 ? updates : size), 1);
      const bytes = count * (type === 'real' ? 4 : 8);
      const buffer = isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
      return [name, type === 'real' ? new Float32Array(buffer) : new BigInt64Array(buffer)];
    }),
  );
}

/** Data source of a call. */
export interface Draw {
  readonly replay: Replay;
  /** Online transitions that count; 0: demonstrations only. */
  readonly visibleCount: number;
  /** Fraction of each batch from demonstrations. */
  readonly demoFraction: number;
  /** Number of previous calls of this graph, from which the optimisers' step count continues. */
  readonly call: number;
  readonly random: TrainingRandom;
}

/** Fills one set of arrays for calls with `updates` critic updates. The caller keeps ownership of the arrays. */
export class UpdateInputs {
  readonly #spec: LearnerSpec;
  readonly #updates: number;
  readonly #slices: readonly BatchColumns[];
  readonly #discount: Float32Array;
  readonly #isDemo: Float32Array;
  readonly #noise: readonly { readonly kind: 'normal' | 'uniform'; readonly data: Float32Array }[];
  readonly #subsets: readonly { readonly of: number; readonly size: number; readonly data: BigInt64Array }[];
  readonly #numbers: readonly (DeclaredInput & { readonly data: Float32Array })[];

  constructor(updateGraph: Pick<UpdateGraph, 'inputs'>, spec: LearnerSpec, updates: number, arrays: InputArrays) {
    this.#spec = spec;
    this.#updates = updates;
    const { batchSize: B } = spec.config;
    const [K, O, A] = [updates, totalObservationSize(spec.parts), spec.actionSize];
    const column = (name: string, width: number) =>
      (arrays[name] as Float32Array | undefined) ?? new Float32Array(K * B * width);
    this.#slices = slicesOf(K, {
      observation: column('observation', O),
      nextObservation: column('next_observation', O),
      action: column('action', A),
      reward: column('reward', 1),
      filterActivity: column('filter_activity', 1),
      tankDrainJ: column('tank_drain_j', 1),
      bootstrap: new Float32Array(K * B),
      ...(arrays['cost'] === undefined ? {} : { cost: column('cost', 1) }),
      ...(arrays['monte_carlo_return'] === undefined ? {} : { monteCarloReturn: column('monte_carlo_return', 1) }),
      ...(spec.config.nStep === 1
        ? {}
        : { discountPower: new Float32Array(K * B), discountSum: new Float32Array(K * B) }),
    });
    this.#discount = column('discount', 1);
    this.#isDemo = column('is_demo', 1);
    const dataOf = (input: DeclaredInput) => arrays[input.name] as Float32Array;
    this.#noise = updateGraph.inputs.flatMap((input) => {
      const { kind } = input.source;
      return kind === 'normal' || kind === 'uniform' ? [{ kind, data: dataOf(input) }] : [];
    });
    this.#subsets = updateGraph.inputs.flatMap(({ name, source, shape }) =>
      source.kind === 'subset' ? [{ of: source.of, size: shape[1]!, data: arrays[name] as BigInt64Array }] : [],
    );
    this.#numbers = updateGraph.inputs
      .filter(({ source }) => ['planned', 'measured', 'adam'].includes(source.kind))
      .map((input) => ({ ...input, data: dataOf(input) }));
  }

  /** Draws batches, noise and subsets, and sets the planned and measured numbers. */
  fill(draw: Draw): void {
    const { random } = draw;
    for (let k = 0; k < this.#updates; k++) {
      this.#fillSlice(k, draw);
      for (const { of, size, data } of this.#subsets) drawSubset(data, k * size, size, of, random.subset);
    }
    this.#crop(random.noise);
    for (const { kind, data } of this.#noise) {
      if (kind === 'normal') random.noise.fillNormal(data);
      else fillUniform(data, random.noise);
    }
    for (const number of this.#numbers) this.#plan(number, draw);
  }

  #fillSlice(k: number, { replay, visibleCount, demoFraction, random }: Draw): void {
    const { config } = this.#spec;
    const slice = this.#slices[k]!;
    const size = config.batchSize;
    const { nStep: steps, discount } = config;
    const reading = { steps, discount, rng: random.batch };
    const { demonstrations } = drawBatch(slice, replay, visibleCount, demoFraction, random.batch, reading);
    for (let i = 0; i < size; i++) {
      this.#discount[k * size + i] = (slice.discountPower?.[i] ?? discount) * slice.bootstrap[i]!;
      const [reward, activity, drainJ] = [slice.reward[i]!, slice.filterActivity[i]!, slice.tankDrainJ[i]!];
      slice.reward[i] = learnedReward(reward, activity, drainJ, config, slice.discountSum?.[i]);
      this.#isDemo[k * size + i] = i < demonstrations ? 1 : 0;
    }
  }

  /** Shifts every image a little, each independently, so that learning does not depend on single pixels (DrQ). */
  #crop(rng: Rng): void {
    const { parts, config } = this.#spec;
    const { image, stateSize } = parts;
    const { cropPadding } = config.encoder;
    if (image === undefined || cropPadding === 0 || trainedChannels(config.encoder).length === 0) return;
    const column = { image, rowSize: totalObservationSize(parts), offset: stateSize };
    for (const { observation, nextObservation } of this.#slices) {
      cropFrames(observation, config.batchSize, column, cropPadding, rng);
      cropFrames(nextObservation, config.batchSize, column, cropPadding, rng);
    }
  }

  #plan({ source, shape, data }: DeclaredInput & { readonly data: Float32Array }, draw: Draw): void {
    const { call, replay, visibleCount } = draw;
    if (source.kind === 'planned') data[0] = source.plan(call * this.#updates);
    if (source.kind === 'measured') data[0] = source.measure(replay, visibleCount);
    if (source.kind !== 'adam') return;
    const isInner = shape[0] === -1;
    for (let i = 0; i < data.length; i++) {
      const count = isInner ? call * this.#updates + i + 1 : call + 1;
      data[i] = adamNumber(source, count);
    }
  }
}

/** Value of Adam's input at update `count`, from 1. Its steps are counted from the first that changes the parameters. */
export function adamNumber(input: InputKind & { kind: 'adam' }, count: number): number {
  const { number, rate, after = 0, weightDecay = 0 } = input;
  const isLive = count > after;
  if (number === 'live') return isLive ? 1 : 0;
  const { step, epsilon } = adamStep(isLive ? count - after : 1, isLive ? rate : 0);
  if (number === 'kept') return isLive ? 1 - rate * weightDecay : 1;
  return number === 'step' ? step : epsilon;
}

function fillUniform(data: Float32Array, rng: Rng): void {
  for (let i = 0; i < data.length; i++) data[i] = rng.uniform();
}

/** Views of `columns` for each of `count` consecutive batches in them. */
function slicesOf(count: number, columns: BatchColumns): BatchColumns[] {
  return Array.from({ length: count }, (_, k) => {
    const part = (data: Float32Array) => data.subarray((data.length / count) * k, (data.length / count) * (k + 1));
    return Object.fromEntries(
      Object.entries(columns).map(([name, data]) => [name, part(data)]),
    ) as unknown as BatchColumns;
  });
}
