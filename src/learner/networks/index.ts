export {
  deterministicActor,
  deterministicActorLayout,
  gaussianActor,
  gaussianActorLayout,
  LOG_STD_MAX,
  LOG_STD_MIN,
} from './actor.ts';
export { criticLayout, critics, returnCriticLayout, returnCritics } from './critic.ts';
export { type ActionModel, denoiserLayout, repeated } from './denoiser.ts';
export { diffusion } from './diffusion.ts';
export { convolve, type EncoderSpec, encode, encoderLayout, initialiseEncoder } from './encoder.ts';
export { flow } from './flow.ts';
export { dense, hidden, hiddenShapes, initialise, linearShapes, mlpLayout } from './mlp.ts';
export { sampleTanhGaussian } from './tanh-gaussian.ts';
