export { type BcSettings, DEFAULT_BC_SETTINGS } from './bc.ts';
export { DEFAULT_DSACT_SETTINGS, type DsactSettings } from './dsact.ts';
export {
  DEFAULT_ENCODER_SETTINGS,
  type EncoderSettings,
  type FrozenEncoderSettings,
  trainedChannels,
} from './encoder.ts';
export { DEFAULT_EXPO_SETTINGS, type ExpoSettings } from './expo.ts';
export { DEFAULT_HIL_SERL_SETTINGS, type HilSerlSettings } from './hil-serl.ts';
export { DEFAULT_PASSIVE_SETTINGS, type PassiveSettings } from './passive.ts';
export { DEFAULT_RESIDUAL_SETTINGS, type ResidualSettings } from './residual.ts';
export { DEFAULT_TD3_SETTINGS, type Td3Settings } from './td3.ts';
export { DEFAULT_WSRL_SETTINGS, type WsrlSettings } from './wsrl.ts';
