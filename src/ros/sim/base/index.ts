export type { BaseKind, BaseOptions } from './base-model.ts';
export { type BaseSettings, BaseSimulator } from './base-simulator.ts';
