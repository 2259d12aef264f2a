export { FrozenEncoder, type FrozenEncoderOptions } from './frozen-encoder.ts';
export { encoderPorts } from './image-port.ts';
export { ObservationEncoder, openObservationEncoder, type SeenTransition } from './observation-encoder.ts';
