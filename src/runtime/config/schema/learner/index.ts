export { dsactSchema } from './dsact.ts';
