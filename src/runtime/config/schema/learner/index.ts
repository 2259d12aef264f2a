export { dsactSchema } from './dsact.ts';
export { residualSchema } from './residual.ts';
export { td3Schema } from './td3.ts';
