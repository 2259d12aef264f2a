export { Quadrotor } from './quadrotor.ts';
