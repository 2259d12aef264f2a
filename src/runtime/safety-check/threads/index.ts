export { TrialPool } from './trial-pool.ts';
