export { dsactSchema } from './dsact.ts';
export { td3Schema } from './td3.ts';
