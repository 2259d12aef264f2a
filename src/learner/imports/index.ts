export { FrozenEncoder, type FrozenEncoderOptions } from './frozen-encoder.ts';
export { ObservationEncoder, openObservationEncoder, type SeenTransition } from './observation-encoder.ts';
