export { Shield } from './shield.ts';
