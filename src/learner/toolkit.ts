/** Building blocks for custom algorithms (`rein/learner`). Loads no engine: graphs are only written here. */
export { cloneActor } from './algorithms/bc.ts';
export {
  actorLoss,
  actorOptimiser,
  alphaOf,
  criticLoss,
  criticNetwork,
  criticOptimiser,
  criticTarget,
  entropyOf,
  followValues,
  gaussianActorNetwork,
  gaussianPolicy,
  learnCritics,
  meanValue,
  nextDraw,
  reportActor,
  sac,
  temperatureNetwork,
  updateActor,
  updateCritics,
  updateTemperature,
} from './algorithms/sac.ts';
export { td3 } from './algorithms/td3.ts';
export type { Shape, Tensor } from './engine/graph.ts';
export { scaledLayerNorm } from './engine/layer-norm.ts';
export { linear, matmul } from './engine/linear.ts';
export { ParameterLayout, type Parameters } from './engine/parameters.ts';
export { deterministicActor, gaussianActor, sampleTanhGaussian } from './networks/actor.ts';
export { critics } from './networks/critic.ts';
export { dense, hidden, mlpLayout } from './networks/mlp.ts';
export * from './ops/elements.ts';
export { logSumExp, reduceMax, reduceMean, reduceMin, where } from './ops/reduce.ts';
export { broadcast, concat, expand, reduceSum, reshape, slice, transpose } from './ops/shape.ts';
export type { LearnerConfig } from './options/learner-config.ts';
export type { Algorithm, Phase, PolicyDef } from './update/algorithm.ts';
export type { LearnerSpec, NetworkDef, NumbersDef } from './update/spec.ts';
export type { Step } from './update/step.ts';
