export { DEFAULT_DSACT_SETTINGS, type DsactSettings } from './dsact.ts';
