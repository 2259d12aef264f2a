/**
 * One training call as one graph: `updates` critic updates in a loop, then one update of actor and temperature
 * on the last batch. Reads and replaces the state parts of `stateParts`.
 */
import {
  type AdamState,
  adam,
  add,
  clipNorm,
  concat,
  Graph,
  gatherRows,
  gradients,
  mul,
  type ParameterLayout,
  type Parameters,
  pack,
  polyak,
  type RealType,
  reduceMean,
  reshape,
  rowAt,
  type StatePart,
  type Tensor,
  unpack,
} from '../engine/index.ts';
import { cloningLoss } from './bc.ts';
import type { LearnerConfig } from './config.ts';
import { actor, actorLayout, criticLayout, critics, type NetworkSpec } from './networks.ts';
import {
  actorLoss,
  criticLoss,
  criticTarget,
  entropyOf,
  floorTemperature,
  temperature,
  temperatureLoss,
} from './sac.ts';
import { sampleTanhGaussian } from './tanh-gaussian.ts';

/** What one critic update reports, in the order of the columns of output `critic_metrics` [updates, 5]. */
export const CRITIC_METRICS = ['criticLoss', 'qMean', 'targetMean', 'tdErrorAbs', 'criticGradientSquared'] as const;
/** What the actor update reports, in the order of output `actor_metrics` [6]. */
export const ACTOR_METRICS = [
  'actorLoss',
  'entropy',
  'temperature',
  'actorGradientSquared',
  'policyValue',
  'cloningLoss',
] as const;

/** The learner's whole state, in the order of a checkpoint. */
export function stateParts(spec: NetworkSpec, config: LearnerConfig): StatePart[] {
  const critic = [config.critics, criticLayout(spec).size];
  const policy = [actorLayout(spec).size];
  return [
    { name: 'actor', shape: policy },
    { name: 'actor_first', shape: policy },
    { name: 'actor_second', shape: policy },
    { name: 'critic', shape: critic },
    { name: 'critic_first', shape: critic },
    { name: 'critic_second', shape: critic },
    { name: 'critic_target', shape: critic },
    { name: 'temperature', shape: [1] },
    { name: 'temperature_first', shape: [1] },
    { name: 'temperature_second', shape: [1] },
  ];
}

/** Builds the training graph for RLPD's update; float64 is for checks against a reference. */
export function buildUpdateGraph(spec: NetworkSpec, config: LearnerConfig, real: RealType = 'float32'): Graph {
  const g = new Graph('update', real);
  const policyLayout = actorLayout(spec);
  const batch = batchInputs(g, spec, config);
  const state = Object.fromEntries(stateParts(spec, config).map(({ name, shape }) => [name, g.input(name, shape)]));
  const policy = unpack(state['actor']!, policyLayout);
  const alpha = temperature(state['temperature']!);

  const before = ['critic', 'critic_first', 'critic_second', 'critic_target'].map((name) => state[name]!);
  const trained = g.loop(g.input('updates', [], 'int64'), before, (_, i, carried) => {
    const [parameters, first, second, target] = carried as [Tensor, Tensor, Tensor, Tensor];
    return updateCritics(spec, config, { parameters, first, second }, target, policy, alpha, batch, i);
  });
  ['critic_next', 'critic_first_next', 'critic_second_next', 'critic_target_next'].forEach((name, i) => {
    g.output(name, trained.carried[i]!);
  });
  g.output('critic_metrics', trained.stacked[0]!);

  updateActor(g, spec, config, state, policy, alpha, trained.carried[0]!, batch);
  return g;
}

type State = Readonly<Record<string, Tensor>>;

interface Batch {
  readonly observation: Tensor;
  readonly action: Tensor;
  readonly reward: Tensor;
  readonly discount: Tensor;
  readonly nextObservation: Tensor;
  readonly nextNoise: Tensor;
  readonly subset: Tensor | undefined;
  readonly step: Tensor;
  readonly epsilon: Tensor;
}

function batchInputs(g: Graph, spec: NetworkSpec, config: LearnerConfig): Batch {
  const [B, O, A] = [config.batchSize, spec.observationSize, spec.actionSize];
  return {
    observation: g.input('observation', [-1, B, O]),
    action: g.input('action', [-1, B, A]),
    reward: g.input('reward', [-1, B, 1]),
    discount: g.input('discount', [-1, B, 1]),
    nextObservation: g.input('next_observation', [-1, B, O]),
    nextNoise: g.input('next_noise', [-1, B, A]),
    subset: config.criticSubset < config.critics ? g.input('subset', [-1, config.criticSubset], 'int64') : undefined,
    step: g.input('critic_step', [-1]),
    epsilon: g.input('critic_epsilon', [-1]),
  };
}

function updateCritics(
  spec: NetworkSpec,
  config: LearnerConfig,
  state: AdamState,
  target: Tensor,
  policy: Parameters,
  alpha: Tensor,
  batch: Batch,
  i: Tensor,
) {
  const layout = criticLayout(spec);
  const nextObservation = rowAt(batch.nextObservation, i);
  const next = actor(policy, spec, nextObservation);
  const drawn = sampleTanhGaussian(next.mean, next.logStd, rowAt(batch.nextNoise, i));
  const members = batch.subset === undefined ? target : gatherRows(target, rowAt(batch.subset, i));
  const targetValues = critics(unpack(members, layout), spec, nextObservation, drawn.action);
  const entropy = config.entropyInTarget ? { temperature: alpha, logProbability: drawn.logProbability } : undefined;
  const y = criticTarget(rowAt(batch.reward, i), rowAt(batch.discount, i), targetValues, entropy);

  const parameters = unpack(state.parameters, layout);
  const values = critics(parameters, spec, rowAt(batch.observation, i), rowAt(batch.action, i));
  const { loss, absoluteError } = criticLoss(values, y);
  const gradient = gradientOf(loss, parameters, layout);
  const { clipped, squaredNorm } = clipNorm(gradient, config.gradientClip);
  const decay = config.weightDecay * config.learningRateCritic;
  const stepped = adam(state, clipped, rowAt(batch.step, i), rowAt(batch.epsilon, i), decay);
  const metrics = [loss, reduceMean(values), reduceMean(y), absoluteError, squaredNorm];
  return {
    carried: [stepped.parameters, stepped.first, stepped.second, polyak(target, stepped.parameters, config.targetRate)],
    stacked: [scalars(metrics)],
  };
}

function updateActor(
  g: Graph,
  spec: NetworkSpec,
  config: LearnerConfig,
  state: State,
  policy: Parameters,
  alpha: Tensor,
  critic: Tensor,
  batch: Batch,
): void {
  const last = g.input('last', [], 'int64');
  const observation = rowAt(batch.observation, last);
  const { mean, logStd } = actor(policy, spec, observation);
  const drawn = sampleTanhGaussian(mean, logStd, g.input('noise', [config.batchSize, spec.actionSize]));
  const values = critics(unpack(critic, criticLayout(spec)), spec, observation, drawn.action);
  const { loss, value } = actorLoss(drawn.logProbability, values, alpha, config.criticAggregation);
  let [total, cloning] = [loss, g.constant([0], [1])];
  if (config.bcAuxWeight > 0) {
    cloning = cloningLoss(mean, rowAt(batch.action, last), g.input('is_demo', [config.batchSize, 1]));
    total = add(loss, mul(cloning, g.input('cloning_weight', [])));
  }
  const { clipped, squaredNorm } = clipNorm(gradientOf(total, policy, actorLayout(spec)), config.gradientClip);
  const stepped = stepOf(g, state, 'actor', clipped, config.weightDecay * config.learningRateActor);
  g.output('actor_next', stepped);
  const entropy = entropyOf(drawn.logProbability);
  updateTemperature(g, spec, config, state, entropy);
  g.output('actor_metrics', scalars([loss, entropy, alpha, squaredNorm, value, cloning]));
}

function updateTemperature(g: Graph, spec: NetworkSpec, config: LearnerConfig, state: State, entropy: Tensor): void {
  const logAlpha = state['temperature']!;
  const loss = temperatureLoss(logAlpha, entropy, config.targetEntropyPerDimension * spec.actionSize);
  const stepped = stepOf(g, state, 'temperature', gradients(loss, [logAlpha])[0]!, 0);
  g.output('temperature_next', floorTemperature(stepped, config.minTemperature));
}

/** One step of Adam on part `name` of the state. Its moments become outputs; the new parameters are returned. */
function stepOf(g: Graph, state: State, name: 'actor' | 'temperature', gradient: Tensor, decay: number): Tensor {
  const before = { parameters: state[name]!, first: state[`${name}_first`]!, second: state[`${name}_second`]! };
  const after = adam(before, gradient, g.input(`${name}_step`, []), g.input(`${name}_epsilon`, []), decay);
  g.output(`${name}_first_next`, after.first);
  g.output(`${name}_second_next`, after.second);
  return after.parameters;
}

/** The gradient for all of a network's parameters, as one flat vector; zero for those named in `frozen`. */
export function gradientOf(
  loss: Tensor,
  parameters: Parameters,
  layout: ParameterLayout,
  frozen: readonly string[] = [],
): Tensor {
  const names = layout.entries.map((entry) => entry.name);
  const trained = names.filter((name) => !frozen.includes(name));
  const found = gradients(
    loss,
    trained.map((name) => parameters[name]!),
  );
  const zero = (tensor: Tensor) => tensor.graph.constant(new Float32Array(tensor.size), tensor.shape);
  return pack(
    names.map((name) => found[trained.indexOf(name)] ?? zero(parameters[name]!)),
    layout,
  );
}

/** Tensors of one element each as one vector. */
export function scalars(tensors: readonly Tensor[]): Tensor {
  return concat(
    tensors.map((tensor) => reshape(tensor, [1])),
    0,
  );
}
