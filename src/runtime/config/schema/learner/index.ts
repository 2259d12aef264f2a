export { bcSchema } from './bc.ts';
export { dsactSchema } from './dsact.ts';
export { expoSchema } from './expo.ts';
export { hilSerlSchema } from './hil-serl.ts';
export { passiveSchema } from './passive.ts';
export { residualSchema } from './residual.ts';
export { td3Schema } from './td3.ts';
export { wsrlSchema } from './wsrl.ts';
