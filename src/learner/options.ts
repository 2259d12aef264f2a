/** The learner's settings with their defaults, without the engine that they are for. */
export { ACTIVATIONS } from './options/activation.ts';
export { type BcSettings, DEFAULT_BC_SETTINGS } from './options/bc.ts';
export { DEFAULT_DSACT_SETTINGS, type DsactSettings } from './options/dsact.ts';
export { DEFAULT_ENCODER_SETTINGS, type EncoderSettings } from './options/encoder.ts';
export { DEFAULT_EXPO_SETTINGS, type ExpoSettings } from './options/expo.ts';
export { DEFAULT_HIL_SERL_SETTINGS, type HilSerlSettings } from './options/hil-serl.ts';
export { encoderPorts } from './options/image-port.ts';
export {
  ALGORITHMS,
  DEFAULT_LEARNER_CONFIG,
  type LearnerConfig,
  PROVIDERS,
  updatesPerCall,
} from './options/learner-config.ts';
export { DEFAULT_PASSIVE_SETTINGS, type PassiveSettings } from './options/passive.ts';
export { DEFAULT_RESIDUAL_SETTINGS } from './options/residual.ts';
export { DEFAULT_TD3_SETTINGS } from './options/td3.ts';
export { DEFAULT_WSRL_SETTINGS } from './options/wsrl.ts';
