export { FrozenEncoder, type FrozenEncoderOptions } from './frozen-encoder.ts';
export { ObservationEncoder } from './observation-encoder.ts';
