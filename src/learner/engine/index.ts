export { type AdamState, adam, adamStep, clipNorm } from './adam.ts';
export { gradients } from './autodiff.ts';
export { Graph, type RealType, type Tensor } from './graph.ts';
export { layerNorm, linear, matmul } from './linear.ts';
export {
  abs,
  add,
  clip,
  concat,
  div,
  exp,
  gatherRows,
  maximum,
  mul,
  neg,
  reduceMean,
  reduceMin,
  reduceSum,
  relu,
  reshape,
  rowAt,
  slice,
  softplus,
  square,
  stopGradient,
  sub,
  tanh,
} from './ops.ts';
export { ParameterLayout, type Parameters, pack, unpack } from './parameters.ts';
export { polyak } from './polyak.ts';
export { Bindings, PingPongState, Session, type StatePart } from './session.ts';
