export type { Fence } from './fence.ts';
export { Shield } from './shield.ts';
