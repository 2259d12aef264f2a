export { type AdamState, adam, adamStep, clipNorm } from './adam.ts';
export { gradients } from './autodiff.ts';
export { Graph, type RealType, type Shape, show, type Tensor } from './graph.ts';
export { layerNorm, linear, matmul } from './linear.ts';
export * from './ops/index.ts';
export { ParameterLayout, type Parameters, pack, unpack } from './parameters.ts';
export { polyak } from './polyak.ts';
export { Bindings, PingPongState, Session, type StatePart } from './session.ts';
