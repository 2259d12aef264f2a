export { abs, add, clip, div, maximum, minimum, mul, neg, square, stopGradient, sub } from './arithmetic.ts';
export { broadcast, expand, type Operand, reduceSum, reshape, sumTo } from './broadcast.ts';
export { cos, exp, gelu, huber, log, relu, sigmoid, silu, sin, softplus, sqrt, tanh } from './functions.ts';
export { cast, equalMask, less, nonZeroMask } from './masks.ts';
export { euclideanNorm, logSoftmax, logSumExp, reduceMax, reduceMean, reduceMin } from './reduce.ts';
export { argmaxOneHot, atOneHot, oneHot, where } from './select.ts';
export { concat, cut, gatherRows, pad, padAll, permute, rowAt, slice, transpose } from './shape.ts';
