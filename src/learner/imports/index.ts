export { FrozenEncoder, type FrozenEncoderOptions } from './frozen-encoder.ts';
