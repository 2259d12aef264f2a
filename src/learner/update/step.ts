/**
 * One update while it is written as a graph: an algorithm reads (batches, networks, noise) and acts (minimises a loss, moves a
 * target, reports a number). Each kind of input is declared where it is used, and filled by
 * `UpdateInputs` in every call.
 */
import { type Rng, totalObservationSize } from '../../model/index.ts';
import type { Graph, Shape, Tensor } from '../engine/graph.ts';
import { adam, clipNorm, polyak } from '../engine/optimiser.ts';
import type { Packed } from '../engine/packed.ts';
import type { Parameters } from '../engine/parameters.ts';
import { add, mul, sqrt, stopGradient } from '../ops/elements.ts';
import { gatherRows, reshape, rowAt } from '../ops/shape.ts';
import { gradientNormName, gradientsOf } from './gradients.ts';
import type { InputKind, InputTable, Measure } from './input-table.ts';
import { criticInput, ENCODER, type ObservationEncoding, policyInput, STATISTICS } from './network-inputs.ts';
import type { LearnerSpec, NetworkDef } from './spec.ts';

/** Observations of a batch: current or next. */
export type BatchOf = 'observation' | 'next_observation';

/** Position of an update in a call: inside the loop over critic updates, after it, or before it for all updates at once. */
export type StepPlace = 'inner' | 'outer' | 'ahead';

/** Options of `minimise`. */
export interface MinimiseOptions {
  /** Adam's step size. */
  readonly rate: number;
  /** Updates before the first one: until then parameters and Adam's moments stay unchanged. Absent: none. */
  readonly after?: number;
  /** Decoupled weight decay, times the rate of each update. */
  readonly weightDecay?: number;
  /** Gradients longer than this are scaled down to it; 0 or absent: never. */
  readonly clip?: number;
  /** Parameters that stay unchanged. */
  readonly frozen?: readonly string[];
  /**
   * True if the loss also trains the image encoder, if there is one; its slow copy then follows at once. `encoderAfter`: updates
   * before the encoder's first one, as for `after`.
   */
  readonly trainsEncoder?: boolean;
  readonly encoderAfter?: number;
}

/** Context of a step; created by `buildUpdateGraph`. */
export interface StepContext {
  readonly place: StepPlace;
  readonly root: Graph;
  readonly inputs: InputTable;
  /** Index of the update in this call, int64 scalar: its row of the inputs. */
  readonly index: Tensor;
  readonly networks: ReadonlyMap<string, NetworkDef>;
  /** Current value of every part of the state; `minimise` and similar calls replace entries. */
  readonly state: Map<string, Packed>;
}

export class Step {
  readonly spec: LearnerSpec;
  /** Names of the replaced parts of the state. */
  readonly changed: Set<string> = new Set();
  readonly #context: StepContext;
  readonly #unpacked: Map<Packed, Parameters> = new Map();
  readonly #reported: Map<string, Tensor> = new Map();
  /** Squared gradient norm of each minimised network, before clipping. */
  readonly #squaredNorms: Map<string, Tensor> = new Map();

  constructor(spec: LearnerSpec, context: StepContext) {
    this.spec = spec;
    this.#context = context;
  }

  /**
   * Values by name, each of one element: the reported ones, in order, and the gradient norm of every minimised network.
   * A call is only accepted if all its metrics are finite, so no network may be omitted. Adds nodes: call once per graph.
   */
  metrics(): ReadonlyMap<string, Tensor> {
    const norms = [...this.#squaredNorms].map(([network, squared]) => {
      return [gradientNormName(network), reshape(sqrt(squared), [1])] as const;
    });
    return new Map([...this.#reported, ...norms]);
  }

  /** Graph in which to create constants. */
  get graph(): Graph {
    return this.#context.root;
  }

  /** B: batch size. */
  get batchSize(): number {
    return this.spec.config.batchSize;
  }

  /** [B, A] executed actions, normalised. */
  get action(): Tensor {
    return this.column('action', this.spec.actionSize);
  }

  /** [B, 1] rewards, scaled, costs deducted; with n-step returns Σ γⁱ·r over the steps that the row spans. */
  get reward(): Tensor {
    return this.column('reward', 1);
  }

  /** [B, 1] γᵏ·m: discount of the value of the next observation, 0 where the task terminated the episode. */
  get discount(): Tensor {
    return this.column('discount', 1);
  }

  /**
   * [B, 1] 1 for rows drawn from the demonstration buffer, which also holds intervention steps; 0 for rows drawn from the online
   * buffer, including those that an operator decided.
   */
  get isDemo(): Tensor {
    return this.column('is_demo', 1);
  }

  /**
   * Critic input for the batch's observations, or its next ones: [B, `criticInputSize`]. Images pass through the trained encoder,
   * with a gradient, or through its slow copy.
   */
  criticInput(of: BatchOf, encoding: 'online' | 'target' = 'online'): Tensor {
    return criticInput(this.spec, this.#observation(of), this.#encoding(encoding));
  }

  /**
   * Policy input for them: without privileged numbers, and without a gradient to the image encoder, which critics train;
   * `trainsEncoder` for cloning, where there are no critics, `target` through the encoder's slow copy.
   */
  policyInput(of: BatchOf, encoding: 'fixed' | 'trainsEncoder' | 'target' = 'fixed'): Tensor {
    const given = this.#encoding(encoding === 'target' ? 'target' : 'online');
    const input = policyInput(this.spec, this.#observation(of), given);
    return encoding === 'trainsEncoder' ? input : stopGradient(input);
  }

  /** [B, O] stored observations of the batch: neither normalised nor encoded. */
  get storedObservation(): Tensor {
    return this.#observation('observation');
  }

  /** A column of the batch, [B, width]. */
  column(name: string, width: number): Tensor {
    return this.#row(name, [this.batchSize, width], { kind: 'column', name });
  }

  /** Fresh noise ~ N(0, 1) of `shape`, as an input `name`. */
  normal(name: string, shape: Shape): Tensor {
    return this.#perUpdate(name, shape, { kind: 'normal' });
  }

  /** Fresh numbers, uniform in [0, 1). */
  uniform(name: string, shape: Shape): Tensor {
    return this.#perUpdate(name, shape, { kind: 'uniform' });
  }

  /** A scheduled number: `plan` maps the number of updates before this call to it. */
  planned(name: string, plan: (updates: number) => number): Tensor {
    return this.#context.inputs.declare(name, [], 'real', { kind: 'planned', plan });
  }

  /** A number computed from the replay when a call is filled: independent of how fast transitions arrive. */
  measured(name: string, measure: Measure): Tensor {
    return this.#context.inputs.declare(name, [], 'real', { kind: 'measured', measure });
  }

  /** Current parameters of `network`: [...shape], or [members, ...shape]. */
  online(network: string): Parameters {
    return this.#parametersOf(network, this.#packed(network));
  }

  /** The slow copy of `network`. */
  target(network: string): Parameters {
    return this.#parametersOf(network, this.#packed(`${network}_target`));
  }

  /** `count` members of the slow copy of `network`, drawn without replacement for this update; all if there are no more. */
  targetSubset(network: string, count: number): Parameters {
    const { members = 1 } = this.#definition(network);
    if (count >= members) return this.target(network);
    const name = network === 'critic' ? 'subset' : `${network}_subset`;
    const drawn = this.#row(name, [count], { kind: 'subset', of: members }, 'int64');
    const all = this.#packed(`${network}_target`);
    return all.with(all.tensors.map((tensor) => gatherRows(tensor, drawn))).unpack();
  }

  /**
   * Applies `build` to each row of the batch. Inside the loop, if it reads nothing that the loop changes, it is computed for the
   * rows of all updates at once before the loop: large products, and a fraction of the nodes. `build` must treat every row alike
   * and independently, and read only from the step that it receives; each tensor of its result is [B, n], and no gradient flows
   * through it.
   */
  ahead<T extends Readonly<Record<string, Tensor>>>(build: (step: Step) => T): T {
    const { place, networks, index } = this.#context;
    // Images of all updates at once would not fit in memory.
    if (place !== 'inner' || networks.has(ENCODER)) return build(this);
    const all = build(new Step(this.spec, { ...this.#context, place: 'ahead' }));
    if (Object.values(all).some((tensor) => tensor.graph.depth > 0)) return build(this);
    const rows = Object.entries(all).map(([name, x]) => [name, rowAt(regrouped(x, [-1, ...x.shape]), index)]);
    return Object.fromEntries(rows) as T;
  }

  /** Current value of a part of the state. */
  part(name: string): Tensor {
    return this.#packed(name).joined();
  }

  /** Replaces values of the state. */
  assign(name: string, value: Tensor): void {
    const { tensors } = this.#packed(name);
    if (tensors.length > 1) throw new RangeError(`"${name}" is too large to be assigned: it is in several tensors`);
    this.#replace(name, [reshape(value, tensors[0]!.shape)]);
  }

  /**
   * One step of AdamW on the parameters of `network` with the gradient of `loss` (one element). Reports the gradient norm before
   * clipping.
   */
  minimise(network: string, loss: Tensor, options: MinimiseOptions): void {
    const trainsEncoder = options.trainsEncoder === true && this.#context.networks.has(ENCODER);
    const names = trainsEncoder ? [network, ENCODER] : [network];
    // A single backward pass for all: two would write, and compute, shared nodes twice.
    const wanted = names.map((name) => ({
      parameters: this.online(name),
      packed: this.#packed(name),
      frozen: name === network ? options.frozen : undefined,
    }));
    const gradients = gradientsOf(loss, wanted);
    for (const [i, name] of names.entries()) {
      const after = name === network ? options.after : options.encoderAfter;
      this.#descend(name, gradients[i]!, { ...options, after: after ?? 0 });
    }
    if (trainsEncoder) this.follow(ENCODER);
  }

  #descend(network: string, gradient: Packed, options: MinimiseOptions & { readonly after: number }): void {
    const { rate, after: waits } = options;
    const { clipped, squaredNorm } = clipNorm(gradient.tensors, options.clip ?? 0);
    const [parameters, first, second] = [network, `${network}_first`, `${network}_second`].map((name) =>
      this.#packed(name),
    ) as [Packed, Packed, Packed];
    const [step, epsilon] = (['step', 'epsilon'] as const).map((number) =>
      this.#perUpdate(`${network}_${number}`, [], { kind: 'adam', number, rate, after: waits }),
    ) as [Tensor, Tensor];
    // Moments of gradients from before the first step would affect it.
    const live =
      waits === 0 ? 1 : this.#perUpdate(`${network}_live`, [], { kind: 'adam', number: 'live', rate, after: waits });
    const known = this.#squaredNorms.get(network);
    this.#squaredNorms.set(network, known === undefined ? squaredNorm : add(known, squaredNorm));
    const kept = this.#kept(network, options);
    const after = clipped.map((part, i) => {
      const before = { parameters: parameters.tensors[i]!, first: first.tensors[i]!, second: second.tensors[i]! };
      return adam(before, live === 1 ? part : mul(part, live), step, epsilon, kept);
    });
    this.#replace(
      network,
      after.map((state) => state.parameters),
    );
    this.#replace(
      `${network}_first`,
      after.map((state) => state.first),
    );
    this.#replace(
      `${network}_second`,
      after.map((state) => state.second),
    );
  }

  /** Factor of weight decay on the parameters in one step. */
  #kept(network: string, { rate, after = 0, weightDecay = 0 }: MinimiseOptions): number | Tensor {
    if (weightDecay === 0) return 1;
    if (after === 0) return 1 - rate * weightDecay;
    return this.#perUpdate(`${network}_kept`, [], { kind: 'adam', number: 'kept', rate, after, weightDecay });
  }

  /** Moves the slow copy of `network` towards it: target ← target + rate·(online − target). */
  follow(network: string, rate: number = this.spec.config.targetRate): void {
    const [online, target] = [this.#packed(network), this.#packed(`${network}_target`)];
    this.#replace(
      `${network}_target`,
      target.tensors.map((tensor, i) => polyak(tensor, online.tensors[i]!, rate)),
    );
  }

  /** Reports `value`, of one element, as `name`. */
  report(name: string, value: Tensor): void {
    this.#reported.set(name, reshape(value, [1]));
  }

  #observation(of: BatchOf): Tensor {
    return this.column(of, totalObservationSize(this.spec.parts));
  }

  #encoding(encoding: 'online' | 'target'): ObservationEncoding {
    const isNormalised = this.spec.config.normaliseObservations;
    const hasEncoder = this.#context.networks.has(ENCODER);
    return {
      mean: isNormalised ? this.part(STATISTICS.mean) : undefined,
      scale: isNormalised ? this.part(STATISTICS.scale) : undefined,
      encoder: hasEncoder ? this[encoding](ENCODER) : undefined,
    };
  }

  #parametersOf(network: string, packed: Packed): Parameters {
    let parameters = this.#unpacked.get(packed);
    if (parameters === undefined) {
      parameters = packed.tensors[0]!.graph.layer(network, () => packed.unpack());
      this.#unpacked.set(packed, parameters);
    }
    return parameters;
  }

  #packed(name: string): Packed {
    const packed = this.#context.state.get(name);
    if (packed === undefined) throw new RangeError(`the algorithm has no network or numbers named "${name}"`);
    return packed;
  }

  #replace(name: string, tensors: readonly Tensor[]): void {
    this.#context.state.set(name, this.#packed(name).with(tensors));
    this.changed.add(name);
  }

  #definition(network: string): NetworkDef {
    const found = this.#context.networks.get(network);
    if (found === undefined) throw new RangeError(`the algorithm has no network named "${network}"`);
    return found;
  }

  /** This update's row of an input that has one row per update of a call, also after the loop. */
  #row(name: string, shape: Shape, kind: InputKind, type: 'real' | 'int64' = 'real'): Tensor {
    const { inputs, index, place } = this.#context;
    const rows = inputs.declare(name, [-1, ...shape], type, kind);
    if (place !== 'ahead') return rowAt(rows, index);
    if (shape[0] !== this.batchSize)
      throw new RangeError(`"${name}" has no rows of the batch: it cannot be used ahead`);
    return regrouped(rows, shape);
  }

  /** An input of this update: a row inside the loop, a separate input after it. */
  #perUpdate(name: string, shape: Shape, kind: InputKind): Tensor {
    if (this.#context.place !== 'outer') return this.#row(name, shape, kind);
    return this.#context.inputs.declare(name, shape, 'real', kind);
  }
}

/**
 * Reshapes the rows of all updates to one batch, or back with a leading −1. Their number is known only when the graph
 * runs: `shape` is that of one update, which suffices for operations on rows.
 */
function regrouped(x: Tensor, shape: Shape): Tensor {
  return x.graph.emit('Reshape', [x, x.graph.integers([-1, ...shape.slice(1)])], shape, { type: x.type });
}

/** Random generators of an update, one per purpose: a new consumer never shifts the numbers of another. */
export interface TrainingRandom {
  readonly batch: Rng;
  readonly noise: Rng;
  readonly subset: Rng;
}
